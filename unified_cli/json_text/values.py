"""Values that come from outside: what JSON and TOML hold, of which the program knows no more than that."""

from collections.abc import Mapping, MutableMapping
from typing import Any

Json = Any
"""A JSON value, decoded."""

JsonObject = dict[str, Json]
"""A JSON object, decoded or about to be encoded."""

Toml = Any
"""A value of a TOML file."""

TomlTable = Mapping[str, Toml]
"""A table of a TOML file."""

OpenTomlTable = MutableMapping[str, Toml]
"""A table of a TOML file that is being changed."""
