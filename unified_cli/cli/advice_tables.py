"""Read the tables of what to type instead of a wrong command line."""

import tomllib
from functools import cache
from importlib.resources import files

from unified_cli.values import JsonObject


@cache
def read(name: str) -> JsonObject:
    """Return the table in the file NAME.toml beside this module."""
    return tomllib.loads((files(__package__) / f"{name}.toml").read_text("utf-8"))
