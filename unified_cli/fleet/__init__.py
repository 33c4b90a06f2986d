"""Work on many connections: their selection, their turns, their clients, and the end of
the work.
"""
