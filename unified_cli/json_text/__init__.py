"""JSON as text: checked, split and changed without decoding it, so that no digit, key
or order changes.
"""
