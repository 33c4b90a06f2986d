"""What stdout gets: one small module a format, and the streams and files they end in."""

FORMATS = ("json", "ndjson", "table", "csv", "tsv", "yaml", "ids", "raw")
"""The formats there are, the first one the default."""
