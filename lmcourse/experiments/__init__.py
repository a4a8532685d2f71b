"""What `make reproduce` computes and ``book/reproduced.json`` stores: training that is too long for a build.

A module with a function ``recompute`` is an experiment of the module's name; ``chNN`` is the chapter that
shows it. ``OPTIONS`` declares the parameters of ``recompute`` to the command line. Experiments share
``storage``, which lets them go on after an interruption, ``texts``, and ``ch13_recalibration``.
"""
