"""`unified runs` and its commands."""
