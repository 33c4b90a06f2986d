"""Values that a jq program passes on do not change, and what jq cannot represent is
never changed silently.
"""

import json
from collections.abc import Callable
from pathlib import Path

import jq
import pytest
from front_door import Unified
from hypothesis import given, settings, strategies as st
from pages import by_cursor, envelope, served
from server import Reply, Seen, Service

from unified_cli.output.jq_input import computed, find_unsupported

LIST = ["ticketing", "tickets", "list"]
DIGITS = "1234567890123456789012345678901234567891"
KEPT = {
    "10158500000000001": "10158500000000001",
    DIGITS: DIGITS,
    "1.10": "1.10",
    "0.00": "0.00",
    "-0": "-0",
    "9" * 5000: "9" * 5000,
    # An exponent may be written differently.
    "1e400": "1E+400",
    "1E-400": "1E-400",
}
NOT_HELD = {
    '"\\ud800"': "half a surrogate pair",
    '"a\\uDC00b"': "half a surrogate pair",
    '{"\\ud83d":1}': "half a surrogate pair",
    '{"a":1,"a":2}': 'the name \\"a\\" twice',
    '[{"x":{"a":1,"\\u0061":1}}]': 'the name \\"a\\" twice',
    "1e1000000000": "the number 1e1000000000",
    "-1E-99999999999999999999": "the number -1E-99999999999999999999",
}
NUMBER = st.from_regex(
    r"-?(0|[1-9][0-9]{0,45})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,12})?", fullmatch=True
)
EXACT = jq.compile("(.\n) | tojson")


@pytest.mark.parametrize(("served", "printed"), KEPT.items(), ids=lambda text: text[:20])
@pytest.mark.parametrize(
    "program",
    [".", ".n", "{n}", "select(.id)", "[.][0]", ". # all of it", ". # all \\", ".n # \\\r"],
)
def test_a_number_that_is_passed_on_keeps_its_digits(
    program: str, served: str, printed: str, unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: envelope(f'[{{"id":"1","n":{served}}}]'.encode())})
    for form in ("ndjson", "csv"):
        result = unified([*LIST, "-o", form, "--jq", program], environ=service.environ)
        assert (result.stderr, result.code) == ("", 0)
        if not (form == "csv" and program.startswith(".n")):
            assert printed in result.stdout
    result = unified([*LIST, "--jq", f".result[] | ({program}\n\n)"], environ=service.environ)
    assert (printed in result.stdout, result.stderr, result.code) == (True, "", 0)


def test_a_program_that_fails_beside_a_long_number_says_why(
    unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: envelope(b'[{"id":"1","n":%b}]' % (b"9" * 5000))})
    result = unified([*LIST, "--jq", ".[0]"], environ=service.environ)
    assert (result.code, "Cannot index object with number" in result.stderr) == (2, True)


@pytest.mark.parametrize("program", [".) | (.", "", "# nothing", "def f: 1;", ". | tojson)"])
def test_a_program_must_be_one_alone(program: str, unified: Unified, service: Service) -> None:
    result = unified([*LIST, "--jq", program or " "], environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert result.stderr.startswith("error: --jq: ")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (".big + 1", "--jq computed 10158500000000000 in doubles, which keep 15 digits\n"),
        ("1 / 3", "--jq computed 0.3333333333333333 in doubles, which keep 15 digits\n"),
        (".n + 1", ""),
        (".text | tonumber", ""),
        ("10158500000000007", ""),
        ("[.big, .exp, .big]", ""),
    ],
)
def test_a_number_that_was_computed_is_named_once(
    program: str, said: str, unified: Unified, service: Service
) -> None:
    record = (
        '{"n":1,"big":10158500000000001,"text":"10158500000000003","exp":1.2345678901234567e30}'
    )
    by_cursor(service, {None: envelope(f"[{record},{record}]".encode())})
    result = unified([*LIST, "-o", "ndjson", "--jq", program], environ=service.environ)
    assert (result.stderr, result.code) == (said, 0)


def bad(value: str) -> bytes:
    return f'[{{"id":"1"}},{{"id":"bad","x":{value}}},{{"id":"3"}}]'.encode()


