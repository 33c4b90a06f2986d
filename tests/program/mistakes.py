"""Typical mistakes, each with the whole message that it leads to: the cases of
`test_mistakes`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from server import Reply

from unified_cli.output import formats

LIST = "ticketing tickets list"
OUTPUTS = ", ".join(f"'{name}'" for name in formats.SETTINGS)
GET = "ticketing tickets get 42"
CREATE = "ticketing tickets create -f name=x"
NOT_HERE = "No such file or directory (the program looked in @CWD@)"
PATH = "/unified/ticketing/tickets"
PAGE = Reply(200, b'{"result":[{"id":"1","name":"a"}],"next_cursor":null}')
HERE: Mapping[str, str] = {
    "UNIFIED_BASE_URL": "@URL@",
    "UNIFIED_TOKEN": "t-0123456789",
    "UNIFIED_ACCOUNT_ID": "a-1",
}
NO_ALTERNATIVE = (
    "set UNIFIED_BASE_URL, UNIFIED_ACCOUNT_ID and UNIFIED_TOKEN, or create a profile: unified"
    " profile add NAME; to try things out: unified -p sandbox …"
)


@dataclass(frozen=True)
class Mistake:
    """A command line, the whole text of its error without `error: `, and its exit code.

    In every text `@URL@` is the address of the service, `@PLACE@` for its host and
    port.
    """

    command: str
    said: str
    code: int = 2
    reply: Reply = PAGE
    environ: Mapping[str, str] = field(default_factory=lambda: HERE)


def refusal(
    status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any
) -> Reply:
    """The service's own error object."""
    body = json.dumps({"statusCode": status, "error": "Error", "message": message, **more})
    return Reply(status, body.encode(), {"Content-Type": "application/json", **(headers or {})})


TYPED = [
    Mistake(
        "tiketing tickets list",
        'unified: no API or command named "tiketing" (did you mean "ticketing"?)',
    ),
    Mistake(
        "ticketing tikets list",
        'unified ticketing: no resource named "tikets" (did you mean "tickets"?)',
    ),
    Mistake(
        "ticketing tickets lst",
        'unified ticketing tickets: no operation named "lst" (did you mean "list"?)',
    ),
    Mistake(
        f"{LIST} --colums id",
        f'unified {LIST}: no such option: --colums (did you mean "--columns"?)',
    ),
    Mistake(
        "tickets list",
        'unified: no API or command named "tickets" (unified ticketing tickets list)',
    ),
    Mistake(
        "get ticketing tickets",
        'unified: no API or command named "get" (the operation comes last: unified ticketing'
        " tickets list)",
    ),
    Mistake(
        "ticketing get tickets 42",
        'unified ticketing: no resource named "get" (the resource comes first: unified ticketing'
        " tickets get 42)",
    ),
    Mistake(
        "ticketing tickets describe 42",
        'unified ticketing tickets: no operation named "describe" (did you mean "get"?)',
    ),
    Mistake(
        "api /unified/ticketing/tickets",
        'unified: no API or command named "api" (did you mean "request"?)',
    ),
    Mistake("request /x", "unified request: missing argument 'PATH' (unified request GET /x)"),
    Mistake(
        "ticketing tickets get",
        "unified ticketing tickets get: the ID is missing (unified ticketing tickets list -o ids"
        " prints the IDs; with - as the ID, they are read from a pipe)",
    ),
    Mistake(
        f"{LIST} 42",
        f'unified {LIST}: unexpected argument "42" '
        "(one record: unified ticketing tickets get 42; a filter: -q NAME=VALUE)",
    ),
    Mistake(
        f"{LIST} --limit",
        "--limit needs a value (--limit N: read at most N records of each connection)",
    ),
    Mistake(
        f"{LIST} -o yml",
        f"unified {LIST}: invalid value for '-o' / '--output': 'yml' is not one of"
        f' {OUTPUTS}; did you mean "yaml"? (unified {LIST} --help)',
    ),
    Mistake(
        "export ticketing --to x -o jsonl",
        "unified export: invalid value for '-o' / '--output' / '--format': 'jsonl' is not one of"
        " 'ndjson', 'csv', 'tsv', 'json', 'parquet', 'delta'; did you mean \"ndjson\"? (unified"
        " export --help)",
    ),
    Mistake(
        "ticketing tickets create -d {} -d []",
        "-d is given twice, but a request has one body (-f and -F change its fields)",
    ),
    Mistake(
        "request POST /x -d {} -d {}",
        "-d is given twice, but a request has one body (-f and -F change its fields)",
    ),
    Mistake(f"{LIST} --csv-safe", "--csv-safe is for CSV and TSV, not for json (-o csv)"),
    Mistake(
        "export ticketing --to x --csv-safe",
        "--csv-safe is for CSV and TSV, not for ndjson (-o csv)",
    ),
    Mistake(f"{LIST} --restart", "--restart and --dedupe need --all and --out FILE"),
    Mistake(f"{LIST} --all --dedupe id", "--restart and --dedupe need --all and --out FILE"),
    Mistake(
        f"{LIST} -p a -p b --all --restart", "--restart and --dedupe need --all and --out FILE"
    ),
]

