"""The process of the server: its streams, its end, and which calls go on."""
