"""What runs long and must survive: many records, many requests, files."""
