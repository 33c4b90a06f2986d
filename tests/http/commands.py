"""Commands of every kind, with a service whose answers make them end in every way."""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from pages import offer, served
from server import Reply, Seen, Service

BYTES = {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": 'attachment; filename="a.bin"',
}
PROFILES = "".join(
    f'[profiles.{name}]\naccount_id = "{name}"\n' for name in ("acme", "globex", "initech")
)


class Command(NamedTuple):
    """A command line and how it ends; `{name}` is a file beside it."""

    line: str
    code: int = 0
    stdin: bytes = b""


COMMANDS: Mapping[str, Command] = {
    "a page": Command("ticketing tickets list"),
    "a table": Command("ticketing tickets list -o table --columns id,name"),
    "all pages": Command("ticketing tickets list --all -o ndjson"),
    "all pages in a file": Command("ticketing tickets list --all -o csv --out {list.csv}"),
    "what changed lately": Command("ticketing tickets list --since 7d"),
    "a record": Command("ticketing tickets get t-1 -o json"),
    "not found": Command("ticketing tickets get gone", 4),
    "a create": Command("ticketing tickets create -f name=x"),
    "an update": Command("ticketing tickets update t-1 -F 'tags[]=1'"),
    "a delete": Command("ticketing tickets delete t-1 --yes"),
    "an action": Command("user-directory users suspend -f user_id=u1"),
    "a write in doubt": Command("ticketing contacts create -f name=doubt", 10),
    "not authorised": Command("ticketing comments list", 7),
    "limited, then answered": Command("ticketing tags list"),
    "limited for too long": Command("ticketing teams list --timeout 5", 8),
    "failing, then answered": Command("voice calls list"),
    "damaged, then answered": Command("ats jobs list"),
    "a web page": Command("ats candidates list", 5),
    "a download": Command("ticketing attachments download -f id=1 --out {file}"),
    "a redirect": Command("ats offers list"),
    "any path": Command("request GET /unified/ticketing/tickets -q limit=1"),
    "several connections": Command("-p '*' ticketing tickets list --all -o ndjson --ordered", 9),
    "an export": Command(
        "-p acme -p initech export ticketing/tickets ticketing/tags --to {dump} --workers 1"
    ),
    "an import": Command("import ticketing/contacts {records.ndjson} --workers 1", 9),
    "updates from a pipe": Command("ticketing tickets update - -f name=y", stdin=b"t-1\nt-2\n"),
    "a test of connections": Command("profile test acme initech -o json"),
    "connections": Command("connections list -o json"),
}
RECORDS = b"".join(b'{"name":"%s"}\n' % name for name in (b"one", b"failing", b"three", b"refused"))


def answers(service: Service) -> None:
    """Have the service answer the commands, each anew: what fails once fails once for
    each connection.
    """
    asked: Counter[tuple[str, ...]] = Counter()

    def reply(seen: Seen) -> Reply:
        query = dict(seen.query)
        account, resource = query.get("integrated_account_id", ""), seen.path.split("/")[3:4]
        asked[account, seen.path, seen.body.decode()] += 1
        first = asked[account, seen.path, seen.body.decode()] == 1
        if seen.path == "/integrated-account":
            connection = {"id": "acme", "context": {"access_token": "ctx-1"}, "status": "active"}
            return served({"result": [connection], "next_cursor": None})
        if seen.path.endswith("/capabilities"):
            return served(offer({"ticketing": {"tickets": ["list"]}}, account={"status": "active"}))
        if seen.path.startswith("/integrated-account/"):
            return served(
                {"id": seen.segments[1], "context": {"access_token": "ctx-1"}, "status": "active"}
            )
        if account == "globex":
            return served({"statusCode": 403, "error": "Forbidden", "message": "not yours"}, 403)
        special = _SPECIAL.get(resource[0] if resource else "")
        if special and (found := special(seen, first)):
            return found
        return _ordinary(seen)

    service.reply = reply


def _ordinary(seen: Seen) -> Reply:
    if seen.method == "DELETE":
        return Reply(204, b"", {})
    if seen.method != "GET":
        return served({"id": "new", **json.loads(seen.body)})
    if seen.path.endswith("/t-1"):
        return served(b'{ "id": "t-1", "amount": 1.10, "big": 12345678901234567890123 }')
    if seen.path.endswith("/gone"):
        return served({"statusCode": 404, "error": "Not Found", "message": "no such ticket"}, 404)
    cursor = dict(seen.query).get("next_cursor")
    records = [
        {"id": f"t-{number}", "name": "näme"} for number in (range(3) if cursor else range(3, 6))
    ]
    return served({"result": records, "next_cursor": None if cursor else "c1"})


def _contacts(seen: Seen, first: bool) -> Reply | None:
    name = json.loads(seen.body or b"{}").get("name")
    if name == "doubt" or (name == "failing" and first):
        return served({"message": "boom"}, 500)
    return (
        served({"statusCode": 422, "error": "Invalid", "message": "refused"}, 422)
        if name == "refused"
        else None
    )


def _limited(_: Seen, first: bool) -> Reply | None:
    said = b'{"statusCode":429,"error":"Too Many","message":"slow"}'
    return (
        Reply(429, said, {"Content-Type": "application/json", "Retry-After": "2"})
        if first
        else None
    )


def _damaged(_: Seen, first: bool) -> Reply | None:
    body = gzip.compress(b'{"result":[],"next_cursor":null}')
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    return Reply(200, body[:-5] if first else body, headers)


def _attachments(_: Seen, _first: bool) -> Reply | None:
    return Reply(200, bytes(range(256)) * 16, {**BYTES, "Set-Cookie": "session=cookie-1"})


def _redirected(seen: Seen, _: bool) -> Reply | None:
    if "moved" in seen.target:
        return None
    return Reply(307, b"", {"Location": f"{seen.target}&moved=1&X-Amz-Signature=signed-1"})


_SPECIAL: Mapping[str, Callable[[Seen, bool], Reply | None]] = {
    "contacts": _contacts,
    "comments": lambda *_: served(
        {"statusCode": 401, "error": "Unauthorized", "message": "no"}, 401
    ),
    "tags": _limited,
    "teams": lambda *_: Reply(429, b"", {"Retry-After": "300"}),
    "calls": lambda _, first: served({"message": "down"}, 503) if first else None,
    "jobs": _damaged,
    "candidates": lambda *_: Reply(200, b"<html>sign in</html>", {"Content-Type": "text/html"}),
    "attachments": _attachments,
    "offers": _redirected,
}


def files(folder: Path) -> dict[str, bytes]:
    """The files of a command in a folder, without their times."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith((".lock", ".json", ".unified-journal"))
    }
