"""The answer to a request: read within bounds, decoded, and turned into an error where it is one."""
