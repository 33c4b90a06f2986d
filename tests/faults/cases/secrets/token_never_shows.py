"""Whatever is talked about, the token is not in it; nor in what a server sends back to
see it printed.
"""

from faults.case import CREATE, DELETE, GET, LIST, SEND, UPDATE, Case, failure
from faults.script import CLOSE, reply

ECHO = {
    "as it is": "you sent Bearer @TOKEN@",
    "in the middle of a word": "x@TOKEN@x",
}

CASES = {
    **{
        f"{command.split()[2]}, -vv": Case(
            f"{command} -vv",
            [[CLOSE], failure(500), reply(b'{"id":"1"}')],
            exit=10 if command == SEND else 0,
            stderr=[
                "> (GET|POST|PATCH|DELETE) http",
                r"(?i)> authorization: \*\*\*",
                "< .* after [0-9.]+ s",
            ],
        )
        for command in (LIST, GET, CREATE, UPDATE, DELETE, SEND)
    },
    **{
        f"echoed {how}": Case(f"{LIST} -vv", [failure(400, text)], exit=4, stderr=[r"\*\*\*"])
        for how, text in ECHO.items()
    },
    "echoed in a header": Case(
        f"{LIST} -vv",
        [reply(b"", 400, {"X-Echo": "Bearer @TOKEN@", "WWW-Authenticate": "@TOKEN@"})],
        exit=4,
    ),
    "echoed to a program": Case(
        f"{LIST} -o json",
        [failure(400, "you sent @TOKEN@")],
        exit=4,
        stderr=[r'^{"error": .*\*\*\*'],
    ),
    "echoed in a redirect": Case(
        LIST, [reply(b"", 302, {"Location": "http://@EVIL@/?t=@TOKEN@"})], exit=13
    ),
    "echoed as a banner": Case(
        LIST, [[b"HTTP/1.1 @TOKEN@\r\nX: @TOKEN@\x00\r\n\r\n", CLOSE]], exit=5
    ),
    "dry run": Case(f"{CREATE} --dry-run", requests=0, stdout=None),
    "as curl": Case(f"{CREATE} --as curl", requests=0, stdout=None),
    "in development mode": Case(
        f"{LIST} -vv",
        [failure(500)],
        environ={"PYTHONDEVMODE": "1", "PYTHONASYNCIODEBUG": "1", "UNIFIED_RETRIES": "0"},
        exit=5,
        process=True,
    ),
    "in a process's arguments and answers": Case(LIST, process=True, requests=1),
}
