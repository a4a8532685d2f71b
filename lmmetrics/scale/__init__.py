"""Score shards of documents on many cores or many machines, with a total that is exact.

A shard is a file of documents. `score_shards` scores shards on Dask, in threads or processes of one machine
or on a cluster, and `score_rank` in processes of ``torch.distributed``. Both write the same files: a row of
Parquet for each document, from which `read_scores` makes scores again. Dask and PyTorch are the engines; this
package adds what they do not promise about a sum. `count_shards` counts n-grams in the same way.

- Totals are added, never means, and they are exact: the same bits for every partition.
- A document is counted once, however often a worker is killed and the run is resumed.
- The folder of scores belongs to one model and one text. Anything else is refused.

It needs ``pip install 'measuring-language-models[scale]'``.
"""

from lmmetrics.scale._dask import count_shards, score_shards
from lmmetrics.scale._errors import ScaleError
from lmmetrics.scale._ranks import score_rank
from lmmetrics.scale._scores import ShardScores, compare_folders, read_scores
from lmmetrics.scale._shards import write_shards

__all__ = [
    "ScaleError",
    "ShardScores",
    "compare_folders",
    "count_shards",
    "read_scores",
    "score_rank",
    "score_shards",
    "write_shards",
]
