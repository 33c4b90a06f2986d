"""The files of an export and of `--all --out`: lists and their manifest, written and
read.
"""
