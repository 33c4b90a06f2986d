"""The sockets that a served sandbox listens on."""

import errno
import os
import socket
from ipaddress import ip_address

from unified_cli.errors import StorageError, UsageError

_BACKLOG = 1024


def listen(port: int, host: str | None = None) -> list[socket.socket]:
    """Sockets on `host`; without one on 127.0.0.1 and, where this machine has it, on ::1, both on one port.

    Raises UsageError for a port that is none or a host that is not found, StorageError where the port cannot be used.
    """
    if not 0 <= port <= 65_535:
        raise UsageError(f"there is no port {port} (0 takes a free one)")
    first = _socket(host or "127.0.0.1", port)
    if host is not None:
        return [first]
    try:
        second = socket.create_server(("::1", first.getsockname()[1]), family=socket.AF_INET6, backlog=_BACKLOG)
    except OSError as error:
        # Without IPv6, or where the port is taken there, 127.0.0.1 alone is enough.
        if error.errno == errno.EMFILE:
            raise
        return [first]
    return [first, second]


def is_loopback(listening: socket.socket) -> bool:
    """Whether only programs of this machine reach the socket."""
    return ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def address_of(listening: socket.socket) -> tuple[str, int]:
    """The host, as a URL spells it, and the port where this machine reaches the socket."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  compared, not bound
    return f"[{host}]" if ":" in host else host, port


def _socket(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise UsageError(f"--host {host}: no address of that name is known here") from None
    try:
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        # Python's own text repeats the address as a tuple.
        reason = os.strerror(error.errno) if error.errno else str(error)
        hint = "--port 0 takes a free one" if error.errno == errno.EADDRINUSE else "is it an address of this machine?"
        raise StorageError(f"cannot listen on {host}, port {port}: {reason}", hint=hint) from error
