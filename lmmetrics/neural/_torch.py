"""Two settings that PyTorch keeps for the whole process, changed inside a block and then restored."""

from collections.abc import Iterator
from contextlib import contextmanager

from lmmetrics.extras import need

torch = need("torch", "neural")


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread inside the block: sums are reproducible, and two are slower on a shared machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def own_seed(seed: int) -> Iterator[None]:
    """Use a generator seeded with `seed` inside the block; the global generator is not changed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
