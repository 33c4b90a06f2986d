"""What an export leaves, and `--all --out` too: the files of lists and their manifest,
written and read.
"""
