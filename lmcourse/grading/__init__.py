"""Grade notebooks: which process runs what, and which package has its code.

There are four kinds of process. Each has access to less than the one above it, and only the last one runs
code of a student:

    class         `whole_class`; `classroom.processes` starts a grader for each submission, some at a time
    grader        `one_notebook`: reads a submission and its key, runs the tests of the key, gives the marks
    fork server   `inside.fork_server`: has imported the libraries, and forks a worker for each grader
    worker        `inside.isolate`, then `inside.worker_process`: isolated from the system, it runs each cell
                  and each test in a fork of itself

The fork server is used on Linux with the protection "namespaces"; otherwise the grader starts the worker
itself. To the grader, a process with answers is a `Worker`: a socket to which it sends requests in JSON. The
request "fork" asks for a fork with a socket of its own. `outside.memory` adds up the memory of all forks,
because the system limits each one alone; `outside.limits.Patience` limits their time.

The worker sees the files of `inside` and two of `lmcourse.hints`; the questions and solutions are hidden from
it if the system supports that (`outside.policy`). The tests of the key run in the grader. There,
a name of the student is replaced by a call that carries data (`outside.proxies`, `inside.wire`), and every
reply is untrusted. The command ``lmcourse.grade`` is a grader without a class. `outside.sandbox` says what is
lost when a process dies.

The words: a *mark* is points, from a machine or a person. The *key* is the solved set, and the *plan* is the
order in which the cells of a submission run and are tested. A *worker* is a process with answers, a *probe*
the fork of one for one test. The *sandbox* is all workers of one submission; its *protection* says what they
are kept from.

The errors: whatever the caller can put right raises `errors.GradingError`, which the commands turn into a
message and an exit status. One kind of it, `notebook.reading.UnreadableNotebook`, is about a submission and
is caught here: it becomes the ``problem`` of a `Result`, so that one file does not stop a class. Two other
errors are caught in this package: `outside.limits.Lost`, after which an answer gets no points, and the
OSError of a kind of protection, after which the next kind is tried.

The parts, from the bottom up; each imports only from those before it:

    system        whether this system can run a grader at all
    errors        the one error that reaches a caller
    inside        what runs in the worker and the fork server; its magics are in `running` and `shell`
    outside       the grader's side: starts a worker, asks it, limits it (`limits.Limits`), checks its replies
    notebook      one submission: its cells, the key, the plan, the marks, the report, the result as data
    one_notebook  all of that in one function: a notebook in, a `Result` out
    classroom     many: who handed in what, a process for each, tables for Canvas and Moodle, the summary
    papers        the private folder with the papers of an exam, and whose paper a submission is
    whole_class   a folder of submissions in; tables, a page for each student and one of the class out
"""
