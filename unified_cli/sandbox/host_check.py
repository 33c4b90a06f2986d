"""Who may send requests to a sandbox on a port: programs of this machine, never a web page."""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import TYPE_CHECKING

from unified_cli.sandbox.messages import Refusal

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment


def check(environ: "WSGIEnvironment", hosts: Iterable[str]) -> None:
    """Raise Refusal for what may not pass: 403 for other machines and web pages, 421 for a Host not among `hosts`.

    A page of another site reaches a loopback port through its visitor's browser. The browser always sends its Origin;
    where the page makes its own name resolve to this machine, the Host is that name.
    """
    if not _near(str(environ.get("REMOTE_ADDR", ""))):
        raise Refusal(403, "the sandbox answers this machine only")
    if environ.get("HTTP_HOST", "").lower() not in hosts:
        raise Refusal(421, "the sandbox is not this host")
    if "HTTP_ORIGIN" in environ or environ.get("HTTP_SEC_FETCH_SITE", "none") != "none":
        raise Refusal(403, "the sandbox does not answer web pages")


def _near(address: str) -> bool:
    try:
        return ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False
