"""Half an answer is no answer: it is thrown away and asked for again, whatever framing
was cut.
"""

from faults.case import CREATE, LIST, PAGE, Case
from faults.script import CLOSE, RESET, chunked, reply

SHORT = reply(b'{"result":[', length=100)
CUT_CHUNK = chunked(PAGE[:10], end=b"")

CASES = {
    "shorter than its length": Case(
        LIST, [[SHORT, CLOSE]], exit=6, stderr=["11 .*100"], never=["may or may not"], requests=5
    ),
    "shorter than its length once": Case(
        LIST, [[SHORT, CLOSE], reply(PAGE)], stdout=PAGE + b"\n", requests=2
    ),
    "reset in the middle once": Case(
        LIST, [[SHORT, RESET], reply(PAGE)], stdout=PAGE + b"\n", requests=2
    ),
    "reset in the middle": Case(
        LIST, [[SHORT, RESET]], exit=6, stderr=["bytes of the answer received"], requests=5
    ),
    "before the last chunk": Case(
        LIST, [[CUT_CHUNK, CLOSE]], exit=6, stderr=["in the middle"], requests=5
    ),
    "before the last chunk once": Case(
        LIST, [[CUT_CHUNK, CLOSE], reply(PAGE)], stdout=PAGE + b"\n", requests=2
    ),
    "in its head": Case(
        LIST,
        [[b"HTTP/1.1 200 OK\r\nContent-Ty", CLOSE]],
        exit=6,
        stderr=["in the middle of its answer"],
        requests=5,
    ),
    "of a create": Case(
        CREATE,
        [[SHORT, CLOSE]],
        exit=10,
        stderr=["11 .*100", "may or may not"],
        requests=5,
        one_key=True,
    ),
}
