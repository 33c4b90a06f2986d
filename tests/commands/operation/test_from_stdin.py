"""Ids and records through a pipe: get -, update - and delete -."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from many_connections import Config, profiles
from server import Reply, Seen, Service

TAGS = "ticketing tags"
HOSTILE = [
    "a/b",
    "a?b#c",
    "%2e%2e",
    "-y",
    "--yes",
    "a b",
    '"x"',
    "'; rm -rf /",
    "{a}",
    "grüße 🎉",
    "$HOME",
    "*",
]

ROWS = "(--format csv reads rows, --format ids reads each line as an id)"
EDGE = "beginning or end"


def echo(seen: Seen) -> Reply:
    return Reply(200, json.dumps({"id": seen.segments[-1]}).encode())


def sent(service: Service) -> list[tuple[str, str, bytes]]:
    return [(seen.method, seen.segments[-1], seen.body) for seen in service.seen]


def test_any_listed_id_is_deleted_and_no_other(unified: Unified, service: Service) -> None:
    records = [{"id": identifier} for identifier in HOSTILE]
    page = json.dumps({"result": records, "next_cursor": None}).encode()
    service.reply = lambda seen: Reply(200, page) if seen.method == "GET" else echo(seen)
    listed = unified(f"{TAGS} list -o ids", environ=service.environ)
    command = f"{TAGS} delete - -y --workers 1 -o ids --format ids"
    result = unified(command, environ=service.environ, stdin=listed.raw)
    assert (result.code, result.notes, result.stdout) == (0, "", listed.stdout)
    assert sent(service)[1:] == [("DELETE", identifier, b"") for identifier in HOSTILE]


ALONE = "the ids come from standard input, so nothing else can be read from it"
EACH = "each line must have one id, or one record with an id"


@pytest.mark.parametrize("identifier", ["{a}", "[a]", "{", "[", "x;y", "-", "null", "7"])
def test_an_id_may_look_like_something_else(
    identifier: str, unified: Unified, service: Service
) -> None:
    service.reply = echo
    result = unified(
        f"{TAGS} delete - -y --workers 1",
        environ=service.environ,
        stdin=f"{identifier}\nb\n".encode(),
    )
    assert result.code == 0, result.stderr
    assert sent(service) == [("DELETE", identifier, b""), ("DELETE", "b", b"")]


@pytest.mark.parametrize(
    ("command", "stdin", "expected"),
    [
        ("update -", b'id,name\r\na,"x, y"\r\n', [("PATCH", "a", b'{"name":"x, y"}')]),
        ("update - -f n=1", b"name,id\nx,a\n", [("PATCH", "a", b'{"name":"x","n":"1"}')]),
        ("delete - -y", b'\xef\xbb\xbf"id","name"\n"a","x"\n', [("DELETE", "a", b"")]),
        ("get -", b"id\na\n", [("GET", "a", b"")]),
        ("get -", b'{"result":[{"id":"a"}],"next_cursor":null}', [("GET", "a", b"")]),
        ("get -", b'{"result": [\n{"id":"a"}\n], "next_cursor": null}\n', [("GET", "a", b"")]),
        ("update -", b'{ "id": "a",\n  "name": "x" }\n', [("PATCH", "a", b'{"name":"x"}')]),
        ("update -", b'{"id":"a","result":[1]}\n', [("PATCH", "a", b'{"result":[1]}')]),
        (
            "delete - -y --format ids",
            b"id,name\na \n",
            [("DELETE", "id,name", b""), ("DELETE", "a ", b"")],
        ),
    ],
)
def test_tables_and_documents_are_known_by_how_they_begin(
    command: str,
    stdin: bytes,
    expected: list[tuple[str, str, bytes]],
    unified: Unified,
    service: Service,
) -> None:
    service.reply = echo
    result = unified(f"{TAGS} {command} --workers 1", environ=service.environ, stdin=stdin)
    assert (result.code, sent(service)) == (0, expected), result.stderr


def test_answers_come_in_the_order_of_the_lines(unified: Unified, service: Service) -> None:
    service.reply = echo
    ids = [str(number) for number in range(100)]
    result = unified(f"{TAGS} get - -o ids", environ=service.environ, stdin="\n".join(ids).encode())
    assert (result.code, result.stdout.split()) == (0, ids)


def test_the_answers_are_one_document_by_default(unified: Unified, service: Service) -> None:
    service.reply = lambda seen: Reply(
        200, b'{"id": "%b", "price": 1.10}' % seen.segments[-1].encode()
    )
    result = unified(
        f"{TAGS} get -", environ=service.environ, stdin=b'{"id":"a","x":1}\r\n\r\n{"id":7}\n'
    )
    assert (
        result.stdout
        == '{"result": [\n{"id": "a", "price": 1.10},\n{"id": "7", "price": 1.10}\n]}\n'
    )
    assert sent(service) in (
        [("GET", "a", b""), ("GET", "7", b"")],
        [("GET", "7", b""), ("GET", "a", b"")],
    )


@pytest.mark.parametrize(
    ("more", "stdin", "bodies"),
    [
        ("", b'{"id":"a","price":1.10}\n{"id":"b","x":null}\n', [b'{"price":1.10}', b'{"x":null}']),
        ("-f status=closed", b"a\nb\n", [b'{"status":"closed"}'] * 2),
        ("-f x=new -F n=1", b'{"id":"a","x":"old","y":1.10}\n', [b'{"x":"new","y":1.10,"n":1}']),
        ("-d '{\"p\": 1.10}'", b"a\n", [b'{"p": 1.10}']),
    ],
)
def test_updates_take_the_record_or_the_options(
    more: str, stdin: bytes, bodies: list[bytes], unified: Unified, service: Service
) -> None:
    result = unified(f"{TAGS} update - --workers 1 {more}", environ=service.environ, stdin=stdin)
    assert result.code == 0, result.stderr
    assert [body for _, _, body in sent(service)] == bodies
    keys = {seen.headers["idempotency-key"] for seen in service.seen}
    assert len(keys) == len(bodies)


@pytest.mark.parametrize(
    ("command", "stdin", "message"),
    [
        (
            "delete -",
            b"a\nb\n",
            (
                "not deleted: cannot ask whether to delete 2 records of ticketing tags in account"
                " acct-1 (add --yes)"
            ),
        ),
        ("get -", b"", f"no ids on standard input ({EACH})"),
        ("get -", None, "standard input is closed, so there are no ids"),
        (
            "delete - -y",
            b"a\n..\n",
            "standard input, line 2: the id '..' would look like a folder",
        ),
        (
            "delete - -y",
            b"a\nb\x1bc\n",
            'standard input, line 2: the id "b\\x1bc" holds a character that cannot be seen',
        ),
        ("delete - -y", b"a\n\xff\n", "standard input, line 2 is not UTF-8 at byte 0"),
        ("delete - -y", b'{"\xff":1}\n', "standard input, line 1 is not UTF-8 at byte 2"),
        (
            "delete - -y",
            b'{"id":"a"}\n{"name":"b"}\n',
            f"standard input, line 2 has no id ({EACH})",
        ),
        (
            "delete - -y",
            b'{"id":"a"}\n{"id":\n',
            "standard input, line 2 is not JSON: Input data was truncated",
        ),
        (
            "delete - -y",
            b'{"id":"a"}\nb\n',
            "standard input, line 2 is not JSON: invalid character (byte 0)",
        ),
        (
            "delete - -y",
            b"a\nb,c\n",
            f'standard input, line 2 is not an id: "b,c" holds a comma {ROWS}',
        ),
        (
            "delete - -y",
            b'a\n"b"\n',
            f'standard input, line 2 is not an id: ""b"" holds a quote {ROWS}',
        ),
        (
            "delete - -y",
            b"a\tb\n",
            f'standard input, line 1 is not an id: "a\\tb" holds a tab {ROWS}',
        ),
        (
            "delete - -y",
            b"a \n",
            f'standard input, line 1 is not an id: "a " holds a space at its {EDGE} {ROWS}',
        ),
        (
            "get -",
            b"ID  NAME\n",
            (
                'standard input, line 1 is not an id: "ID  NAME" holds two spaces in a row'
                " (-o ids prints ids instead of a table, --format ids reads each line as an id)"
            ),
        ),
        (
            "update -",
            b"id;name\n1;x\n",
            (
                "standard input, line 1: there is only one column, and its name"
                " contains ';' (import takes"
                " --delimiter ';')"
            ),
        ),
        ("update -", b"id,name\n1\n", "standard input, line 2: 1 cell under 2 columns"),
        ("delete - -y --format csv", b"nr\n1\n", f"standard input, line 2 has no id ({EACH})"),
        (
            "delete - -y --format json",
            b"a\n",
            (
                "standard input is not an array of records"
                " (leave out --format to recognise the format by the content)"
            ),
        ),
        (
            "get 1 --format csv",
            b"",
            (
                "--format sets the format of the input: of standard input (with - as the ID) or of"
                " the file of --from (use -o for the format of the output)"
            ),
        ),
        (
            "update -",
            b"a\n",
            (
                "standard input, line 1: nothing to change (pipe in records with fields, or use -d,"
                " -f or -F)"
            ),
        ),
        (
            "update - -d {}",
            b'{"id":"a","x":1}\n',
            (
                "standard input, line 1: the record on the line is the body, so -d cannot be"
                " used (-f and -F change its fields)"
            ),
        ),
        ("update - -d -", b"a\n", ALONE),
        ("update - -F x=@-", b"a\n", ALONE),
        ("get - --token-stdin", b"a\n", ALONE),
        (
            "update - --idempotency-key k",
            b"a\n",
            "--idempotency-key can only be used for one record (each line gets its own key)",
        ),
        ("get - --out f", b"a\n", "--out saves only one answer (use > FILE for several)"),
    ],
)
def test_meaningless_combinations_send_nothing(
    command: str, stdin: bytes | None, message: str, unified: Unified, service: Service
) -> None:
    result = unified(f"{TAGS} {command}", environ=service.environ, stdin=stdin)
    assert (result.code, result.stdout, service.seen) == (2, "", [])
    assert result.stderr == f"error: {message}\n"


def test_failed_lines_are_reported_and_the_others_are_done(
    unified: Unified, service: Service
) -> None:
    service.reply = lambda seen: Reply(404) if seen.segments[-1] == "b" else echo(seen)
    result = unified(f"{TAGS} get - -o ids", environ=service.environ, stdin=b"a\nb\nc\n")
    assert (result.code, result.stdout) == (9, "a\nc\n")
    assert (
        result.stderr
        == "line 2: the service answered 404 to GET /unified/ticketing/tags/b: {} (check the id and"
        " the account id: unified ticketing tags list -o ids)\nerror: 1 of 3 records failed\n"
    )


def test_an_authorisation_failure_stops_the_run(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(401)
    result = unified(f"{TAGS} delete - -y --workers 1", environ=service.environ, stdin=b"a\nb\nc\n")
    assert (result.code, len(service.seen)) == (7, 1)
    assert result.notes.splitlines()[-1].startswith(
        "error: stopped with 2 of 3 records not tried: the service answered"
    )


def test_a_record_that_is_forbidden_stops_nothing(unified: Unified, service: Service) -> None:
    service.reply = lambda seen: Reply(403) if seen.segments[-1] == "a" else Reply(204)
    result = unified(f"{TAGS} delete - -y --workers 1", environ=service.environ, stdin=b"a\nb\nc\n")
    assert (result.code, len(service.seen)) == (9, 3)
    assert result.notes.endswith("error: 1 of 3 records failed\n")


def test_a_lost_answer_is_not_known(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config("idempotency_window = 0")
    service.reply = lambda _: Reply(200, b"{", {"Content-Type": "application/json"})
    result = unified(f"{TAGS} update - -f x=1", environ=service.environ, stdin=b"a\n")
    assert (result.code, len(service.seen)) == (10, 1)
    assert result.stderr.endswith("error: 1 of 1 record may or may not be done\n")


def test_a_single_write_is_not_repeated_where_keys_are_not_honoured(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    service.reply = lambda _: Reply(200, b"{", {"Content-Type": "application/json"})
    assert unified(f"{TAGS} create -f name=a", environ=service.environ).code == 10
    assert len(service.seen) == 5
    config("idempotency_window = 0")
    assert unified(f"{TAGS} create -f name=a", environ=service.environ).code == 10
    assert len(service.seen) == 6


def test_a_dry_run_shows_each_request(unified: Unified, service: Service) -> None:
    result = unified(f"{TAGS} delete - --dry-run", environ=service.environ, stdin=b"a\nb\n")
    urls = [json.loads(line)["url"].partition("?")[0] for line in result.stdout.splitlines()]
    assert (result.code, service.seen) == (0, [])
    assert urls == [f"{service.url}/unified/ticketing/tags/{identifier}" for identifier in "ab"]
    curl = unified(f"{TAGS} delete - --as curl", environ=service.environ, stdin=b"a\nb\n").stdout
    assert [line.split()[0] for line in curl.splitlines()] == ["curl", "curl"]


def test_a_read_only_profile_takes_no_piped_write(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config("read_only = true")
    result = unified(f"{TAGS} delete - -y", environ=service.environ, stdin=b"a\n")
    assert (result.code, service.seen) == (13, [])


def test_a_line_that_failed_or_is_in_doubt_tells_its_key(
    unified: Unified, service: Service
) -> None:
    service.reply = lambda seen: Reply(422 if seen.segments[-1] == "1" else 504)
    result = unified(
        "ticketing tickets update - -f name=x --retries 0", environ=service.environ, stdin=b"1\n2\n"
    )
    assert result.code == 10
    keys = {seen.segments[-1]: seen.headers["idempotency-key"] for seen in service.seen}
    told = result.notes.splitlines()
    assert (
        told[0]
        == "line 1: the service answered 422 to PATCH /unified/ticketing/tickets/1: {}; its key"
        f" was {keys['1']}"
    )
    assert told[1].endswith(
        f"PATCH /unified/ticketing/tickets/2 may or may not have been done; its key was {keys['2']}"
    )


def test_errors_are_printed_even_when_quiet(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(404, b"{}")
    result = unified(
        "ticketing tags delete - --yes --quiet", stdin=b"a\nb\n", environ=service.environ
    )
    assert result.code == 9
    assert [line.partition(":")[0] for line in result.notes.splitlines()] == [
        "line 1",
        "line 2",
        "error",
    ]


@pytest.mark.parametrize(
    ("rules", "tried"), [("--fail-fast", 2), ("--max-failures 1", 4), ("--max-failures 20%", 6)]
)
def test_too_many_lines_that_fail_end_it(
    rules: str, tried: int, unified: Unified, service: Service
) -> None:
    service.reply = lambda seen: (
        Reply(404, b"{}") if seen.segments[-1] in {"1", "3", "5"} else echo(seen)
    )
    ids = "\n".join(map(str, range(10))).encode()
    command = f"{TAGS} update - -f n=1 --workers 1"
    result = unified(f"{command} {rules}", environ=service.environ, stdin=ids)
    assert (result.code, len(service.seen)) == (9, tried)
    assert result.stderr.splitlines()[-1].startswith("  unified runs resume ")
    assert unified(command, environ=service.environ, stdin=ids).code == 9
    assert len(service.seen) == tried + 10


def test_a_line_that_cannot_be_sent_is_one_that_failed(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2)
    service.reply = echo
    lines = b'{"_profile": "c00", "id": "1", "n": 1}\n{"_profile": "c07", "id": "2", "n": 1}\n'
    command = f"{TAGS} update - -p c* --yes"
    result = unified(f"{command} --fail-fast", stdin=lines)
    assert (result.code, service.seen) == (9, [])
    assert "line 2: " in result.stderr
    assert unified(f"{command} --max-failures 1", stdin=lines).code == 9
    assert len(service.seen) == 1


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            f"{TAGS} update - -f n=1 --stages 1,5",
            "--stages is for several connections, not for several lines (--max",
        ),
        (
            f"{TAGS} delete - --yes --max-failures 1 --fail-fast",
            "--fail-fast stops at the first failure",
        ),
        (
            f"{TAGS} delete - --yes --max-failures x",
            "--max-failures: 'x' is neither a number nor a percentage",
        ),
        (
            f"{TAGS} update 7 -f n=1 --max-failures x",
            "--max-failures: 'x' is neither a number nor a percentage",
        ),
        (f"{TAGS} update 7 -f n=1 --stages 5,1", "--stages: 1 comes after 5"),
        (
            "ticketing attachments download 7 --fail-fast",
            "--fail-fast, --max-failures and --stages",
        ),
        ("request POST /unified/ticketing/tags -f n=1 --fail-fast", "no such option: --fail-fast"),
        (
            "request POST /unified/ticketing/tags -f n=1 --max-failures 1",
            "no such option: --max-failures",
        ),
        ("request POST /unified/ticketing/tags -f n=1 --stages 1", "no such option: --stages"),
    ],
)
def test_a_rule_for_many_writes_that_means_nothing_is_refused(
    command: str, said: str, unified: Unified, service: Service
) -> None:
    result = unified(command, environ=service.environ, stdin=b"a\nb\n")
    assert (result.code, service.seen) == (2, [])
    assert said in result.stderr
