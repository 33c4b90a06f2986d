"""No cookie of the first page goes with the second request."""

from faults.case import Case
from faults.script import reply

BARE = rb"^GET ((?!\r\n[Cc]ookie:).)*$"

CASES = {
    "": Case(
        "ticketing tickets list --all -o ids",
        [
            reply(
                b'{"result":[{"id":"1"}],"next_cursor":"c2"}', headers={"Set-Cookie": "a=b; Path=/"}
            ),
            reply(b'{"result":[{"id":"2"}],"next_cursor":null}'),
        ],
        stdout=b"1\n2\n",
        requests=[BARE, BARE],
    )
}
