"""Write and read the files of an export or of `--all --out`."""
