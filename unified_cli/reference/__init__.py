"""Documents made from the code: completion scripts, the manual page, the README's tables, OpenAPI."""
