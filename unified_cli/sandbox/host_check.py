"""Who may send requests to a sandbox on a port: by default programs of this machine, never a web page."""

import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import TYPE_CHECKING

from unified_cli.errors import UsageError
from unified_cli.sandbox.messages import Refusal

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

_NAME = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.IGNORECASE)
_ABSOLUTE = re.compile(r"https?://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)
_OURS = ("127.0.0.1", "localhost", "[::1]")


def check_names(names: Iterable[str]) -> None:
    """Raise UsageError for a name of a host that is none, such as a pattern."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(f"--allow-host {name}: not a host name (NAME or NAME:PORT, without wildcards)")


class HostCheck:
    """The names that a request may give in its Host header, and whether other machines may send any.

    A page of another site reaches a loopback port through its visitor's browser. The browser always sends its Origin;
    where the page makes its own name resolve to this machine, the Host is that name.
    """

    def __init__(self, port: int, allowed: Iterable[str], *, others: bool) -> None:
        """`allowed` are exact names: `NAME`, with any port, or `NAME:PORT`."""
        self._hosts = {f"{name}:{port}" for name in _OURS} | {name.lower() for name in allowed}
        self._others = others

    def check(self, environ: "WSGIEnvironment") -> None:
        """Raise Refusal for what may not pass: 403 for other machines and web pages, 421 for another Host."""
        if not self._others and not _near(str(environ.get("REMOTE_ADDR", ""))):
            raise Refusal(403, "the sandbox answers this machine only")
        authority, _ = in_origin_form(environ.get("REQUEST_URI", ""))
        host = (environ.get("HTTP_HOST", "") if authority is None else authority).lower()
        if host not in self._hosts and re.sub(r":\d*$", "", host) not in self._hosts:
            raise Refusal(421, "the sandbox is not this host (sandbox serve --allow-host NAME adds a name)")
        if "HTTP_ORIGIN" in environ or environ.get("HTTP_SEC_FETCH_SITE", "none") != "none":
            raise Refusal(403, "the sandbox does not answer web pages")


def in_origin_form(target: str) -> tuple[str | None, str]:
    """The host that a request line names, None where it is left to the Host header, and the target without it.

    A client that takes this machine for a proxy sends the whole address; a server has to understand that too.
    """
    found = _ABSOLUTE.match(target)
    if found is None:
        return None, target
    return found[1], found[2] if found[2].startswith("/") else f"/{found[2]}"


def _near(address: str) -> bool:
    try:
        return ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False
