"""Work on many connections: select them, share workers and clients, and report how the
work ended.
"""
