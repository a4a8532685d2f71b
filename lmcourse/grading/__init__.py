"""Grade notebooks: which process runs what, and which room holds it.

Four kinds of process, each of which knows less than the one above it:

    class     `whole_class`; `classroom.processes` starts a grader for each submission, some at a time
    grader    `notebook`: reads a submission and its key, runs the tests of the key, gives the marks
    nursery   `inside.nursery`: has imported the libraries, and forks what follows (on Linux)
    answers   `inside.jail`, then `inside.child`: runs a student's cells, in forks, behind a locked door

Without a nursery (on macOS, or where this system gives the answers no view of their own) the grader starts
the first process with answers itself. Each has a socket, and stands in the grader as a `Worker`; a request is
JSON, and "fork" asks a process for a copy of itself. `outside.watching` adds up the memory of
them all, since the system limits each one alone; `outside.worker.Patience` limits their time.

Only the last one runs code of a student. It has the files of `inside` and two of `lmcourse.hints` beside it;
the questions and solutions are hidden from it where the system can do that (`outside.view`). The tests of the
key run in the grader. There, a name of the student stands for a call that carries data (`outside.proxies`,
`inside.wire`), and no reply is trusted. The command ``lmcourse.grade`` is a grader without a class. What is
lost when a process dies: see `outside.sandbox`.

The rooms, from the bottom up; each imports only from those before it:

    system      whether this system can run a grader at all
    inside      what runs beside the answers; its magics are in `running` and `shell`
    outside     what starts that process, asks it, limits it (`worker.Limits`), and believes nothing it says
    notebook    one submission: its cells, the key, the plan, the marks, the report, the result as data
    classroom   many: who handed in what, a process for each, `gradebooks` for Canvas and Moodle, the summary
    exams       an exam's private folder, and whose paper a submission is
    whole_class a folder of submissions in; tables, a page for each student and one of the class out
    proof       what the catalogue of submissions in ``tests/`` deserves, as a page for instructors
"""
