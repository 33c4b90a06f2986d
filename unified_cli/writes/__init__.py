"""Many writes: a journal that survives the end of the process, the sender, and the
outcomes.
"""
