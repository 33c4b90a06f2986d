"""Reads that are checked, waited for and followed, of one connection or of several."""
