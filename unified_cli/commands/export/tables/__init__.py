"""Lists as parts of Delta tables: `export --format delta`."""
