"""Change the config file, but keep its comments and order. A change that would break
the file is not saved.
"""

import copy
import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Null, Table as WrittenTable

from unified_cli import hints
from unified_cli.config import file, profiles
from unified_cli.errors import ConfigError, UsageError
from unified_cli.masking import visible
from unified_cli.runtime import Runtime
from unified_cli.storage import names, permissions, private_file
from unified_cli.storage.atomic_file import NotSyncedError
from unified_cli.values import OpenTomlTable, Toml, TomlTable

Table = OpenTomlTable


class Draft:
    """The content of the file as dictionaries, to be changed."""

    def __init__(self, data: Table) -> None:
        self.data = data

    def empty(self, *, outer: bool = False) -> Table:
        """Return a new table. An `outer` table only contains tables."""
        del outer
        return {}

    def put_on_top(self, key: str, value: Any) -> None:
        """Add a key at the top of the file."""
        self.data[key] = value

    @property
    def profiles(self) -> Mapping[str, Table]:
        """The profiles' tables by name."""
        result: Mapping[str, Table] = self.data.get("profiles", {})
        return result

    def add(self, name: str, values: TomlTable) -> None:
        """Add a profile. Raises UsageError if the name exists."""
        if name in self.profiles:
            raise UsageError(
                f'a profile named "{name}" already exists',
                hint=f"{_set_command(name, values)} changes it",
            )
        if "profiles" not in self.data:
            self.data["profiles"] = self.empty(outer=True)
        table = self.empty()
        for key, value in values.items():
            table[key] = value
        self.data["profiles"][name] = table

    def set(self, name: str | None, values: TomlTable) -> None:
        """Set keys of a profile.

        If `name` is None, set them at the top of the file. The value None removes a
        key.
        """
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

    def rename(self, name: str, new: str) -> None:
        """Rename a profile, without moving it."""
        self.table(name)
        self.data["profiles"] = {
            new if one == name else one: table for one, table in self.profiles.items()
        }

    def table(self, name: str) -> Table:
        """Return the profile of that name. Raises ConfigError if it does not exist."""
        if name not in self.profiles:
            raise profiles.unknown_name(self.profiles, name)
        return self.profiles[name]


class Document(Draft):
    """A draft that preserves the text of the file."""

    data: tomlkit.TOMLDocument

    def __init__(self, text: str) -> None:
        super().__init__(tomlkit.parse(text if text.endswith("\n") or not text else f"{text}\n"))
        self._ended_blank = text.endswith("\n\n")

    def empty(self, *, outer: bool = False) -> Table:
        """Return a new table. An `outer` table only contains tables, and has no
        header.
        """
        return tomlkit.table(is_super_table=outer)

    def put_on_top(self, key: str, value: Any) -> None:
        """Add a key after the last key at the top.

        A comment below that key comes after the new key.
        """
        body = self.data.body
        keys = [
            index
            for index, (name, item) in enumerate(body)
            if name is not None and not isinstance(item, (WrittenTable, AoT, Null))
        ]
        item = tomlkit.item(value)
        item.trivia.trail = "\n"
        index = keys[-1] + 1 if keys else 0
        body.insert(index, (tomlkit.key(key), item))
        if not keys and len(body) > 1:
            body.insert(1, (None, tomlkit.ws("\n")))

    def rename(self, name: str, new: str) -> None:
        """Rename a profile in its header, so that its comments stay."""
        header = rf"^(\s*\[\s*profiles\s*\.\s*)([\"']?){re.escape(name)}\2(\s*\])"
        written = f'"{new}"' if "." in new else new
        text, found = re.subn(
            header,
            lambda match: f"{match[1]}{written}{match[3]}",
            self.data.as_string(),
            flags=re.MULTILINE,
        )
        if found:
            self.data = tomlkit.parse(text)
        else:
            table = self.table(name)
            del self.data["profiles"][name]
            self.data["profiles"][new] = table

    def text(self) -> str:
        """Return the changed text."""
        text = self.data.as_string()
        return text if self._ended_blank or not text.endswith("\n\n") else text.rstrip("\n") + "\n"


Alter = Callable[[Draft], None]


def change(
    runtime: Runtime,
    alter: Alter,
    *,
    touched: Iterable[str] = (),
    first: Callable[[], None] = lambda: None,
) -> Path:
    """Apply `alter` to the config file, save it, and return its path.

    After the change, the `touched` profiles and the top of the file must be valid.
    Errors in other profiles are ignored. `first` is called after all checks, before the
    file is replaced. Raises ConfigError if the file is invalid, not private or not
    writable; it is then unchanged.
    """
    path = file.locate(runtime)
    if path is None:
        raise ConfigError("no home directory for the config file", hint=hints.SET_HOME)
    with private_file.locked(path, runtime.stderr.note) as target:
        text = _read(path)
        before = file.load(path, text)
        wanted = copy.deepcopy(before)
        alter(Draft(wanted))
        _check_result(path, wanted, touched)
        _check_names(runtime, path, before.get("profiles", {}), wanted.get("profiles", {}))
        if wanted != before:
            try:
                private_file.replace(target, _rewritten(path, text, wanted, alter), first)
            except NotSyncedError as error:
                runtime.stderr.note(
                    f"warning: the change of {path} may be lost in a power cut: {error.strerror}"
                )
        else:
            first()
    return path


def _read(path: Path) -> bytes:
    found = file.content(path)
    if found is None:
        return b""
    text, status = found
    data = file.load(path, text)
    if problem := file.shape(data):
        raise file.with_path(path, problem)
    if permissions.readable_by_others(status) and file.holds_token(data, data.get("profiles", {})):
        raise ConfigError(
            f"{path} holds a token and others can read it", hint=hints.make_private(path)
        )
    return text


def _check_result(path: Path, data: TomlTable, touched: Iterable[str]) -> None:
    found = [*file.table_problems(file.top_of(data), None)]
    for name in touched:
        found += file.table_problems(data.get("profiles", {}).get(name, {}), name)
    if found:
        raise file.with_path(path, found[0])


def _check_names(runtime: Runtime, path: Path, before: TomlTable, wanted: TomlTable) -> None:
    """Raise UsageError if two profile names would be the same file name on some file
    systems.
    """
    new = [name for name in wanted if name not in before]
    for folder in filter(None, (path.parent, runtime.folder("cache"))):
        if pair := names.find_same(folder, new, before):
            raise UsageError(
                f'profiles "{pair[0]}" and "{pair[1]}" would share files: the disk of {folder}'
                " does not distinguish these names",
                hint="choose another name",
            )


def _rewritten(path: Path, text: bytes, wanted: TomlTable, alter: Alter) -> bytes:
    old = text.decode("utf-8")
    try:
        document = Document(old)
        alter(document)
        result = document.text()
        # tomlkit keeps comments and order. Check that its result has the right content.
        right = tomllib.loads(result) == wanted
    except (TOMLKitError, ValueError, LookupError, TypeError):
        right = False
    if not right:
        raise ConfigError(
            f"{path} cannot be edited safely in its present layout", hint="change it by hand"
        )
    return result.encode("utf-8")


def _set_command(name: str, values: TomlTable) -> str:
    words = [shlex.quote(visible(f"{key}={_typed(key, value)}")) for key, value in values.items()]
    return " ".join(["unified profile set", name, *(words or ["KEY=VALUE"])])


def _typed(key: str, value: Toml) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value)) if key == "tags" else json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
