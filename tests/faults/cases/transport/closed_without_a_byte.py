"""The connection is closed before a byte of an answer: a read is repeated, a write with
its key, an email never.
"""

from faults.case import CREATE, DELETE, GET, LIST, SEND, UPDATE, Case
from faults.script import CLOSE, RESET

NO_ANSWER = "127.0.0.1 (closed the connection without answering|.*was lost)"
UNKNOWN = "may or may not have been done"

CASES = {
    "list": Case(LIST, [[CLOSE]], exit=6, stderr=[NO_ANSWER], never=[UNKNOWN], requests=5),
    "list, broken": Case(LIST, [[RESET]], exit=6, stderr=[NO_ANSWER], never=[UNKNOWN], requests=5),
    "get": Case(GET, [[CLOSE]], exit=6, stderr=[NO_ANSWER], never=[UNKNOWN], requests=5),
    "create": Case(
        CREATE, [[CLOSE]], exit=10, stderr=[NO_ANSWER, UNKNOWN], requests=5, one_key=True
    ),
    "update": Case(
        UPDATE, [[RESET]], exit=10, stderr=[NO_ANSWER, UNKNOWN], requests=5, one_key=True
    ),
    "delete": Case(DELETE, [[CLOSE]], exit=10, stderr=[NO_ANSWER, UNKNOWN], requests=5),
    "outward action": Case(
        SEND, [[CLOSE]], exit=10, stderr=[NO_ANSWER, UNKNOWN], requests=1, one_key=True
    ),
}
