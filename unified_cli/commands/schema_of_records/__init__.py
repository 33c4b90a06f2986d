"""`unified schema` and its parts."""
