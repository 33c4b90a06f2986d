"""One operation of the catalogue, from typed options to its result."""
