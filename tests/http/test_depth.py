"""How deep JSON may be nested is decided once: 200 levels, in every way of reading."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Result, Unified
from pages import by_cursor, envelope
from server import Reply, Service

LIST = "ticketing tickets list"
FORMATS = ["json", "ndjson", "csv", "tsv", "table", "yaml", "ids"]
LISTS = [
    *(
        f"{LIST} -o {form}{more}"
        for form in [*FORMATS, "raw"]
        for more in ("", " --all")
        if (form, more) != ("raw", " --all")
    ),
    f"{LIST} --limit 1",
    f"{LIST} --columns id",
    f"{LIST} --all --jq .result[].id",
    f"{LIST} -o ndjson --jq .id",
    f"{LIST} --expect 'length > 0'",
    f"{LIST} --until 'length > 0'",
    f"{LIST} --since 1d",
    f"-p a -p b {LIST}",
    f"{LIST} --all -o ndjson --out {{}}/out",
    "export ticketing/tickets -p a --to {}/dump",
    "schema ticketing/tickets -p a",
    "diff ticketing/tickets --from a --to {}/empty",
    "request GET /unified/ticketing/tickets",
]
RECORDS = [
    *(f"ticketing tickets get 7 -o {form}" for form in [*FORMATS, "raw"]),
    "ticketing tickets get 7 --jq .id",
    "-p a -p b ticketing tickets get 7",
]
READS = [*LISTS, *RECORDS]


def record(levels: int) -> bytes:
    inner = levels - 1
    return b'{"id":"7","a":' + b"[" * inner + b"]" * inner + b"}"


@pytest.fixture(autouse=True)
def two(config: Callable[[str], Path]) -> None:
    config('[profiles.a]\naccount_id = "1"\n[profiles.b]\naccount_id = "2"\n')


def serve(service: Service, levels: int) -> None:
    served, page = record(levels), envelope(b"[" + record(levels) + b"]")
    service.reply = lambda seen: Reply(200, served if seen.segments[-1] == "7" else page)


def run(unified: Unified, service: Service, folder: Path, command: str) -> Result:
    (folder / "empty").write_text('{"id":"8"}\n')
    service.seen.clear()
    return unified(command.format(folder), environ=service.environ)


# More than a parser can take without overflowing its stack.
@pytest.mark.parametrize(("command", "levels"), [*((one, 5_000) for one in READS), (LIST, 100_000)])
def test_any_number_more_is_refused_and_not_asked_for_again(
    command: str, levels: int, unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, levels)
    result = run(unified, service, tmp_path, command)
    assert result.code == 5, result.stderr
    assert "nested deeper than 200 levels" in result.stderr
    assert len(service.seen) == (2 if command.startswith("-p a -p b") else 1)
    if not command.startswith("-p a -p b"):
        assert result.stdout == ""


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


# An answer, made of a record, and the commands that take it.
SHAPES = {
    "a page": (b'{"result":[%b],"next_cursor":null}', LISTS),
    "a bare array": (b"[%b]", LISTS),
    "a page with other members": (b'{"more":{"a":[1]},"result":[%b],"next_cursor":null}', LISTS),
    "a record": (b"%b", RECORDS),
    "a wrapped record": (b'{"result":%b}', ["request GET /proxy/tickets/7"]),
    "a page of a provider": (b'{"result":[%b]}', ["request GET /proxy/tickets"]),
    "an array of a provider": (b"[%b]", ["request GET /custom/tickets"]),
    "a page of the platform": (b'{"results":[%b]}', ["request GET /integration"]),
    "a document": (b"%b", ["request GET /custom/tickets", "request GET /log"]),
}


@pytest.mark.parametrize("levels", [200, 201])
@pytest.mark.parametrize(
    ("name", "command"), [(name, one) for name, (_, lines) in SHAPES.items() for one in lines]
)
def test_a_record_may_have_two_hundred_levels_in_any_answer(
    name: str, command: str, levels: int, unified: Unified, service: Service, tmp_path: Path
) -> None:
    body = SHAPES[name][0] % record(levels)
    service.reply = lambda _: Reply(200, body)
    result = run(unified, service, tmp_path, command)
    refused = "nested deeper than 200 levels" in result.stderr
    assert refused is (levels > 200), result.stderr
    wanted = 14 if command.startswith("diff") else 0
    assert result.code == (wanted if levels <= 200 else 5), result.stderr
    assert len(service.seen) == (2 if command.startswith("-p a -p b") else 1)


@pytest.mark.parametrize("command", ["ticketing tickets list", "request GET /proxy/tickets"])
@pytest.mark.parametrize(
    ("shape", "levels"),
    [
        (b'{"result":[],"more":%b}', 200),
        (b'{"result":%b}', 200),
        (b'{"other":[%b]}', 198),
        (b'{"other":[%b],"list":1}', 198),
        (b'{"result":{"a":%b}}', 199),
    ],
)
def test_a_value_that_is_not_a_record_has_the_same_depth_limit(
    shape: bytes, levels: int, command: str, unified: Unified, service: Service
) -> None:
    for more, code in ((0, 0), (1 + shape.startswith(b'{"result":%b'), 5)):
        service.reply = lambda _, more=more: Reply(200, shape % nested(levels + more))
        result = unified(command, environ=service.environ)
        assert result.code == code, result.stderr


def test_a_large_answer_has_the_same_depth_limit(unified: Unified, service: Service) -> None:
    for levels, code in ((99, 0), (100, 0), (101, 5), (150, 5)):
        inner = b'"' + b"x" * (2 << 20) + b'",' + b"[" * levels + b"]" * levels
        body = b'{"result":[{"a":' + b"[" * 99 + inner + b"]" * 99 + b"}]}"
        service.reply = lambda _, body=body: Reply(200, body)
        for command in (LIST, f"{LIST} -o ndjson", "request GET /any -o raw"):
            assert unified(command, environ=service.environ).code == code


def test_members_beside_the_records_are_not_checked(unified: Unified, service: Service) -> None:
    deep = b"[" * 300 + b"]" * 300
    by_cursor(service, {None: b'{"result":[{"id":"7"}],"more":%b,"next_cursor":null}' % deep})
    assert unified(f"{LIST} --all -o ids", environ=service.environ).stdout == "7\n"


def test_a_write_whose_answer_is_deeper_is_in_doubt(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(201, record(201))
    result = unified("ticketing tickets create -f name=a", environ=service.environ)
    assert (result.code, len(service.seen)) == (10, 1)


INPUTS = [
    ("ticketing tickets create -d @{}/in", 2),
    ("ticketing tickets create -d - < in", 2),
    ("request POST /unified/ticketing/tickets -d @{}/in", 2),
    ("ticketing tickets update - < in", 2),
    ("import ticketing/tickets {}/in --format ndjson", 9),
    ("import ticketing/tickets {}/array --format json", 9),
    ("diff ticketing/tickets --from {}/in --to {}/empty", 2),
]


@pytest.mark.parametrize(("command", "code"), INPUTS)
@pytest.mark.parametrize("levels", [200, 201, 5_000])
def test_input_has_the_same_depth_limit(
    levels: int, command: str, code: int, unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(201, b'{"id":"1"}')
    (tmp_path / "in").write_bytes(record(levels) + b"\n")
    (tmp_path / "array").write_bytes(b"[" + record(min(levels, 900)) + b"]")
    (tmp_path / "empty").write_text('{"id":"8"}\n')
    line, piped, _ = command.partition(" < ")
    stdin = (tmp_path / "in").read_bytes() if piped else b""
    argv = line.replace("{}", str(tmp_path))
    result = unified(argv, environ=service.environ, stdin=stdin)
    if levels <= 200:
        assert result.code == (14 if command.startswith("diff") else 0), result.stderr
        return
    assert (result.code, service.seen) == (code, [])
    assert "nested deeper than 200 levels" in result.stderr


def test_a_programs_result_has_the_same_depth_limit(unified: Unified, service: Service) -> None:
    serve(service, 200)
    for program, code in ((".", 0), ("[.]", 2)):
        result = unified([*LIST.split(), "-o", "ndjson", "--jq", program], environ=service.environ)
        assert result.code == code
    assert "nested too deep to be written" in result.stderr


def test_an_error_in_an_answer_that_is_deeper_is_known_by_its_status(
    unified: Unified, service: Service
) -> None:
    body = (
        json.dumps({"statusCode": 404, "error": "x"}).encode()[:-1] + b',"a":' + record(300) + b"}"
    )
    service.reply = lambda _: Reply(404, body)
    assert unified("ticketing tickets get 7", environ=service.environ).code == 4
