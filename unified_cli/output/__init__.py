"""The output: formats, styles, tables and progress."""
