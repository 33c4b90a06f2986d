"""One fault: the server's script, the command, and everything that must be true
afterwards.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from faults.script import Script, reply

LIST = "ticketing tickets list"
GET = "ticketing tickets get 42"
CREATE = "ticketing tickets create -f name=x"
UPDATE = "ticketing tickets update 42 -f name=x"
DELETE = "ticketing tickets delete 42 -y"
SEND = "emails emails send -f subject=x"
"""An action that is felt outside, so never repeated in doubt."""

PAGE = b'{"result":[{"id":"1"}],"next_cursor":null}'


@dataclass(frozen=True)
class Case:
    """One fault. In every text and every answer `@ORIGIN@`, `@EVIL@`, `@PORT@`,
    `@TOKEN@`, `@HOME@` are replaced by values.

    `stderr` are patterns that must be found there, `never` ones that must not.
    `requests` is how many the server must have read, or one pattern for each. `waits`
    are the least and the most seconds slept in total. Nothing may be on stdout after a
    failure unless `stdout` says so, and no file may be there that was not before unless
    in `creates`.
    """

    command: str | Sequence[str] = LIST
    server: Script = (reply(PAGE),)
    exit: int = 0
    stderr: Sequence[str] = ()
    never: Sequence[str] = ()
    stdout: bytes | Callable[[], bytes] | None = None
    shows: object = None
    """The JSON value on a terminal at stdout, written so that the terminal obeys
    nothing in it.
    """
    calm: bool = False
    """Nothing on stdout is anything that a terminal obeys."""
    requests: int | Sequence[bytes] | None = None
    connections: int | None = None
    waits: tuple[float, float] | None = None
    one_key: bool = False
    """All requests carry the same idempotency key, and the message of a failure names
    it.
    """
    environ: Mapping[str, str | None] = field(default_factory=dict)
    files: Mapping[str, tuple[bytes, int]] = field(default_factory=dict)
    folders: Mapping[str, int] = field(default_factory=dict)
    """Modes of folders, once the files are in them."""
    creates: Mapping[str, tuple[bytes, int]] = field(default_factory=dict)
    stdin: bytes = b""
    tty: bool = False
    tls: str | None = None
    """The kind of certificate of a TLS origin at https://localhost; None for clear text
    on loopback.
    """
    tunnel: str | None = None
    """The kind of certificate shown behind a proxy's CONNECT."""
    names: Callable[[str], Sequence[str]] | None = None
    """How the machine looks up names: gives addresses or raises what getaddrinfo
    would.
    """
    hole: bool = False
    """127.0.0.9 takes no more connections on the origin's port: further clients are
    left waiting.
    """
    timeout: float = 120
    """The deadline that the command works under."""
    process: bool = False
    """Run as a process of its own: for what a process has, such as an argv."""
    world: Mapping[str, Any] = field(default_factory=dict)
    """Parts of the Runtime that are otherwise than usual."""


def listing(*, status: int = 200, body: bytes = PAGE, **headers: str) -> bytes:
    """A page, or a failure, with further headers; `_` in their names is a dash."""
    return reply(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


def envelope(status: int, message: str = "no luck", **more: object) -> bytes:
    """The service's own error object."""
    return json.dumps({"statusCode": status, "error": "Error", "message": message, **more}).encode()


def failure(
    status: int, message: str = "no luck", headers: Mapping[str, str] | None = None, **more: object
) -> bytes:
    """An answer with the service's own error object."""
    return reply(envelope(status, message, **more), status, headers)
