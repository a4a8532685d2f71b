"""Two settings that PyTorch keeps for the whole process, changed inside a block and then restored."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident

from lmmetrics.extras import need

torch = need("torch", "neural")


_INSIDE: dict[int, int] = {}
"""For each thread of Python in `one_thread`, the number of threads to which it returns."""
_LOCK = Lock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread inside the block: sums are reproducible, and two are slower on a shared machine.

    PyTorch keeps the number for each thread of Python; a new one starts with the number that was set last. If
    that was set here, by another thread, the number to which the other returns is the one to return to.
    """
    me = get_ident()
    if me in _INSIDE:
        yield
        return
    with _LOCK:
        _INSIDE[me] = next(iter(_INSIDE.values()), torch.get_num_threads())
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _LOCK:
            torch.set_num_threads(_INSIDE.pop(me))


@contextmanager
def own_seed(seed: int) -> Iterator[None]:
    """Use a generator seeded with `seed` inside the block; the global generator is not changed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
