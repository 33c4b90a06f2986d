"""The command that applies plans."""
