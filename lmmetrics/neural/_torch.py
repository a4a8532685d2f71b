"""Two settings that PyTorch keeps for the whole process, changed for a while and restored."""

from collections.abc import Iterator
from contextlib import contextmanager

from lmmetrics._extras import need

torch = need("torch", "neural")


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread inside the block: on a shared machine two are slower, and sums are reproducible."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def own_seed(seed: int) -> Iterator[None]:
    """Use a generator seeded with `seed` inside the block; the global one is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
