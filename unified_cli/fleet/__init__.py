"""Work on many connections: which they are, whose turn it is, their clients, and how
the work ends.
"""
