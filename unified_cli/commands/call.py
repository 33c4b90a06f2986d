"""One operation, from the options given to the result on stdout: the flow that every call takes."""

import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.commands import confirm, preview
from unified_cli.config import file, select, settings
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, RefusedError, UnsafeError, UsageError
from unified_cli.output import FORMATS, stream, target
from unified_cli.runtime import Runtime
from unified_cli.wire import request as requests
from unified_cli.wire.request import Request

if TYPE_CHECKING:
    from unified_cli.commands.connect import Clients

Given = Mapping[str, Any]
_LONGEST_KEY = 255


def operation(runtime: Runtime, catalogue: Catalogue, asked: Operation, given: Given) -> None:
    """Call an operation of the catalogue."""
    if given.get("skeleton"):
        from unified_cli.commands import skeleton  # noqa: PLC0415  only where it is asked for

        skeleton.show(runtime, asked)
        return
    if given.get("from_"):
        from unified_cli.commands import download  # noqa: PLC0415  as above

        download.many(runtime, catalogue, asked, given)
        return
    if given.get("id") == "-":
        from unified_cli.commands import piped  # noqa: PLC0415  as above

        piped.run(runtime, catalogue, asked, given)
        return
    resolved = resolve(runtime, given)
    send(runtime, catalogue, resolved, build(runtime, catalogue, resolved, asked, given), given)


def build(runtime: Runtime, catalogue: Catalogue, resolved: Settings, asked: Operation, given: Given) -> Request:
    """The request for an operation, as it was asked for."""
    address, account = resolved.reachable()
    body = read_body(given, runtime, asked.method)
    if body is None and asked.kind == "action":
        # Assumption: an action wants a JSON object even where it needs nothing, as the service's own clients send one.
        body = b"{}"
    query = read_query(given)
    size = resolved["page_size"] if asked.lists else None
    if size is not None and catalogue.service.page_size not in dict(query):
        query.append((catalogue.service.page_size, str(size)))
    return requests.for_operation(
        asked,
        given.get("id"),
        address=address,
        account=account,
        service=catalogue.service,
        query=query,
        body=body,
        key=read_key(given, asked.method),
    )


def path(runtime: Runtime, catalogue: Catalogue, given: Given) -> None:
    """Call any path below the base URL."""
    resolved = resolve(runtime, given)
    address, account = resolved.reachable()
    method = given["method"].upper()
    request = requests.for_path(
        method,
        given["path"],
        address=address,
        account=account,
        service=catalogue.service,
        query=read_query(given),
        body=read_body(given, runtime, method),
        key=read_key(given, method),
    )
    send(runtime, catalogue, resolved, request, given)


def resolve(runtime: Runtime, given: Given) -> Settings:
    """The settings of the call, with what they say about talking already heeded."""
    names = given.get("profile") or [None]
    if select.is_several([name for name in names if name]):
        raise UsageError(f"-p {' -p '.join(names)} may be several connections, and this is for one")
    found = settings.resolve({**flags_of(given), "profile": names[0]}, runtime, file.read(runtime))
    check(runtime, found)
    return found


def flags_of(given: Given) -> dict[str, Any]:
    """What was given on the command line, without what was not."""
    return {name: value for name, value in given.items() if value not in (None, False, [])}


def check(runtime: Runtime, found: Settings) -> None:
    """Refuse an output format that there is not, and heed what the settings say about talking."""
    if found["output"] not in FORMATS:
        where = found.values["output"].source
        kind = UsageError if where.startswith("--") else ConfigError
        raise kind(f"{where}: no output format {found['output']!r} (there are {', '.join(FORMATS)})")
    runtime.talk.quiet = found["quiet"]
    # The profile may ask for JSON as well as the command line, which main has looked at.
    runtime.talk.machine = found["output"] in {"json", "ndjson"} and found.values["output"].source != "default"


