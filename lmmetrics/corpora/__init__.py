"""Texts to measure language models on, each with a fixed split by document.

`load` returns a `Corpus`. Four corpora are part of this package: the tales in English and in Chinese, and
prose from the documentation of NumPy and of SymPy. Three are downloaded on first use, verified, and kept in
the user's cache; or they are read from the folder that the environment variable LMMETRICS_DATA names.

Examples
--------
>>> names()
['tales-en', 'tales-zh', 'numpy-docs', 'sympy-docs', 'tiny-shakespeare', 'wikitext-2', 'tang-300']
>>> tales = load("tales-en")
>>> tales.titles["valid"][0]
'Two Locksmiths'
"""

from lmmetrics.corpora._corpus import Corpus, load, names
from lmmetrics.corpora._download import CorpusError, stored_files

__all__ = ["Corpus", "CorpusError", "load", "names", "stored_files"]
