"""`unified doctor` and its checks."""
