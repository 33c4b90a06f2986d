"""Change the config file: one change at a time, with comments and order preserved, and never into a broken file."""

import copy
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

from unified_cli import hints
from unified_cli.config import file
from unified_cli.config.draft import Draft
from unified_cli.errors import ConfigError
from unified_cli.json_text.values import TomlTable
from unified_cli.runtime import Runtime
from unified_cli.storage import permissions, private_file
from unified_cli.storage.atomic_file import NotSyncedError

Alter = Callable[[Draft], None]


def change(
    runtime: Runtime, alter: Alter, *, touched: Iterable[str] = (), first: Callable[[], None] = lambda: None
) -> Path:
    """Apply `alter` to a draft of the config file, save it, and return its path.

    `touched` names the profiles that must be valid afterwards, besides the top of the file: an unknown key in another
    profile does not prevent the change. `first` runs after all checks and before the file is replaced.
    Raises ConfigError if the file is broken, not private enough or not writable; then it is unchanged.
    """
    path = file.locate(runtime)
    if path is None:
        raise ConfigError("no home directory for the config file", hint=hints.SET_HOME)
    with private_file.locked(path) as target:
        text = _read(path)
        before = file.load(path, text)
        wanted = copy.deepcopy(before)
        alter(Draft(wanted))
        _check_result(path, wanted, touched)
        if wanted != before:
            try:
                private_file.replace(target, _rewritten(path, text, wanted, alter), first)
            except NotSyncedError as error:
                runtime.stderr.note(f"warning: the change of {path} may be lost in a power cut: {error.strerror}")
        else:
            first()
    return path


def _read(path: Path) -> bytes:
    found = file.content(path)
    if found is None:
        return b""
    text, status = found
    data = file.load(path, text)
    _check_shape(path, data)
    if permissions.readable_by_others(status) and file.holds_token(data, data.get("profiles", {})):
        raise ConfigError(f"{path} holds a token and others can read it", hint=hints.make_private(path))
    return text


def _check_shape(path: Path, data: TomlTable) -> None:
    if found := file.shape(data):
        raise file.located(path, found)


def _check_result(path: Path, data: TomlTable, touched: Iterable[str]) -> None:
    top = {name: value for name, value in data.items() if name != "profiles"}
    found = [*file.table_problems(top, None)]
    for name in touched:
        found += file.table_problems(data.get("profiles", {}).get(name, {}), name)
    if found:
        raise file.located(path, found[0])


def _rewritten(path: Path, text: bytes, wanted: TomlTable, alter: Alter) -> bytes:
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415  only for what changes the file

    from unified_cli.config.toml_document import Document  # noqa: PLC0415  as above

    old = text.decode("utf-8")
    try:
        document = Document(old)
        alter(document)
        result = document.text()
        # tomlkit preserves comments and order; its result is checked, because it must mean exactly what was wanted.
        right = tomllib.loads(result) == wanted
    except (TOMLKitError, ValueError, LookupError, TypeError):
        right = False
    if not right:
        raise ConfigError(f"{path} cannot be edited safely in its present layout", hint="change it by hand")
    return result.encode("utf-8")
