"""JSON as text: checked, taken apart and changed without decoding it, so that no digit, key or order changes."""
