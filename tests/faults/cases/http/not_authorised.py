"""A refused token or connection ends the run at once and says whose doing it is."""

from faults.case import CREATE, LIST, Case, failure

SCOPES = {
    "truto_error_insight": {
        "forbidden_error": {"value": {"missing_scopes": ["a.read", "b\x1b[2Jc"]}}
    }
}

CASES = {
    "the token": Case(
        LIST,
        [failure(401, "bad token @TOKEN@")],
        exit=7,
        stderr=["the service answered 401", "token"],
        requests=1,
    ),
    "the connection": Case(
        LIST,
        [failure(401, truto_is_remote_error=True)],
        exit=7,
        stderr=["the provider answered 401", "its owner must sign in again"],
        requests=1,
    ),
    "scopes": Case(
        CREATE,
        [failure(403, **SCOPES)],
        exit=7,
        stderr=[r"missing scopes: a\.read, b\\x1b\[2Jc"],
        requests=1,
    ),
    "told to programs": Case(
        f"{LIST} -o json",
        [failure(401)],
        exit=7,
        stderr=[
            (
                r'^{"error": {"code": "access", "exit": 7, "message": ".*", "origin": "service",'
                r' "status": 401, '
            )
        ],
        requests=1,
    ),
}
