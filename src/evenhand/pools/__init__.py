"""Where instances come from."""

from evenhand.pools._build import PerLabel
from evenhand.pools._instance import Instance, Pool
from evenhand.pools._load import load_pool
from evenhand.pools._pool_file import pool_path, read_pool, write_pool
from evenhand.pools._table import TableSource

__all__ = [
    "Instance",
    "PerLabel",
    "Pool",
    "TableSource",
    "load_pool",
    "pool_path",
    "read_pool",
    "write_pool",
]
