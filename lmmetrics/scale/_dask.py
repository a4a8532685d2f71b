"""`score_shards`: many shards on Dask, in threads, in processes or on a cluster."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from tqdm import tqdm

from lmmetrics._checks import whole_number
from lmmetrics._progress import shown
from lmmetrics._types import PathLike
from lmmetrics.extras import need
from lmmetrics.ngram import NGramCounts
from lmmetrics.scale._errors import ScaleError
from lmmetrics.scale._files import Plan, claim, is_done
from lmmetrics.scale._model import Loaded, Protocol, forget, keep, load, load_once
from lmmetrics.scale._scores import ShardScores, read_folder, refuse_twice
from lmmetrics.scale._shards import Shard, Shards, shards_of
from lmmetrics.scale._work import Seen, look, score
from lmmetrics.scoring import LanguageModel
from lmmetrics.scoring._shared import Unknown
from lmmetrics.text import Vocabulary, tokenize
from lmmetrics.text._shared import By, Sentences

AT_ONCE = 8
"""How many counts are merged at a time."""
ANSWER = 20
"""Seconds after which a scheduler, or the first worker, is given up."""
STAYS = "Scores that were written stay: run the same call again to go on."
NOTHING = "Nothing was written: the same call begins again."


def score_shards(
    model: LanguageModel | Callable[[], LanguageModel],
    shards: Shards,
    out: PathLike,
    *,
    scheduler: Any = "threads",
    workers: int | None = None,
    eos: bool = True,
    unknown: Unknown = "score",
    by: By | None = None,
    sentences: Sentences | None = None,
    lines: bool = False,
    model_digest: str | None = None,
    progress: bool = True,
) -> ShardScores:
    """Score shards of documents on Dask, write a row for each document, and return all rows.

    The call can be repeated: shards whose scores are there are not scored again. So a run that was
    interrupted goes on, whatever stopped it.

    Parameters
    ----------
    model : LanguageModel, or a function without arguments that returns one
        A model is sent to the workers; a function is called once in each process, as
        ``functools.partial(NGramModel.load, path)``, which is better for a large model.
    shards : path, list of paths, or mapping
        A folder of files, a list of files, or a mapping from the name of each shard to a file or to a mapping
        from ids to texts. A file is ``.jsonl`` or ``.jsonl.gz`` (each line ``{"id": ..., "text": ...}``),
        ``.parquet`` (columns ``id`` and ``text``), ``.txt`` or ``.txt.gz`` (one document, whose id is the
        shard's name).
        `write_shards` makes such files. A shard has to fit into the memory of a worker.
    out : path
        The folder for the scores. On a cluster every worker has to see it, and the files of the shards, under
        the same path.
    scheduler : {"threads", "processes"}, str or distributed.Client
        Threads or processes of this machine, or the address of the scheduler of a cluster, such as
        ``"tcp://10.0.0.1:8786"``. A script that asks for processes has to protect its first lines by
        ``if __name__ == "__main__":``.
    workers : int, optional
        How many threads or processes of this machine; by default as many as it has cores.
    eos, unknown
        As in `score_text`.
    by, sentences
        As in `tokenize`; for a model with a vocabulary and no tokenizer of its own.
    lines : bool
        Whether each line of a ``.txt`` file is a document.
    model_digest : str, optional
        A string that changes whenever the model does. The library finds one for counted models, for models of
        PyTorch and for those of transformers; other models need it, or an attribute ``digest``.
    progress : bool
        Whether to show a progress bar on standard error.

    Returns
    -------
    ShardScores
        As `read_scores` returns it.

    Raises
    ------
    ScaleError
        If a document comes twice; if the folder holds scores of another model, another text or another
        protocol; if a worker sees other files than this machine; or if workers die on the same shard again
        and again.
    ConnectionError
        If no scheduler answers, or it has no workers.
    TypeError, ValueError
        If an argument is not as above, and as in `score_text`.

    Notes
    -----
    What is exact: of a document's surprisals, which are float64, the exact sum is stored as a few floats:
    the sum rounded once, and what the rounding left out. The total adds all of them with `math.fsum`. So it
    is, to the last bit, `math.fsum` of the surprisals of all tokens, for every partition into shards, every
    order and every number of workers. The counts are whole numbers.

    What has to hold for that: the model gives a document the same surprisals in every process. Each
    document is therefore tokenised and scored by itself, so neither its neighbours nor a batch with them can
    change a bit; a model that reads earlier documents does not see them here. Counted models give the same
    bits in every process of one machine. A network in float32 may differ in its last bits between processors,
    numbers of threads or versions of PyTorch: then the sums are exact, but of slightly different numbers.

    What survives: all shards are read before anything is scored, so that a document that comes twice or a
    changed text stops the run at its beginning. A shard's rows are written to a temporary file, which is then
    moved to its place (`os.replace`). A worker that is killed leaves no rows of its shard, and Dask gives the
    shard to another one. Two workers that score the same shard write the same file.

    What it costs: one document at a time is slower than all at once. A counted model with a vocabulary of
    33,000 took 9 ms of processor time more for each document (3,500 tokens) than `score_text` for the whole
    text: one thread scored a fifth as fast. Beside a network that is little.

    Examples
    --------
    >>> import tempfile
    >>> from lmmetrics import corpora, score_text, tokenize
    >>> from lmmetrics.ngram import NGramModel, WittenBell
    >>> from lmmetrics.scale import write_shards
    >>> tales = corpora.load("tales-en")
    >>> train = tokenize(tales.train)
    >>> model = NGramModel(3, WittenBell()).fit(train)
    >>> documents = {f"tale {i}": tale for i, tale in enumerate(tales.test)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = write_shards(documents, f"{folder}/text", 3)
    ...     scores = score_shards(model, files, f"{folder}/scores", workers=2)
    >>> scores.total.nats == score_text(model, tokenize(tales.test, vocabulary=train.vocabulary)).nats
    True
    """
    protocol = Protocol(eos, unknown, by, sentences)
    found, folder = shards_of(shards, lines), Path(out).resolve()
    with connected(scheduler, workers) as (client, here):
        tasks = Tasks(client, progress, "a shard or the model needs", STAYS)
        seen = looked_at(tasks, found)
        sizes = {one.shard: len(one.ids) for one in seen}
        with source_of(tasks, here, model, model_digest, protocol) as source:
            ((digest, name),) = tasks.results(
                [tasks.submit(told, source, about="the model")], "loading", "model"
            )
            plan = Plan(digest, name, protocol.described(), {one.shard: one.digest for one in seen})
            claim(folder, plan)
            left = [shard for shard in found if not is_done(folder, plan, shard.name)]
            arguments = plan, protocol, str(folder), f"{tasks.id}-"
            futures = [tasks.submit(scored, source, shard, *arguments, about=shard.about) for shard in left]
            done = sum(sizes.values()) - sum(sizes[shard.name] for shard in left)
            tasks.results(futures, "scoring", "document", sum(sizes.values()), done)
        for rest in folder.glob(f"*.{tasks.id}-*.part"):
            rest.unlink(missing_ok=True)
        return read_folder(folder, plan)


def count_shards(
    shards: Shards,
    order: int,
    *,
    scheduler: Any = "threads",
    workers: int | None = None,
    by: By = "word",
    sentences: Sentences | None = None,
    vocabulary: Vocabulary | None = None,
    lines: bool = False,
    progress: bool = True,
) -> NGramCounts:
    """Count the n-grams of shards on Dask, and add the counts: exactly those of one text.

    Parameters
    ----------
    shards, scheduler, workers, lines, progress
        As in `score_shards`.
    order : int
        The highest order, at least 1.
    by, sentences, vocabulary
        As in `tokenize`.

    Returns
    -------
    NGramCounts
        For `NGramModel.fit_counts`. Without a vocabulary they have all tokens of all shards, in order of
        first appearance, where the shards are in the order of their names.

    Raises
    ------
    ScaleError, ConnectionError, TypeError, ValueError
        As in `score_shards` and `tokenize`.

    Notes
    -----
    The workers merge neighbouring shards, eight at a time. The counts of all have to fit into the memory of
    one worker, and of this process. Nothing is written: a run that was interrupted begins again.

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel, WittenBell
    >>> counts = count_shards({"a": {"1": "the cat"}, "b": {"2": "the dog", "3": "the cat"}}, 2, workers=1)
    >>> counts[2]["the", "cat"], NGramModel(2, WittenBell()).fit_counts(counts).prob("dog", ["the"])
    (2, 0.2...)
    """
    order = whole_number("order", order, 1)
    found = shards_of(shards, lines)
    with connected(scheduler, workers) as (client, _):
        tasks = Tasks(client, progress, "the counts of a shard or of all need", NOTHING)
        sizes = {one.shard: len(one.ids) for one in looked_at(tasks, found)}
        counted = [shard for shard in found if sizes[shard.name]]
        if not counted:
            raise ScaleError("The shards have no document, so nothing can be counted.")
        how = order, by, sentences, vocabulary
        futures = [tasks.submit(count, shard, *how, about=shard.about) for shard in counted]
        tasks.wait(futures, "counting", "shard")
        while len(futures) > 1:
            groups = [futures[i : i + AT_ONCE] for i in range(0, len(futures), AT_ONCE)]
            futures = [tasks.submit(NGramCounts.merged, group, about="the counts") for group in groups]
        return tasks.results(futures, "merging", "shard")[0]


def count(
    shard: Shard, order: int, by: By, sentences: Sentences | None, vocabulary: Vocabulary | None
) -> NGramCounts:
    """Count a shard: a task."""
    return NGramCounts(tokenize([text for _, text in shard.documents()], by, sentences, vocabulary), order)


def looked_at(tasks: Tasks, shards: list[Shard]) -> list[Seen]:
    """Let the workers read all shards; an error if a document comes twice."""
    futures = [tasks.submit(look, shard, about=shard.about) for shard in shards]
    seen: list[Seen] = tasks.results(futures, "reading", "shard")
    first: dict[str, str] = {}
    for one in seen:
        refuse_twice(first, one.shard, one.ids)
    return seen


@contextlib.contextmanager
def source_of(tasks: Tasks, here: bool, model: Any, given: str | None, protocol: Protocol) -> Iterator[Any]:
    """Where tasks find the model: in this process, by a function, or as the result of another task."""
    loads = callable(model) and not hasattr(model, "log_probs")
    if here:
        with training_again(model):
            keep(tasks.id, load(model, given, protocol))
            try:
                yield (None, given, protocol, tasks.id)
            finally:
                forget(tasks.id)
    elif loads:
        try:
            yield (model, given, protocol, tasks.id)
        finally:
            with contextlib.suppress(Exception):  # the workers may be gone
                tasks.client.run(forget, tasks.id)
    else:
        protocol.check(model)
        with quiet_about_size():
            yield tasks.submit(load, model, given, protocol, about="the model")


class Tasks:
    """The tasks of one call: they are given to Dask, and waited for.

    Parameters
    ----------
    client : distributed.Client
    progress : bool
        Whether to show a progress bar.
    needy : str
        What may need more memory than a worker has, for the error if workers die.
    after : str
        What becomes of the work that was done, for the error if workers die or the cluster is lost.
    """

    def __init__(self, client: Any, progress: bool, needy: str, after: str) -> None:
        self.client, self.progress, self.needy, self.after = client, progress, needy, after
        self.id, self.about = os.urandom(8).hex(), dict[str, str]()

    def submit(self, function: Callable[..., Any], *arguments: Any, about: str) -> Any:
        """Give Dask a task; ``about`` is what it works on, for the error if its worker dies."""
        key = f"{function.__name__}-{self.id}-{len(self.about)}-{about}"
        self.about[key] = about
        return self.client.submit(function, *arguments, key=key, pure=False)

    def results(
        self, futures: list[Any], what: str, unit: str, total: int | None = None, done: int = 0
    ) -> list[Any]:
        """Wait for the results of tasks, with a progress bar; the first error ends the others."""
        self.wait(futures, what, unit, total, done)
        return self.client.gather(futures)

    def wait(self, futures: list[Any], what: str, unit: str, total: int | None = None, done: int = 0) -> None:
        """Wait for tasks, and leave the results where they are unless they are counts of documents."""
        distributed = need("distributed", "scale")
        left = len(futures)
        try:
            with tqdm(
                total=len(futures) if total is None else total,
                initial=done,
                desc=what,
                unit=unit,
                delay=2,
                **shown(self.progress),
            ) as bar:
                for future in distributed.as_completed(futures):
                    if future.status != "finished":
                        future.result()
                    bar.update(1 if total is None else future.result())
                    left -= 1
        except distributed.KilledWorker as error:
            raise ScaleError(
                f"Workers died again and again while {what} {self.about.get(str(error.task), '')}. Their "
                f"logs say why; often {self.needy} more memory than a worker has. {self.after}"
            ) from None
        except (distributed.CancelledError, distributed.comm.CommClosedError) as error:
            raise ConnectionError(f"The cluster was lost while {what} ({error}). {self.after}") from None
        finally:
            if left:
                with contextlib.suppress(Exception):
                    self.client.cancel(futures)


def told(source: Any) -> tuple[str, str]:
    """The digest and the name of the model: a task."""
    loaded = resolved(source)
    return loaded.digest, loaded.name


def scored(source: Any, shard: Shard, plan: Plan, protocol: Protocol, out: str, mark: str) -> int:
    """Score a shard: a task."""
    return score(resolved(source), shard, plan, protocol, out, mark)


def resolved(source: Any) -> Loaded:
    """The model of a task."""
    return source if isinstance(source, Loaded) else load_once(*source)


@contextlib.contextmanager
def connected(scheduler: Any, workers: int | None) -> Iterator[tuple[Any, bool]]:
    """A client of Dask, and whether its tasks run in this process."""
    need("dask", "scale")
    distributed = need("distributed", "scale")
    need("pyarrow", "scale")
    if workers is not None:
        workers = whole_number("workers", workers, 1)
    if scheduler in ("threads", "processes"):
        count, threads = workers or need("dask.system", "scale").CPU_COUNT, scheduler == "threads"
        options = {"n_workers": 1, "threads_per_worker": count} if threads else {
            "n_workers": count, "threads_per_worker": 1}  # fmt: skip
        with deaf_to_interrupts():
            cluster = distributed.LocalCluster(
                processes=not threads,
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
                memory_limit=0,
                **options,
            )
        with cluster, distributed.Client(cluster) as client:
            yield client, threads
        return
    if workers is not None:
        raise ScaleError("workers is given, but a cluster has workers of its own. Leave it out.")
    if isinstance(scheduler, distributed.Client):
        yield scheduler, False
        return
    if not isinstance(scheduler, str) or ":" not in scheduler:
        raise ScaleError(
            f'scheduler is {scheduler!r}; "threads", "processes" or the address of a scheduler, such as '
            "tcp://10.0.0.1:8786, is expected."
        )
    try:
        client = distributed.Client(scheduler, timeout=ANSWER)
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"No Dask scheduler answers at {scheduler} ({error}). Start one with `dask scheduler`, which "
            "prints its address, and workers with `dask worker ADDRESS`."
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=ANSWER)
        except (TimeoutError, distributed.TimeoutError):
            raise ConnectionError(
                f"The scheduler at {scheduler} has no workers. Start some with `dask worker {scheduler}`."
            ) from None
        yield client, False


@contextlib.contextmanager
def training_again(model: Any) -> Iterator[None]:
    """Put a model of PyTorch inside an adapter back into training mode at the end; `load` takes it out."""
    inner = getattr(model, "model", None)
    training = bool(getattr(inner, "training", False))
    try:
        yield
    finally:
        if training:
            inner.train()  # type: ignore[union-attr]


@contextlib.contextmanager
def quiet_about_size() -> Iterator[None]:
    """A model is meant to be sent."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        yield


@contextlib.contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Threads and processes that begin here do not see Ctrl-C: the process that began them ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it would unblock the signal when the first process begins
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
