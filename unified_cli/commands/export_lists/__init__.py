"""`unified export` and what it consists of."""
