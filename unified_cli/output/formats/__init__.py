"""The formats of records, one a module."""
