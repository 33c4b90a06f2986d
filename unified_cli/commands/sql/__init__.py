"""`unified sql` and its parts: one statement over the lists of many connections."""
