"""No cookie is kept for a later request, or anywhere."""

from faults.case import LIST, PAGE, Case
from faults.script import reply

COOKIE = {"Set-Cookie": "session=abc123; Path=/"}
BARE = rb"^GET ((?!\r\n[Cc]ookie:).)*$"

CASES = {
    "before a redirect": Case(
        LIST,
        [reply(b"", 302, {**COOKIE, "Location": "/x"}), reply(PAGE)],
        stdout=PAGE + b"\n",
        requests=[BARE, BARE],
    ),
    "before a repeat": Case(
        LIST, [reply(b"", 500, COOKIE), reply(PAGE)], stdout=PAGE + b"\n", requests=[BARE, BARE]
    ),
    "shown": Case(
        f"{LIST} -vv", [reply(PAGE, headers=COOKIE)], stderr=["(?i)set-cookie"], never=["abc123"]
    ),
}
