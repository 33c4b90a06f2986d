"""The parameters of a download, from the record whose file it is."""

import json
from typing import NamedTuple

from unified_cli.catalogue import Operation
from unified_cli.cli.options import DownloadOptions
from unified_cli.errors import UsageError
from unified_cli.json_text.members import parts, string


def texts(record: bytes) -> dict[str, str]:
    """The members of a record that are texts; `file_url`, if missing, is the link among its `urls`."""
    members = parts(record.strip()) or {}
    found = {name: string(value) for name, value in members.items() if value.startswith(b'"')}
    if "file_url" not in found and (link := _link(members.get("urls", b""))):
        found["file_url"] = link
    return found


def _link(urls: bytes) -> str | None:
    """The URL to download from, among the links of a record."""
    links = json.loads(urls) if urls.startswith(b"[") else []
    found = [link for link in links if isinstance(link, dict) and isinstance(link.get("url"), str)]
    best = [link["url"] for link in found if link.get("type") == "download"]
    return next(iter(best or [link["url"] for link in found]), None)


class Parameters(NamedTuple):
    """The parameters of a download from a record, as typed with `-q` and `-f`."""

    query: tuple[str, ...]
    raw_field: tuple[str, ...] = ()

    def added_to(self, options: DownloadOptions) -> DownloadOptions:
        """The options with these parameters added."""
        return options.replaced(query=(*options.query, *self.query), raw_field=(*options.raw_field, *self.raw_field))


def parameters(operation: Operation, record: dict[str, str]) -> Parameters | None:
    """The parameters of a download that the record contains; None where it has to be looked up by its id.

    A download of which no parameter is known takes the id.
    """
    facts = operation.facts
    query = [field.name for field in facts.query.get(operation.name, ()) if field.name in record]
    body = [field.name for field in facts.body.get(operation.name, ()) if field.name in record]
    if not query and not body:
        if "id" not in record:
            raise UsageError("the record has neither a URL nor an id")
        taken = facts.query.get(operation.name) or facts.body.get(operation.name)
        return None if taken else Parameters((f"id={record['id']}",))
    return Parameters(
        tuple(f"{name}={record[name]}" for name in query), tuple(f"{name}={record[name]}" for name in body)
    )
