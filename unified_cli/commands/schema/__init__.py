"""`unified schema` and its parts: the observed shape of records."""
