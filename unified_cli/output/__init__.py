"""What is written to stdout: the formats, styles, tables and progress."""

from typing import Literal, get_args

Format = Literal["json", "ndjson", "table", "csv", "tsv", "yaml", "ids", "raw", "auto"]

FORMATS: tuple[str, ...] = get_args(Format)
"""The formats there are, the first one the default."""