OF_OTHER_TOOLS = [
    Mistake(f"{LIST} --json id", f"unified {LIST}: no such option: --json (-o json --columns id)"),
    Mistake(
        f"{LIST} --paginate", f"unified {LIST}: no such option: --paginate (--all reads every page)"
    ),
    Mistake(
        f"{LIST} -X GET",
        f"unified {LIST}: no such option: -X (the operation is the method; unified request METHOD"
        " PATH calls any path)",
    ),
    Mistake(f"{LIST} --max-items 3", f"unified {LIST}: no such option: --max-items (--limit 3)"),
    Mistake(f"{LIST} --query T[].id", "-q 'T[].id' is not NAME=VALUE (--jq '.T[].id')"),
    Mistake(
        f"{LIST} -n prod", f"unified {LIST}: no such option: -n (-p prod chooses a connection)"
    ),
    Mistake(
        "ticketing tickets create -f body.json",
        "-f 'body.json' needs a value (-d @body.json)",
    ),
    Mistake(
        "ticketing tickets create name=x",
        "unified ticketing tickets create: unexpected argument \"name=x\" (-f 'name=x' sets a"
        " field)",
    ),
    Mistake(
        f"{LIST} -k",
        f"unified {LIST}: no such option: -k "
        "(certificates are always verified; --ca-bundle FILE trusts another authority)",
    ),
]

GIVEN = [
    Mistake(
        "ticketing tickets create -d @missing.json", f"cannot read missing.json: {NOT_HERE}", 11
    ),
    Mistake(
        "ticketing tickets create -F 'tags=[1,'",
        "-F tags is not JSON: Input data was truncated (use -f for text that only looks like JSON)",
    ),
    Mistake(
        "ticketing tickets delete 42",
        "not deleted: cannot ask whether to delete ticketing tickets 42 in account a-1 (add --yes)",
    ),
    Mistake(
        f"{LIST} --jq '.result['",
        "--jq: syntax error, unexpected end of file at <top-level>, line 1, column 8: .result[ ^"
        " (it ends too early: a value, a closing bracket or a closing quote is missing)",
    ),
    Mistake(f"{LIST} --jq '.result[].name.x'", '--jq: Cannot index string with string ("x")'),
    Mistake(
        f"{LIST} --jq '.result[].id, .next_page[]'",
        "--jq: Cannot iterate over null (null) ([]? skips null)",
    ),
    Mistake(f"{LIST} --all --out exists.json", "exists.json exists (--force overwrites it)", 11),
    Mistake(f"{LIST} --out no/dir/x.json", "there is no folder no/dir (mkdir -p no/dir)", 11),
    Mistake(
        "import ticketing/tickets missing.ndjson", f"cannot read missing.ndjson: {NOT_HERE}", 11
    ),
    Mistake("profile add acme acount_id=1", 'no key "acount_id" (did you mean "account_id"?)'),
]

CONFIGURED = [
    Mistake(LIST, f"no connection to call: {NO_ALTERNATIVE}", 3, environ={}),
    Mistake(
        LIST,
        "there is no token for this address (set UNIFIED_TOKEN, or --token-file FILE; "
        "unified help profiles says where a token comes from)",
        3,
        environ={"UNIFIED_BASE_URL": "@URL@", "UNIFIED_ACCOUNT_ID": "a-1"},
    ),
    Mistake(
        LIST,
        "the token from UNIFIED_TOKEN contains a blank, a line break or another invalid character"
        " (copy the token again, without anything around it)",
        3,
        environ={**HERE, "UNIFIED_TOKEN": "t 0123456789"},
    ),
    Mistake(
        f"{LIST} -p acme",
        'no profile named "acme" (no profiles yet: unified profile add acme)',
        3,
    ),
    Mistake(
        f"{LIST} -p tag:eu",
        'no profile matches "tag:eu" (no profiles yet: unified profile add NAME)',
        3,
    ),
    Mistake(
        "profile login https://api.truto.one",
        'no profile named "https://api.truto.one" (no profiles yet: unified profile add truto'
        " --base-url https://api.truto.one)",
        3,
    ),
    Mistake(
        "connections list",
        "the environment has no base URL (set UNIFIED_BASE_URL, such as https://api.truto.one; or"
        " create a profile: unified profile add NAME)",
        3,
        environ={},
    ),
    *(
        Mistake(
            LIST,
            f"base URL in UNIFIED_BASE_URL must look like {meant}",
            3,
            environ={**HERE, "UNIFIED_BASE_URL": typed},
        )
        for typed, meant in (
            ("api.truto.one", "https://api.truto.one"),
            ("my.host.example:8443/", "https://my.host.example:8443/"),
            # A token in the wrong variable is not repeated.
            ("eyJhbGci.eyJzdWIi.SflKxw", "https://api.example.com"),
            ("me:secret@api.truto.one", "https://api.example.com"),
        )
    ),
    Mistake(
        LIST,
        "base URL in UNIFIED_BASE_URL must look like https://api.example.com",
        3,
        environ={**HERE, "UNIFIED_BASE_URL": "api.example.com"},
    ),
    Mistake(
        LIST,
        "base URL in UNIFIED_BASE_URL would send the token in clear text (use"
        " https://api.example.com)",
        13,
        environ={**HERE, "UNIFIED_BASE_URL": "http://api.example.com"},
    ),
    Mistake(
        f"{LIST} --base-url https://other.example",
        "UNIFIED_TOKEN belongs to @URL@, but the call would go to https://other.example "
        "(use another token: --token-file or --token-stdin)",
        13,
    ),
]

