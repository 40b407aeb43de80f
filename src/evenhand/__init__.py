"""evenhand: does a language model count every record equally?"""

__version__ = "0.1.0"
