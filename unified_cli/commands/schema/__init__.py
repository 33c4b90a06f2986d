"""`unified schema` and its parts: the shape of records as they were seen."""
