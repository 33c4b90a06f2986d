"""Work on many connections: how it ends."""
