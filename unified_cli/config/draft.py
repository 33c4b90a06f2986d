"""Changes to a config file's data: add a profile, set and unset keys, remove a profile."""

from collections.abc import Mapping
from typing import Any

from unified_cli.config import profiles
from unified_cli.errors import UsageError
from unified_cli.json_text.values import OpenTomlTable, TomlTable

Table = OpenTomlTable


class Draft:
    """The file's data while it is changed, as plain dictionaries."""

    def __init__(self, data: Table) -> None:
        self.data = data

    def empty(self, *, outer: bool = False) -> Table:
        """A new table, `outer` if it only contains tables."""
        del outer
        return {}

    def put_on_top(self, key: str, value: Any) -> None:
        """Add a key to the top of the file."""
        self.data[key] = value

    @property
    def profiles(self) -> Mapping[str, Table]:
        """The profiles' tables by name."""
        found: Mapping[str, Table] = self.data.get("profiles", {})
        return found

    def add(self, name: str, values: TomlTable) -> None:
        """Add a profile. Raises UsageError if one of that name exists."""
        if name in self.profiles:
            raise UsageError(f'a profile named "{name}" already exists', hint=f"unified profile set {name} changes it")
        if "profiles" not in self.data:
            self.data["profiles"] = self.empty(outer=True)
        table = self.empty()
        for key, value in values.items():
            table[key] = value
        self.data["profiles"][name] = table

    def set(self, name: str | None, values: TomlTable) -> None:
        """Set the keys of a profile, or of the top of the file if `name` is None; the value None unsets."""
        table = self.data if name is None else self.table(name)
        for key, value in values.items():
            if value is not None and name is None and key not in table:
                self.put_on_top(key, value)
            elif value is not None:
                table[key] = value
            elif key in table:
                del table[key]

    def remove(self, name: str) -> None:
        """Remove a profile."""
        self.table(name)
        del self.data["profiles"][name]
        if not self.profiles:
            del self.data["profiles"]

    def table(self, name: str) -> Table:
        """The profile of that name. Raises ConfigError if there is none."""
        if name not in self.profiles:
            raise profiles.unknown(self.profiles, name)
        return self.profiles[name]
