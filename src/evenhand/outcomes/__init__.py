"""outcomes room."""
