"""What runs long and must survive: many records, many pages, many connections, files."""
