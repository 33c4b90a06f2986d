"""The token of a connection: where it is stored, how it is read, and which origin it is for."""
