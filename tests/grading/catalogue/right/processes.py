"""Threads, processes, pools and locks in an answer."""

from tests.grading.catalogue import Cases
from tests.grading.catalogue.right import MISSING

CASES = Cases("right")
case = CASES.case


@case("a thread goes on in the background")
def _(nb):
    nb.begin("three-words", "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()")


@case("thirty-two threads")
def _(nb):
    nb.add("from concurrent.futures import ThreadPoolExecutor\nimport time", before="three-words")
    threads = (
        "with ThreadPoolExecutor(32) as pool:\n        list(pool.map(time.sleep, [0.02] * 64))\n        "
    )
    nb.change("three-words", ("nats = -np.log(q)", threads + "nats = -np.array(list(pool.map(np.log, q)))"))


@case("a pool of processes in a function")
def _(nb):
    nb.add("import multiprocessing as mp\ndef work(x):\n    return -np.log(x)", before="three-words")
    pool = "with mp.get_context('fork').Pool(2) as pool:\n        nats = np.array(pool.map(work, q))"
    nb.change("three-words", ("nats = -np.log(q)", pool))


@case("a pool with as many processes as there are processors")
def _(nb):
    nb.add(
        """
        import multiprocessing
        def root(x):
            return x**0.5
        with multiprocessing.Pool() as pool:
            assert pool.map(root, [4.0] * 100) == [2.0] * 100
        """,
        before="three-words",
    )


@case("pools that a cell above has made")
def _(nb):
    nb.add(
        """
        import multiprocessing as mp
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
        def work(x):
            return -np.log(x)
        threads, processes, pool = ThreadPoolExecutor(2), ProcessPoolExecutor(2), mp.Pool(2)
        assert list(threads.map(abs, [1, -1])) == list(processes.map(abs, [1, -1])) == pool.map(abs, [1, -1])
        """,
        before="three-words",
    )
    nb.change("three-words", ("nats = -np.log(q)", "nats = np.array(list(threads.map(work, q)))"))
    nb.change("three-words", ("return {", "assert np.allclose(nats, pool.map(work, q))\n    return {"))
    nb.change(
        "three-words", ("return {", "assert np.allclose(nats, list(processes.map(work, q)))\n    return {")
    )


@case("locks, semaphores, queues and shared memory")
def _(nb):
    nb.add(
        """
        import multiprocessing as mp
        from multiprocessing import shared_memory
        lock, places, queue, total = mp.Lock(), mp.Semaphore(3), mp.Queue(), mp.Value("i", 0)
        def work():
            with lock, places:
                total.value += 1
            queue.put(1)
        started = [mp.Process(target=work) for _ in range(3)]
        for process in started:
            process.start()
        for process in started:
            process.join()
        assert total.value == 3
        block = shared_memory.SharedMemory(create=True, size=100)
        block.close()
        block.unlink()
        LOG_BASE = np.e
        """,
        before="three-words",
    )
    nb.change("three-words", MISSING)


@case("joblib, with threads")
def _(nb):
    nb.begin(
        "three-words",
        "from joblib import Parallel, delayed\n"
        "assert Parallel(n_jobs=2, prefer='threads')(delayed(abs)(x) for x in [-1, 1]) == [1, 1]",
    )
