"""The commands that compare two lists of records."""
