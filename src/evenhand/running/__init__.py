"""running room."""