@pytest.mark.parametrize(("value", "what"), NOT_HELD.items(), ids=lambda text: text[:20])
@pytest.mark.parametrize("form", ["ndjson", "csv", "tsv", "ids", "table"])
def test_a_record_that_jq_cannot_hold_is_left_out_and_named(
    form: str, value: str, what: str, unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: envelope(bad(value))})
    result = unified([*LIST, "-o", form, "--jq", "{id}"], environ=service.environ)
    said = '--jq left out 1 record that jq cannot represent: "bad" (' + what.replace("\\", "") + ")"
    assert (result.code, "bad" in result.stdout) == (9, False)
    told = json.loads(result.stderr)["error"]["message"] if form == "ndjson" else result.stderr
    assert said in told
    assert result.stdout.count("\n") == 2 + (form in {"csv", "tsv", "table"})


@pytest.mark.parametrize("value", NOT_HELD, ids=lambda text: text[:20])
@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["--jq", ".result[].id"], 0),
        (["--all", "--jq", ".result[].id"], 0),
        (["-o", "yaml", "--jq", ".result[].id"], 0),
        # Records that were read are printed, not judged.
        (["-o", "ndjson", "--expect", "length == 3"], 3),
        (["-o", "ndjson", "--expect", "true", "--expect", "false"], 3),
        (["-o", "ndjson", "--until", "length == 3"], 0),
        (["-o", "ndjson", "--until", "false", "--fail-if", "true"], 0),
    ],
)
def test_a_page_that_jq_cannot_hold_gives_no_result(
    argv: list[str], shown: int, value: str, unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: envelope(bad(value))})
    result = unified([*LIST, *argv], environ=service.environ)
    assert (result.stdout.count("\n"), result.code) == (shown, 9)
    assert "jq cannot represent" in result.stderr
    assert len(service.seen) == 1


@pytest.mark.parametrize("form", ["json", "yaml", "ndjson", "csv"])
def test_a_record_alone_gives_no_result_either(
    form: str, unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: b'{"id":"1","x":"\\ud800"}'})
    for command in ("get 1", "create -f name=a"):
        result = unified(
            [*f"ticketing tickets {command} -o {form} --jq".split(), ".id"],
            environ=service.environ,
        )
        assert ("1" in result.stdout, result.code) == (False, 9)
        assert "half a surrogate pair" in result.stderr
        if form == "json":
            assert ("POST /unified/ticketing/tickets was done" in result.stderr) == (
                command != "get 1"
            )


def test_the_names_of_many_are_not_all_printed(unified: Unified, service: Service) -> None:
    records = [f'{{"id":"{number}\\ud800"}}' for number in range(7)] + ['{"x":"\\ud800"}']
    by_cursor(service, {None: envelope(f"[{','.join(reversed(records))}]".encode())})
    result = unified([*LIST, "-o", "csv", "--jq", "."], environ=service.environ)
    names = ", ".join(
        f"{one} (half a surrogate pair)"
        for one in ("no id", *(f'"{number}\\ud800"' for number in (6, 5, 4, 3)))
    )
    assert result.stderr.endswith(
        f"error: --jq left out 8 records that jq cannot represent: {names} and 3 more\n"
    )


