"""A connection that the server closes between two pages is opened again without a
word.
"""

from faults.case import Case
from faults.script import CLOSE, reply

FIRST = reply(b'{"result":[{"id":"1"}],"next_cursor":"c2"}')
SECOND = reply(b'{"result":[{"id":"2"}],"next_cursor":null}')
BOTH = b'{"id":"1"}\n{"id":"2"}\n'
ALL = "ticketing tickets list --all -o ndjson"

CASES = {
    "before the second request": Case(
        ALL, [[FIRST, CLOSE], SECOND], stdout=BOTH, never=["retry"], requests=2
    ),
    "on the second request": Case(
        ALL, [FIRST, [CLOSE], SECOND], stdout=BOTH, never=["retry"], requests=3, connections=2
    ),
    "kept": Case(ALL, [FIRST, SECOND], stdout=BOTH, requests=2, connections=1),
    "with bytes that nobody asked for behind the first page": Case(
        ALL,
        [FIRST + reply(b'{"result":[{"id":"smuggled"}],"next_cursor":null}'), SECOND],
        stdout=BOTH,
        requests=2,
        connections=2,
    ),
    "with the second page cut once": Case(
        ALL, [FIRST, [SECOND[:-5], CLOSE], SECOND], stdout=BOTH, stderr=["retry 1"], requests=3
    ),
}
