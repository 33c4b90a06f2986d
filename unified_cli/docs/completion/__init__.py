"""Completion scripts for each shell, made from the catalogue and the options."""
