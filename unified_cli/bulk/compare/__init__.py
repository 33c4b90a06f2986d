"""Two lists of records, joined by a key: what differs, and the calls that make one like the other."""