def send(runtime: Runtime, catalogue: Catalogue, resolved: Settings, request: Request, given: Given) -> None:
    """Send the request, or show it where only that was asked for, and write the answer."""
    if (cursor := given.get("cursor")) and not cursor.startswith(requests.OWN_CURSOR):
        request = request.with_query((catalogue.service.cursor, cursor))
    if given.get("dry_run") or given.get("as_"):
        preview.show(runtime, request, given.get("as_"), ca_bundle=resolved["ca_bundle"])
        return
    check_writable(resolved, request)
    if request.operation and request.operation.kind == "delete":
        confirm.delete(runtime, resolved, request, yes=bool(given.get("yes")))
    if given.get("out") == "-":
        given = {**given, "out": None}
    request = request._replace(honoured=resolved["idempotency_window"] > 0)

    from unified_cli.commands import connect  # noqa: PLC0415  httpx is imported when a request is sent

    clients = connect.Clients(runtime, catalogue)
    try:
        _run(runtime, catalogue, clients, resolved, request, given)
    except RefusedError as error:
        from unified_cli.commands import offers  # noqa: PLC0415  only then

        offers.add(error, runtime, catalogue, clients, resolved, request)
        raise


def _run(
    runtime: Runtime, catalogue: Catalogue, clients: "Clients", resolved: Settings, request: Request, given: Given
) -> None:
    from unified_cli.commands import download, listing  # noqa: PLC0415  as above

    if given.get("wait"):
        from unified_cli.commands import wait  # noqa: PLC0415  only where it is asked for

        wait.run(runtime, catalogue, resolved, request, given)
    elif download.is_wanted(request, given, resolved["output"]):
        download.one(runtime, clients, resolved, request, given)
    elif given.get("out") and (given.get("all") or given.get("limit")):
        from unified_cli.commands import to_file  # noqa: PLC0415  only for lists in files

        to_file.run(runtime, catalogue, clients, resolved, request, given)
    elif listing.is_wanted(request, given, resolved):
        listing.run(runtime, catalogue, clients, resolved, request, given)
    else:
        _once(runtime, catalogue, clients, resolved, request, given)


def _once(
    runtime: Runtime, catalogue: Catalogue, clients: "Clients", resolved: Settings, request: Request, given: Given
) -> None:
    from unified_cli.commands import answer  # noqa: PLC0415  as above

    program = answer.program(given)
    if given.get("out"):
        target.check(Path(given["out"]), force=bool(given.get("force")))
    else:
        stream.check(runtime)
    client = clients.open(resolved)
    try:
        got = client.send(request, any_type=resolved["output"] == "raw")
        answer.write(runtime, catalogue.service, request, got, given, resolved["output"], program)
    finally:
        client.close()


def check_writable(resolved: Settings, request: Request) -> None:
    """Raise UnsafeError for a write where the profile forbids writing."""
    if request.writes and resolved["read_only"]:
        who = f'profile "{resolved.profile}"' if resolved.profile else "the configuration"
        raise UnsafeError(f"{who} is read-only; {request.method} {request.path} was not sent")


def read_query(given: Given) -> list[tuple[str, str]]:
    """The query parameters as typed with `-q`."""
    found = []
    for text in given.get("query") or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"-q {text!r} needs a value (-q NAME=VALUE)")
        found.append((name, value))
    return found


def read_body(given: Given, runtime: Runtime, method: str) -> bytes | None:
    """The JSON body made of `-d`, `-f` and `-F`; None where none of them is given."""
    data, raw, typed = given.get("data"), given.get("raw_field") or (), given.get("field") or ()
    if data is None and not raw and not typed:
        return None
    if method == "GET":
        raise UsageError("a GET has no body (for query parameters: -q NAME=VALUE)")
    from unified_cli.wire import body  # noqa: PLC0415  only where there is one

    return body.compose(data, [*_fields(raw, body.Field, raw=True), *_fields(typed, body.Field, raw=False)], runtime)


def _fields(texts: Iterable[str], make: Callable[..., Any], *, raw: bool) -> list[Any]:
    return [make(text, raw) for text in texts]


def read_key(given: Given, method: str) -> str | None:
    """The idempotency key of a POST or PATCH: the one given, else a new one; it stays for all attempts of the call."""
    key: str | None = given.get("idempotency_key")
    if method not in {"POST", "PATCH"}:
        if key is not None:
            raise UsageError(f"a {method} carries no idempotency key (leave out --idempotency-key)")
        return None
    if key is None:
        return str(uuid.uuid4())
    if not key.isascii() or not key.isprintable() or " " in key or not 1 <= len(key) <= _LONGEST_KEY:
        raise UsageError(f"--idempotency-key takes 1 to {_LONGEST_KEY} printable ASCII characters without blanks")
    return key
