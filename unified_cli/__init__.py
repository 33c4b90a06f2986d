"""`unified`: a command line over a family of unified, connection-scoped HTTP APIs."""

__version__ = "0.3.0"
DISTRIBUTION = "unified-api-cli"
# How this program names itself, for example in the User-Agent.
PRODUCT = f"{DISTRIBUTION}/{__version__}"
REPOSITORY = ""
"""The public address of the project, or "" before it has one.

In pyproject.toml, `Source` and `Issues` of `[project.urls]` begin with this address.
"""
VERSION_LINE = f"unified {__version__}\n"
