"""Add resources to the user's catalogue files, and remove them.

There is one file for each API. Its other content stays unchanged.
"""

import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tomlkit
from tomlkit.exceptions import TOMLKitError

from unified_cli.catalogue import CatalogueError, load
from unified_cli.catalogue.extend import extended
from unified_cli.config import user_catalogue
from unified_cli.errors import ConfigError, UsageError
from unified_cli.runtime import Runtime
from unified_cli.storage import private_file
from unified_cli.storage.atomic_file import NotSyncedError

_BY_OPERATION = ("query", "body")
_SHOWS_FILES = "unified operations --source shows the file of each operation"


class AddedResource(NamedTuple):
    """The operations to add to a resource.

    `fields` has the known fields of a record, `query` and `body` the known parameters
    and fields by operation, all in the notation of the catalogue. `origin` says where
    the operations came from, and when.
    """

    name: str
    operations: Sequence[str]
    about: str
    origin: str
    fields: str = ""
    query: Mapping[str, str] = {}
    body: Mapping[str, str] = {}


def add(runtime: Runtime, api: str, title: str | None, resources: Sequence[AddedResource]) -> Path:
    """Add resources to the file of an API, and return its path.

    `title` is None for an API of the built-in catalogue. Raises ConfigError if the file
    cannot be used or written; it is then unchanged.
    """

    def alter(document: Any) -> None:
        table = _table_at(document, "api", api)
        if title is not None and "title" not in table:
            table["title"], table["about"] = title, title
        if "resources" not in table:
            table["resources"] = tomlkit.table()
        for resource in resources:
            _put_operations(table["resources"], resource)
            _put_missing_facts(document, api, resource)

    return _change(runtime, api, alter)


def remove(runtime: Runtime, api: str, names: Collection[str]) -> Path:
    """Remove resources from the file of an API, and return its path.

    Without `names`, remove all resources. An empty file is deleted. Raises UsageError
    if a resource is not in the file, and ConfigError like `add`.
    """

    def alter(document: Any) -> None:
        if not document:
            raise UsageError(f"no operations of {api} were added", hint=_SHOWS_FILES)
        resources = document.get("api", {}).get(api, {}).get("resources", {})
        missing = [name for name in names if name not in resources]
        if not resources or missing:
            place = "/".join([api, *missing[:1]])
            raise UsageError(
                f"{user_catalogue.path_of(runtime, api)} has no {place}",
                hint=_SHOWS_FILES,
            )
        for part in ("api", "known"):
            within = document.get(part, {}).get(api, {})
            inner = within.get("resources", {}) if part == "api" else within
            for name in names or [*inner]:
                inner.pop(name, None)
            if not inner and api in document.get(part, {}):
                del document[part][api]
            if part in document and not document[part]:
                del document[part]

    return _change(runtime, api, alter)


def _change(runtime: Runtime, api: str, alter: Callable[[Any], None]) -> Path:
    path = user_catalogue.path_of(runtime, api)
    with private_file.locked(path) as target:
        document = _document(path)
        try:
            alter(document)
            text = document.as_string()
            empty = not tomllib.loads(text).get("api")
            if not empty:
                extended(load(), text, str(path), ())
        except (TOMLKitError, CatalogueError, LookupError, TypeError, AttributeError):
            raise ConfigError(
                f"{path} cannot be edited safely in its present layout", hint="change it by hand"
            ) from None
        try:
            if empty:
                private_file.remove(target)
            else:
                private_file.replace(target, text.encode("utf-8"))
        except NotSyncedError as error:
            runtime.stderr.note(
                f"warning: the change of {path} may be lost in a power cut: {error.strerror}"
            )
    return path


def _document(path: Path) -> Any:
    try:
        text = user_catalogue.read(path)
        extended(load(), text, str(path), ())
        return tomlkit.parse(text)
    except FileNotFoundError:
        return tomlkit.document()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except (CatalogueError, TOMLKitError) as error:
        raise ConfigError(str(error), hint="repair or remove the file first") from None


def _table_at(document: Any, *names: str) -> Any:
    for at, name in enumerate(names):
        if name not in document:
            document[name] = tomlkit.table(is_super_table=at < len(names) - 1)
        document = document[name]
    return document


def _put_operations(resources: Any, resource: AddedResource) -> None:
    had = resources.get(resource.name)
    if had is None or isinstance(had, str):
        words = had.split() if had else []
        table = tomlkit.inline_table()
        table["operations"] = " ".join([*words, *resource.operations])
        table["about"], table["origin"] = resource.about, resource.origin
        resources[resource.name] = table
        return
    words = had["operations"].split()
    had["operations"] = " ".join(
        [*words, *(name for name in resource.operations if name not in words)]
    )
    had["origin"] = "; ".join(filter(None, (had.get("origin"), resource.origin)))


def _put_missing_facts(document: Any, api: str, resource: AddedResource) -> None:
    if not (resource.fields or resource.query or resource.body):
        return
    table = _table_at(document, "known", api, resource.name)
    if resource.fields and "fields" not in table:
        table["fields"] = resource.fields
    for part in _BY_OPERATION:
        for name, words in getattr(resource, part).items():
            if part not in table:
                table[part] = tomlkit.inline_table()
            table[part].setdefault(name, words)
