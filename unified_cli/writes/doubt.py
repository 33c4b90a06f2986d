"""Explain why calls in doubt are not repeated.

A call is in doubt if the service may or may not have carried it out. This module also
finds the commands that show whether such calls were done, and the commands that repeat
them with the same keys.
"""

import json
import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.writes import renewal
from unified_cli.writes.entry import RunCall

_LONGEST_BODY = 1000


class DoubtfulCall(NamedTuple):
    """A call in doubt, its body, and its idempotency key."""

    call: RunCall
    body: bytes | None
    key: str


def rule(operation: Operation, window: float) -> str:
    """Return the message that explains why calls in doubt are not repeated.

    `window` is how long the service remembers idempotency keys, in seconds.
    """
    if operation.command == renewal.COMMAND:
        return "calls in doubt are not repeated: the credentials may have been renewed"
    if operation.outward:
        affects = "may affect" if operation.source else "affects"
        return (
            f"calls in doubt are not repeated: {operation.name} {affects} people, and"
            " these calls may have been carried out"
        )
    return (
        f"calls in doubt are not repeated: the service remembers an idempotency key"
        f" for only {window:.0f} s, and this time has passed"
    )


def check_command(
    catalogue: Catalogue, doubtful: DoubtfulCall, selection: Sequence[str]
) -> str | None:
    """Return the command that shows whether a call was carried out, or None.

    `selection` has the options that select the connections.
    """
    call = doubtful.call
    if call.operation == renewal.COMMAND:
        return renewal.SHOWS_RESULT
    api, resource, name = call.operation.split(" ")
    operations = catalogue.apis[api].resources[resource].operations
    # The service chooses the id of a new record, and ignores the id in the body.
    identifier = call.id if name == "create" else call.id or identifier_in(doubtful.body, resource)
    if "get" in operations and identifier:
        words = [api, resource, "get", identifier]
    elif "list" in operations and name == "create":
        words = [api, resource, "list", "--since", "1d"]
    else:
        return None
    return _line(words, selection)


def repeat_command(doubtful: DoubtfulCall, selection: Sequence[str]) -> str | None:
    """Return the command that repeats a call with the same key.

    Returns None if the call has no key, or if its body does not fit on a command line.
    """
    call, body, key = doubtful
    if not key or len(body or b"") > _LONGEST_BODY:
        return None
    if call.operation == renewal.COMMAND:
        return _line([*call.operation.split(" "), "--yes"], selection)
    words = [*call.operation.split(" "), *([call.id] if call.id else [])]
    for name, value in call.query:
        words += ["-q", f"{name}={value}"]
    if body:
        words += ["-d", body.decode("utf-8")]
    return _line([*words, "--idempotency-key", key, "--yes"], selection)


def profile_option(profile: str | None) -> list[str]:
    """Return the options that select a profile, or all that match a pattern."""
    return ["-p", profile] if profile else []


def _line(words: Iterable[str], selection: Sequence[str]) -> str:
    return shlex.join(["unified", *words, *selection])


def identifier_in(body: bytes | None, resource: str) -> str | None:
    """Return the id of a record of this resource that a body contains, or None."""
    try:
        members = json.loads(body or b"{}")
    except ValueError:
        return None
    singular = resource.replace("-", "_").removesuffix("s")
    found = members if isinstance(members, dict) else {}
    value = found.get(f"{singular}_id", found.get("id"))
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None
