"""Writes to several connections, as runs with a journal."""
