"""`unified`: a command line over a family of unified, connection-scoped HTTP APIs."""

__version__ = "0.3.0"
# As other programs know it: the name of the distribution.
PRODUCT = f"unified-api-cli/{__version__}"
VERSION_LINE = f"unified {__version__}\n"
