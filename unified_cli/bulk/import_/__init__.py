"""Records of a file sent once each, with a journal."""
