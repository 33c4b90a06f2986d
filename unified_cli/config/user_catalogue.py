"""Extend the catalogue with the user's TOML files in `catalogue.d` of the configuration
folder.
"""

import os
from collections.abc import Collection
from pathlib import Path

from unified_cli import hints
from unified_cli.catalogue import Catalogue, CatalogueError, load
from unified_cli.catalogue.extend import extended
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime
from unified_cli.storage import permissions, regular_file

_FOLDER = "catalogue.d"
_LARGEST = 1024 * 1024


def own_catalogue(runtime: Runtime, reserved: Collection[str]) -> Catalogue:
    """Return the built-in catalogue, extended by each valid file.

    Invalid files are ignored with a warning. `reserved` are the names of commands,
    which an API cannot have.
    """
    catalogue = load()
    home = runtime.folder("config")
    if home is None:
        return catalogue
    folder = home / _FOLDER
    try:
        _check_private(folder, folder.stat())
        for path in sorted(folder.glob("*.toml")):
            catalogue = _with(runtime, catalogue, path, reserved)
    except (FileNotFoundError, NotADirectoryError):
        pass  # The folder is optional.
    except (OSError, CatalogueError) as error:
        _warn(runtime, error, folder)
    return catalogue


def _with(
    runtime: Runtime, catalogue: Catalogue, path: Path, reserved: Collection[str]
) -> Catalogue:
    try:
        catalogue, ignored = extended(catalogue, read(path), str(path), reserved)
    except (OSError, CatalogueError) as error:
        _warn(runtime, error, path)
        return catalogue
    for line in ignored:
        runtime.stderr.line(f"warning: {line}")
    return catalogue


def path_of(runtime: Runtime, api: str) -> Path:
    """Return the file for additions to an API. Raises ConfigError without a home
    directory.
    """
    home = runtime.folder("config")
    if home is None:
        raise ConfigError("no home directory for the catalogue's files", hint=hints.SET_HOME)
    return home / _FOLDER / f"{api}.toml"


def read(path: Path) -> str:
    """Return the text of a catalogue file.

    Raises OSError if reading fails. Raises CatalogueError if other users can write the
    file, or if the file is too large or not UTF-8.
    """
    with os.fdopen(regular_file.descriptor(path, follow=True), "rb") as file:
        _check_private(path, os.fstat(file.fileno()))
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise CatalogueError(f"{path} is larger than 1 MiB, too large for a catalogue")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CatalogueError(f"{path}:{line}: not UTF-8") from None


def _check_private(path: Path, status: os.stat_result) -> None:
    if found := permissions.problem(path, status):
        raise CatalogueError(f"{found.reason}, so it is ignored ({found.hint})")


def _warn(runtime: Runtime, error: OSError | CatalogueError, path: Path) -> None:
    message = f"cannot read {path}: {error.strerror}" if isinstance(error, OSError) else str(error)
    runtime.stderr.line(f"warning: {message}")
