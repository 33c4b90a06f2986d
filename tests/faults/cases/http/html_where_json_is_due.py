"""A page for people, as a portal shows it, is not the answer."""

from faults.case import CREATE, GET, LIST, Case
from faults.script import reply

PORTAL = [reply(b"<html><title>Please log in</title>", kind="text/html; charset=utf-8")]
SAID = "the answer is HTML, not JSON"

CASES = {
    "list": Case(LIST, PORTAL, exit=5, stderr=[SAID], requests=1),
    "get": Case(GET, PORTAL, exit=5, stderr=[SAID], requests=1),
    # It may come from the service, after it carried the write out.
    "create": Case(
        CREATE, PORTAL, exit=10, stderr=[SAID, "may or may not"], requests=1, one_key=True
    ),
    "under JSON's name": Case(LIST, [reply(b"<html>")], exit=5, stderr=["not JSON"], requests=5),
}
