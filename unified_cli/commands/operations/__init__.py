"""`unified operations` and its parts."""
