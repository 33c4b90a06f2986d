"""`unified export` and its parts."""
