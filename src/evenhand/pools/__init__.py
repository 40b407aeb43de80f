"""Where instances come from."""

from evenhand.pools._agreement import Agreement, AloneAnswers, agreement, filtered_pool
from evenhand.pools._build import PerLabel
from evenhand.pools._fetch import Fetched, fetch_upstream
from evenhand.pools._folder import holds_upstream
from evenhand.pools._instance import Instance, Pool
from evenhand.pools._load import load_pool
from evenhand.pools._pool_file import pool_path, read_pool, write_pool
from evenhand.pools._table import TableSource
from evenhand.pools._table_rows import TableRow, stream_table
from evenhand.pools._text import shows_nothing
from evenhand.pools._upstream import UPSTREAM, Upstream

__all__ = [
    "UPSTREAM",
    "Agreement",
    "AloneAnswers",
    "Fetched",
    "Instance",
    "PerLabel",
    "Pool",
    "TableRow",
    "TableSource",
    "Upstream",
    "agreement",
    "fetch_upstream",
    "filtered_pool",
    "holds_upstream",
    "load_pool",
    "pool_path",
    "read_pool",
    "shows_nothing",
    "stream_table",
    "write_pool",
]