ANSWERED = [
    Mistake(
        LIST,
        f"the service answered 401 to GET {PATH}: Unauthorized "
        "(the token comes from UNIFIED_TOKEN; unified doctor --network checks it)",
        7,
        refusal(401, "Unauthorized"),
    ),
    Mistake(
        LIST,
        f"the service answered 403 to GET {PATH}: Forbidden "
        "(the token from UNIFIED_TOKEN may not do this with this account id)",
        7,
        refusal(403, "Forbidden"),
    ),
    Mistake(
        GET,
        f"the service answered 404 to GET {PATH}/42: Not found (check the id and the account id:"
        " unified ticketing tickets list -o ids)",
        4,
        refusal(404, "Not found"),
    ),
    Mistake(
        LIST,
        f"the service answered 404 to GET {PATH}: Not found "
        "(check the account id; unified capabilities ticketing/tickets lists the operations)",
        4,
        refusal(404, "Not found"),
    ),
    Mistake(
        CREATE,
        f"the service answered 409 to POST {PATH}: Conflict (the record may already exist, or may"
        " have changed since it was read)",
        4,
        refusal(409, "Conflict"),
    ),
    Mistake(
        CREATE,
        f"the service answered 422 to POST {PATH}: Validation failed\n"
        "  name: is taken\n  due: must be a date\n  request id: r-1",
        4,
        refusal(
            422,
            "Validation failed",
            {"X-Request-Id": "r-1"},
            errors=[
                {"field": "name", "message": "is taken"},
                {"field": "due", "message": "must be a date"},
            ],
        ),
    ),
    Mistake(
        f"{LIST} --timeout 5",
        f"the service answered 429 to GET {PATH}: Too many (the response asked to wait 5 min; run"
        " the command again after that time)",
        8,
        refusal(429, "Too many", {"Retry-After": "300"}),
    ),
    Mistake(
        f"{LIST} --retries 0",
        f"the service answered 500 to GET {PATH}: boom (the service failed; try again later)",
        5,
        refusal(500, "boom"),
    ),
    Mistake(
        f"{CREATE} --retries 0 --idempotency-key k-1",
        f"the service answered 500 to POST {PATH}: boom; POST {PATH} may or may not have been done "
        "(to repeat it safely: --idempotency-key k-1)",
        10,
        refusal(500, "boom"),
    ),
    Mistake(
        LIST,
        f"the answer is HTML, not JSON (GET {PATH}) "
        "(is the base URL right? unified profile show says where it comes from)",
        5,
        Reply(200, b"<html>Sign in</html>", {"Content-Type": "text/html"}),
    ),
    Mistake(
        LIST,
        f"@URL@ redirects GET {PATH} to https://login.example; not followed "
        "(if the service has moved there, set the base URL)",
        13,
        Reply(302, b"", {"Location": "https://login.example/"}),
    ),
]

UNREACHED = [
    Mistake(
        f"{LIST} --retries 0",
        "@PLACE@ does not speak TLS (did you mean http://@PLACE@?)",
        6,
        environ={**HERE, "UNIFIED_BASE_URL": "https://@PLACE@"},
    ),
    Mistake(
        f"{LIST} --retries 0",
        "127.0.0.1:1 refused the connection (check the address, which comes from UNIFIED_BASE_URL)",
        6,
        environ={**HERE, "UNIFIED_BASE_URL": "http://127.0.0.1:1"},
    ),
]

MISTAKES = [*TYPED, *OF_OTHER_TOOLS, *GIVEN, *CONFIGURED, *ANSWERED, *UNREACHED]
