"""`unified profile` and its commands."""
