"""Generated documents: completion scripts, the manual page, the README's tables, OpenAPI."""
