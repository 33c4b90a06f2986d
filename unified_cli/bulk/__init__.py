"""What runs long: over many pages, many resources and many connections at once, and survives."""
