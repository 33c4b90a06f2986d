"""What is written to stdout: the formats, styles, tables and progress."""
