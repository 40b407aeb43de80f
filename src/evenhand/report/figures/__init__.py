"""Figures: results table in, frame and chart out. Each docstring gives the paper's number."""
