"""Who may talk to a sandbox on a port: programs of this machine, never a web page."""

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Any

from unified_cli.sandbox.messages import Refusal


def admit(environ: Mapping[str, Any], hosts: Iterable[str]) -> None:
    """Let a request pass, or raise Refusal: 403 for strangers and web pages, 421 for a host that is not us.

    A page of another site reaches a loopback port through its visitor's browser. It cannot help sending its Origin, and
    where it makes its own name point at this machine, the Host is that name.
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
