"""Types of values from JSON and TOML."""

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

Json = Any
"""A JSON value, decoded."""

JsonObject = dict[str, Json]
"""A JSON object, decoded or about to be encoded."""

JsonColumns = Mapping[str, Sequence[Json]]
"""JSON objects with the same members: by the name of a member its values, one for each
object.
"""

Toml = Any
"""A value of a TOML file."""

TomlTable = Mapping[str, Toml]
"""A table of a TOML file."""

OpenTomlTable = MutableMapping[str, Toml]
"""A table of a TOML file that is being changed."""
