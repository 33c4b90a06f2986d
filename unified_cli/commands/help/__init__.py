"""`unified help` and its topics."""
