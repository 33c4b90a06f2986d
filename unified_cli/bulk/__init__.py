"""Long work that survives a crash: exports, imports and downloads of many files."""
