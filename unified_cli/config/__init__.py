"""Read the config file and the credentials, and resolve the settings of a call."""
