"""Check, split and change JSON as text.

It is not decoded, so that no digit, key or order changes.
"""
