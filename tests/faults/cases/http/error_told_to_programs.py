"""Where JSON was asked for and stderr is no terminal, or with --json-errors, a failure
is a JSON object on stderr.
"""

from faults.case import CREATE, LIST, Case, failure
from faults.script import CLOSE

OBJECT = (
    r'^{"error": {"code": "refused", "exit": 4, "message": "[^"]*no\\\\x9b31m\\\\u202e[^"]*",'
    r' "origin": "provider", '
    r'"status": 422, "retryable": false, "idempotency_key": null, "details": \[\], "request_id":'
    r" null, "
    r'"body": {"statusCode": 422, "error": "Error", "message": "no\\u009b31m\\u202e", .*}}}\n$'
)
REFUSED = [failure(422, "no\x9b31m\u202e", truto_is_remote_error=True)]
PROFILE = (b'[profiles.a]\nbase_url = "@ORIGIN@"\naccount_id = "A1"\noutput = "json"\n', 0o600)
TOP = (b'output = "json"\n', 0o600)

CASES = {
    "by the option": Case(f"{LIST} -o json", REFUSED, exit=4, stderr=[OBJECT]),
    "by the option in one word": Case(f"{LIST} -ojson", REFUSED, exit=4, stderr=[OBJECT]),
    "by the long option": Case(f"{LIST} --output=json", REFUSED, exit=4, stderr=[OBJECT]),
    "by the option in front": Case(f"-o json {LIST}", REFUSED, exit=4, stderr=[OBJECT]),
    "by the environment": Case(
        LIST, REFUSED, environ={"UNIFIED_OUTPUT": "json"}, exit=4, stderr=[OBJECT]
    ),
    "by the top of the file": Case(
        LIST, REFUSED, files={"config/config.toml": TOP}, exit=4, stderr=[OBJECT]
    ),
    "by the profile": Case(
        f"{LIST} -p a --token-stdin",
        REFUSED,
        stdin=b"t-0123\n",
        files={"config/config.toml": PROFILE},
        exit=4,
        stderr=[OBJECT],
    ),
    "not where the option says otherwise": Case(
        f"{LIST} -o raw", REFUSED, environ={"UNIFIED_OUTPUT": "json"}, exit=4, stderr=["^error: "]
    ),
    "not on a terminal": Case(
        f"{LIST} -o json", REFUSED, tty=True, exit=4, stderr=["^error: "], never=["{"]
    ),
    "not on a terminal by the top of the file": Case(
        LIST,
        REFUSED,
        files={"config/config.toml": TOP},
        tty=True,
        exit=4,
        stderr=["^error: "],
        never=["{"],
    ),
    "on a terminal where that was asked for": Case(
        f"{LIST} --json-errors", REFUSED, tty=True, exit=4, stderr=[OBJECT]
    ),
    "of a usage error, in any format": Case(
        "ticketing tickets get -o csv --json-errors",
        exit=2,
        stderr=['^{"error": {"code": "usage", "exit": 2'],
    ),
    "not where nobody asked": Case(LIST, REFUSED, exit=4, stderr=["^error: "]),
    "of an unknown outcome": Case(
        f"{CREATE} -o json",
        [[CLOSE]],
        exit=10,
        stderr=[
            (
                r'{"error": {"code": "unknown", "exit": 10, .*"origin": "network", .*'
                r'"idempotency_key": "[0-9a-f-]{36}", "doubt": "no answer was seen"}}'
            )
        ],
        requests=5,
        one_key=True,
    ),
    "of a usage error": Case(
        "ticketing tickets get -o json", exit=2, stderr=['^{"error": {"code": "usage", "exit": 2']
    ),
    "of a bad setting": Case(
        f"{LIST} -o json",
        environ={"UNIFIED_TIMEOUT": "soon"},
        exit=3,
        stderr=['^{"error": {"code": "config"'],
    ),
}
