"""Read and write files of this machine: atomic and append-only files, locks, and safe
names.
"""
