"""The profiles on disk, and where each value of a call comes from."""
