"""No one listens: nothing was sent, so reads and writes alike are tried again."""

from faults.case import CREATE, DELETE, LIST, SEND, Case

CLOSED = {"UNIFIED_BASE_URL": "http://127.0.0.1:1"}

CASES = {
    name: Case(
        command,
        environ=CLOSED,
        exit=6,
        stderr=["retry 4 of 4", "127.0.0.1:\\d+ refused the connection"],
        never=["may or may not"],
        requests=0,
    )
    for name, command in {
        "read": LIST,
        "create": CREATE,
        "delete": DELETE,
        "outward action": SEND,
    }.items()
}
