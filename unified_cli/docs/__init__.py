"""Generate documents: completion scripts, the manual page, OpenAPI, the layers in
CONTRIBUTING.md.
"""
