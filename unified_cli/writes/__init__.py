"""Many writes: a journal that survives whatever ends the process, the sender, and what
became of them.
"""
