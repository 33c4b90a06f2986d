"""`unified`: a command line over a family of unified, connection-scoped HTTP APIs."""

__version__ = "0.1.0"
VERSION_LINE = f"unified {__version__}\n"
