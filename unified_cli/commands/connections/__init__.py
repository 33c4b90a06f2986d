"""`unified connections` and its parts."""
