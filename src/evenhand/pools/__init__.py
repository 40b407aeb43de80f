"""Where instances come from."""

from evenhand.pools._build import PerLabel
from evenhand.pools._instance import Instance, Pool
from evenhand.pools._load import load_pool

__all__ = ["Instance", "PerLabel", "Pool", "load_pool"]
