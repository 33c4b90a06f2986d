"""`unified import` and its parts."""
