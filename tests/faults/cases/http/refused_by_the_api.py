"""A refusal is final: one request, the reason, and what the service adds to help."""

from faults.case import CREATE, DELETE, GET, LIST, Case, failure

CHECKS = {"details": {"failures": [f"field {n} is bad" for n in range(50)]}}

CASES = {
    **{
        f"{status}": Case(
            LIST,
            [failure(status, "not so")],
            exit=4,
            stderr=[f"{status} to GET .*: not so"],
            requests=1,
        )
        for status in (400, 402, 404, 405, 406, 409, 410, 413, 414, 415, 422, 451)
    },
    "no such record": Case(GET, [failure(404)], exit=4, stderr=["check the id"], requests=1),
    "nothing to delete": Case(DELETE, [failure(404)], exit=4, stderr=["check the id"], requests=1),
    "read only": Case(CREATE, [failure(405)], exit=4, stderr=["read-only"], requests=1),
    "failed checks": Case(
        CREATE,
        [failure(422, **CHECKS)],
        exit=4,
        stderr=[r"\n  field 0 is bad\n(.*\n)*  field 9 is bad\n  and 40 more\n$"],
        never=["field 10"],
        requests=1,
    ),
    "conflict at the first attempt": Case(
        CREATE, [failure(409)], exit=4, never=["may or may not"], requests=1
    ),
}
