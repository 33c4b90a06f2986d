"""The config file, and where each value of a call comes from."""
