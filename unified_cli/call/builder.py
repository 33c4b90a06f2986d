"""What was typed, as settings and a request: options, body, query and key are read here and nowhere else."""

import uuid
from collections.abc import Mapping
from typing import Any

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.config import file, profiles, settings
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, UnsafeError, UsageError
from unified_cli.http import request as requests
from unified_cli.http.request import Request
from unified_cli.output import FORMATS
from unified_cli.runtime import Runtime

Given = Mapping[str, Any]
"""The options and arguments of a command, by name; None, False or an empty list where one was not given."""

_LONGEST_KEY = 255


def resolve(runtime: Runtime, given: Given) -> Settings:
    """The settings of the call, with what they say about talking already heeded."""
    check_given(given)
    names = given.get("profile") or [None]
    if profiles.is_several([name for name in names if name]):
        raise UsageError(f"-p {' -p '.join(names)} may be several connections, and this is for one")
    found = settings.resolve({**flags_of(given), "profile": names[0]}, runtime, file.read(runtime))
    check(runtime, found)
    return found


def check_given(given: Given) -> None:
    """Refuse an option whose value is empty, as an unset variable of a script leaves it."""
    for name, instead in (("cursor", "begin at the beginning"), ("out", "print to standard output")):
        if given.get(name) == "":
            raise UsageError(f"--{name} is empty; leave it out to {instead}")


def flags_of(given: Given) -> dict[str, Any]:
    """What was given on the command line, without what was not."""
    return {name: value for name, value in given.items() if value not in (None, False, [])}


def check(runtime: Runtime, found: Settings) -> None:
    """Refuse an output format that there is not, and heed what the settings say about talking."""
    if found["output"] not in FORMATS:
        where = found.values["output"].source
        kind = UsageError if where.startswith("--") else ConfigError
        raise kind(f"{where}: no output format {found['output']!r} (there are {', '.join(FORMATS)})")
    runtime.stderr.quiet = found["quiet"]
    # The profile may ask for JSON as well as the command line, which main has looked at.
    runtime.stderr.machine = found["output"] in {"json", "ndjson"} and found.values["output"].source != "default"


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


def build_path(runtime: Runtime, catalogue: Catalogue, resolved: Settings, given: Given) -> Request:
    """The request for a method and a path, as they were typed."""
    address, account = resolved.reachable()
    method = given["method"].upper()
    return requests.for_path(
        method,
        given["path"],
        address=address,
        account=account,
        service=catalogue.service,
        query=read_query(given),
        body=read_body(given, runtime, method),
        key=read_key(given, method),
    )


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
    data, strings, values = given.get("data"), given.get("raw_field") or (), given.get("field") or ()
    if data is None and not strings and not values:
        return None
    if method == "GET":
        raise UsageError("a GET has no body (for query parameters: -q NAME=VALUE)")
    if given.get("token_stdin") and data in {"-", "@-"}:
        raise UsageError(f"-d {data} and --token-stdin both read standard input; put one of them into a file")
    from unified_cli.http import request_body  # noqa: PLC0415  only where there is one

    fields = [
        *(request_body.BodyField(text, raw=True) for text in strings),
        *(request_body.BodyField(text, raw=False) for text in values),
    ]
    return request_body.compose(data, fields, runtime)


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
