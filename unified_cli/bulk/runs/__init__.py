"""Runs: work of many writes, with a journal that survives whatever ends the process."""
