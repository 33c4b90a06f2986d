"""The config file, the credentials, and the resolution of every setting of a call."""