def test_several_connections_name_the_records_left_out(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config('[profiles.a]\naccount_id="1"\n[profiles.b]\naccount_id="2"\n')
    by_cursor(service, {None: envelope(bad('"\\udc00"'))})
    argv = ["-p", "a", "-p", "b", *LIST, "-o", "csv", "--jq", "{id}"]
    result = unified(argv, environ=service.environ)
    assert (result.stdout.count("\n"), result.code) == (5, 9)
    assert "--jq left out 2 records that jq cannot represent" in result.stderr


def test_a_file_that_is_resumed_still_lacks_a_record(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    first = envelope(bad('"\\ud800"'), '"c1"')
    broken = [Reply(500, b"{}"), served(envelope(b'[{"id":"4"}]'))]
    by_cursor(service, {None: first, "c1": lambda: broken.pop(0)})
    argv = [*LIST, "--all", "-o", "ndjson", "--jq", "{id}", "--out", str(tmp_path / "out")]
    argv += ["--retries", "0"]
    assert unified(argv, environ=service.environ).code == 5
    result = unified(argv, environ=service.environ)
    assert (tmp_path / "out").read_text() == '{"id":"1"}\n{"id":"3"}\n{"id":"4"}\n'
    assert (result.code, "--jq left out 1 record" in result.stderr) == (9, True)


def test_follow_names_a_left_out_record_at_once(unified: Unified, service: Service) -> None:
    def reply(_: Seen) -> Reply:
        if len(service.seen) > 1:
            return Reply(403, b'{"statusCode":403,"error":"no"}')
        return served(envelope(bad('"\\ud800"')))

    service.reply = reply
    argv = [*LIST, "--follow", "--since", "1d", "--jq", "{id}"]
    result = unified(argv, environ=service.environ)
    assert result.stdout == '{"id":"1"}\n{"id":"3"}\n'
    assert '--jq left out 1 record that jq cannot represent: "bad" (half' in result.stderr


def test_a_map_fails_the_line_that_jq_cannot_hold(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(201, b'{"id":"x"}')
    path = tmp_path / "in.ndjson"
    path.write_text(f'{{"name":"\\ud800"}}\n{{"name":"b","n":{DIGITS}}}\n{{"a":1,"a":2}}\n')
    result = unified(["import", "ticketing/tags", str(path), "--map", "."], environ=service.environ)
    assert ([seen.body for seen in service.seen], result.code) == (
        [f'{{"name":"b","n":{DIGITS}}}'.encode()],
        9,
    )
    assert "jq cannot represent half a surrogate pair" in result.stderr
    failed = (tmp_path / "in.ndjson.unified-failed.ndjson").read_text()
    assert '"name":"\\ud800"' in failed


@pytest.fixture
def sides(tmp_path: Path, config: Callable[[str], Path], service: Service) -> list[str]:
    config('[profiles.to]\naccount_id="1"\n')
    path = tmp_path / "from.ndjson"
    path.write_text(f'{{"id":"1","n":{DIGITS}}}\n{{"id":"2","name":"\\ud800"}}\n')
    records = f'[{{"id":"1","n":{DIGITS}}},{{"id":"2"}},{{"id":"3"}}]'
    by_cursor(service, {None: envelope(records.encode())})
    return ["ticketing/tickets", "--from", str(path), "--to", "to", "--map", "."]


def test_a_comparison_names_records_that_its_map_leaves_out(
    sides: list[str], unified: Unified, service: Service
) -> None:
    result = unified(["diff", *sides], environ=service.environ)
    assert [json.loads(line)["change"] for line in result.stdout.splitlines()] == ["only to"] * 2
    assert result.code == 9
    assert (
        '--map left out 1 record that jq cannot represent: "2" (half a surrogate' in result.stderr
    )


def test_a_plan_deletes_nothing_where_a_record_was_left_out(
    sides: list[str], unified: Unified, service: Service
) -> None:
    argv = ["plan", *sides, "--delete", "--same-ids"]
    result = unified(argv, environ=service.environ)
    assert (len(result.stdout.splitlines()), result.code) == (1, 9)
    assert (
        '--map left out 1 record that jq cannot represent: "2" (half a surrogate' in result.stderr
    )
    assert "and kept: 2 records\n" in result.stderr


def test_connections_name_records_that_where_leaves_out(unified: Unified, service: Service) -> None:
    accounts = '[{"id":"1","tenant_id":"a\\ud800"},{"id":"2","tenant_id":"b"}]'
    by_cursor(service, {None: envelope(accounts.encode())})
    argv = ["connections", "list", "--where", "true", "-o", "json"]
    result = unified(argv, environ=service.environ)
    assert [one["id"] for one in json.loads(result.stdout)["connections"]] == ["2"]
    assert (result.code, "--where left out 1 record" in result.stderr) == (9, True)


@pytest.mark.usefixtures("kept_ids")
def test_the_id_that_was_selected_is_the_one_that_is_deleted(
    unified: Unified, service: Service
) -> None:
    records = b'[{"id":10158500000000001,"status":"open"},{"id":10158500000000000,"status":"x"}]'
    by_cursor(service, {None: envelope(records)})
    argv = [*LIST, "--all", "--quiet", "-o", "ids", "--jq", 'select(.status=="open")']
    found = unified(argv, environ=service.environ)
    service.seen.clear()
    service.reply = lambda _: Reply(204, b"")
    argv = ["ticketing", "tickets", "delete", "-", "--yes"]
    assert unified(argv, environ=service.environ, stdin=found.raw).code == 0
    assert [seen.segments[-1] for seen in service.seen] == ["10158500000000001"]


@settings(max_examples=200)
@given(number=NUMBER)
def test_any_number_that_jq_holds_is_not_changed(number: str) -> None:
    text = f'[{number},"{number}"]'.encode()
    if not find_unsupported(text):
        (printed,) = EXACT.input_text(text.decode()).all()
        found = json.loads(printed, parse_int=str, parse_float=str)[0]
        assert digits(found) == digits(number)
        assert computed([printed.encode()], text) is None


def digits(number: str) -> tuple[str, int]:
    """The sign and the digits of a number, and the place of its point."""
    mantissa, _, exponent = number.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    return (whole + fraction).lstrip("0-"), int(exponent or 0) - len(fraction)
