"""`unified import` and what it consists of."""
