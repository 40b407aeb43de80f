"""Tables: results table in, frame and page table out. Each docstring gives the paper's number."""
