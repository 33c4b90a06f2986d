"""The records of a file or a pipe, as commands take them."""
