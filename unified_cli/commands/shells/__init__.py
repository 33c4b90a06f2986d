"""The completion scripts of the shells, made from the catalogue and the table of options."""
