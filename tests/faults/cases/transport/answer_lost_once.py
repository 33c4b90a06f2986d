"""The first answer is lost: the repeat carries the same key and settles it."""

from faults.case import CREATE, DELETE, LIST, PAGE, Case, failure
from faults.script import CLOSE, RESET, reply

CREATED = b'{"id":"7"}'

CASES = {
    "list": Case(LIST, [[RESET], reply(PAGE)], stdout=PAGE + b"\n", requests=2),
    "create": Case(
        CREATE, [[CLOSE], reply(CREATED, 201)], stdout=CREATED + b"\n", requests=2, one_key=True
    ),
    "delete, gone at the repeat": Case(
        DELETE, [[CLOSE], failure(404)], stderr=["already gone"], requests=2
    ),
    "delete, gone for good at the repeat": Case(
        DELETE, [[CLOSE], failure(410)], stderr=["already gone"], requests=2
    ),
    "create, a conflict at the repeat": Case(
        CREATE,
        [[CLOSE], failure(409)],
        exit=10,
        stderr=["may or may not"],
        requests=2,
        one_key=True,
    ),
    "create, refused for its content at the repeat": Case(
        CREATE, [[CLOSE], failure(422)], exit=4, never=["may or may not"], requests=2
    ),
    "create, the token refused at the repeat": Case(
        CREATE,
        [[CLOSE], failure(401)],
        exit=10,
        stderr=["answered 401", "may or may not"],
        requests=2,
        one_key=True,
    ),
    "create, HTML at the repeat": Case(
        CREATE,
        [[CLOSE], reply(b"<p>Log in", kind="text/html")],
        exit=10,
        stderr=["HTML", "may or may not"],
        requests=2,
        one_key=True,
    ),
    "create, a redirect at the repeat": Case(
        CREATE,
        [[CLOSE], reply(b"", 307, {"Location": "http://@EVIL@/"})],
        exit=10,
        stderr=["redirects", "may or may not"],
        requests=2,
        one_key=True,
    ),
    "create, no send free before the deadline": Case(
        f"{CREATE} --rate 1 --timeout 5",
        [[CLOSE]],
        exit=10,
        stderr=["may or may not"],
        requests=1,
        one_key=True,
        timeout=5,
    ),
}
