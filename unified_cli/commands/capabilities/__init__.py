"""`unified capabilities` and its parts."""
