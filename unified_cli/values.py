"""Define the types of JSON and TOML values."""

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

Json = Any
"""A JSON value, decoded."""

JsonObject = dict[str, Json]
"""A JSON object as a dictionary."""

JsonColumns = Mapping[str, Sequence[Json]]
"""JSON objects with the same members, as columns: the values of each member.
"""

Toml = Any
"""A value of a TOML file."""

TomlTable = Mapping[str, Toml]
"""A table of a TOML file."""

OpenTomlTable = MutableMapping[str, Toml]
"""A table of a TOML file that is being changed."""
