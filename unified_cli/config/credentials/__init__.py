"""The token of a connection: where it is kept, how it is read, and which origin it is for."""
