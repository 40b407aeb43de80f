"""Where instances come from."""

from evenhand.pools._instance import Instance, Pool

__all__ = ["Instance", "Pool"]
