"""Data sets of agents' games for learning: `big2 export` writes them, `load` reads them.

>>> from big2_agents.data import load
>>> load("no/such/folder")
Traceback (most recent call last):
FileNotFoundError: [Errno 2] No such file or directory: 'no/such/folder/dataset.jsonl'
"""

from big2_agents.data.files import Dataset, load
from big2_agents.data.rows import Rows

__all__ = ["Dataset", "Rows", "load"]
