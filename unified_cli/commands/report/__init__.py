"""`unified report` and its parts."""
