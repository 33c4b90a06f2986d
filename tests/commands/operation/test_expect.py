"""`--expect`: records are printed, judged and reported, for one connection and for
many.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Clock, Process, Unified
from junitparser import JUnitXml
from pages import offer, serve, served, tickets
from server import Reply, Seen, Service

from unified_cli.call import selected_reads

Config = Callable[[str], Path]
LIST = ["ticketing", "tickets", "list"]
GET = ["ticketing", "tickets", "get", "t-1"]
OF_A_LIST = [
    ("length == 5", "length == 6"),
    ("map(.id) | unique | length == 5", ".[0].id"),
    ('.[] | .id | startswith("t-")', '.[] | .name == "Ticket 1"'),
    ("all(.[]; .name)", "all(.[]; .owner)"),
    ('any(.[]; .id == "t-4")', 'any(.[]; .id == "t-9")'),
    ("true", "empty"),
    ("true, true", "true, 1"),
    ("[.[].id] | sort == .", "null"),
    ('.[-1].id == "t-4"', ".[0] > 1e400 | tostring"),
    ("map(select(.id == null)) == []", ".x"),
]
OF_A_RECORD = [
    ('.id == "t-1"', ".id"),
    ('.name == "Ticket 1"', '.name == "other"'),
    ('has("id")', 'has("x")'),
    (".x == null", ".x"),
    ('type == "object"', "type"),
    ("length == 2", "length"),
    ("true, true", "true, false"),
    ("[.id] | length == 1", "empty"),
    ('.id | test("^t-[0-9]+$")', ".id.x"),
    ('keys == ["id", "name"]', 'error("no")'),
]


def connections(config: Config, number: int) -> list[str]:
    names = [f"c{at:02}" for at in range(number)]
    config("".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in names))
    return names


def answering(service: Service) -> None:
    """Five tickets in three pages, and the second of them by its id."""
    pages = [tickets(2), tickets(2, 2), tickets(1, 4)]
    serve(service, pages)
    lists = service.reply
    service.reply = lambda seen: (
        served(tickets(2)[1]) if seen.path.endswith("/t-1") else lists(seen)
    )


@pytest.mark.parametrize("many", [False, True], ids=["one connection", "twenty"])
@pytest.mark.parametrize(
    ("read", "programs"), [(LIST, OF_A_LIST), (GET, OF_A_RECORD)], ids=["list", "get"]
)
def test_ten_true_and_ten_false(
    unified: Unified,
    service: Service,
    config: Config,
    tmp_path: Path,
    many: bool,
    read: list[str],
    programs: list[tuple[str, str]],
) -> None:
    answering(service)
    names = connections(config, 20) if many else ["acct-1"]
    where = ["-p", "c*", "-o", "csv"] if many else []
    file = tmp_path / "result.xml"
    for position, expected in enumerate((0, 14)):
        wanted = [pair[position] for pair in programs]
        expectations = [word for text in wanted for word in ("--expect", text)]
        result = unified(
            [*read, *where, *expectations, "--junit", str(file)], environ=service.environ
        )
        assert result.code == expected, result.stderr
        suites = list(JUnitXml.fromfile(str(file)))
        assert [suite.name for suite in suites] == names
        for suite in suites:
            assert [case.name for case in suite] == wanted
            whose = f"{suite.name}." if many else ""
            assert {case.classname for case in suite} == {f"{whose}ticketing.tickets"}
            failures = 10 if expected else 0
            assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (
                10,
                failures,
                0,
                0,
            )
            assert [len(case.result) for case in suite] == [1 if expected else 0] * 10
    assert (
        f"error: {10 * len(names)} of {10 * len(names)} expectations do not hold, first "
        in result.stderr
    )


def test_all_read_records_are_printed(unified: Unified, service: Service) -> None:
    answering(service)
    result = unified([*LIST, "--expect", "length == 5"], environ=service.environ)
    assert result.json == {"result": tickets(5), "next_cursor": None}
    assert (result.stderr, result.code) == ("", 0)
    assert len(service.seen) == 3
    assert unified([*GET, "--expect", "true"], environ=service.environ).json == tickets(2)[1]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("length == 6", "--expect 'length == 6' gives false"),
        ("map(.id)[:2]", '--expect \'map(.id)[:2]\' gives ["t-0","t-1"]'),
        ("empty", "--expect 'empty' gives no result"),
        (
            ".id",
            (
                "--expect '.id': Cannot index array with string (\"id\") (the input is a list: .[]"
                " gives its items)"
            ),
        ),
        (
            "true, length",
            (
                "--expect 'true, length' gives 5 (compare the number, in quotes for the"
                " shell: 'length > 0')"
            ),
        ),
    ],
)
def test_the_message_has_the_value(
    unified: Unified, service: Service, program: str, message: str
) -> None:
    answering(service)
    result = unified([*LIST, "-o", "ids", "--expect", program], environ=service.environ)
    assert (result.stdout, result.stderr, result.code) == (
        "t-0\nt-1\nt-2\nt-3\nt-4\n",
        f"error: {message}\n",
        14,
    )


def test_a_partial_list_is_reported(unified: Unified, service: Service) -> None:
    answering(service)
    result = unified(
        [*LIST, "-o", "ids", "--limit", "2", "--expect", "length == 2"], environ=service.environ
    )
    said = (
        "cut on request after 2 records; only these records were checked; to continue:"
        " --cursor c1\n"
    )
    assert (result.stdout, result.stderr, result.code) == ("t-0\nt-1\n", said, 0)


def test_the_file_is_written_though_the_columns_are_wrong(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    answering(service)
    file = tmp_path / "result.xml"
    command = [
        *LIST,
        "-o",
        "csv",
        "--columns",
        "nmae",
        "--expect",
        "length == 5",
        "--junit",
        str(file),
    ]
    assert unified(command, environ=service.environ).code == 2
    assert [suite.tests for suite in JUnitXml.fromfile(str(file))] == [1]


def test_a_list_that_could_not_be_read_is_not_printed_as_an_empty_one(
    unified: Unified, service: Service
) -> None:
    service.reply = lambda _: served({"statusCode": 401, "error": "Error", "message": "no"}, 401)
    result = unified([*LIST, "-o", "json", "--expect", "true"], environ=service.environ)
    assert (result.stdout, result.code) == ("", 7)


def test_a_list_that_is_too_large_for_a_program(
    unified: Unified, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(service)
    monkeypatch.setattr(selected_reads, "LARGEST_DOCUMENT", 100)
    result = unified([*LIST, "-o", "ids", "--expect", "true"], environ=service.environ)
    said = (
        "error: the list has more than 0 MiB, the most that a jq program can take (read less with"
        " --limit N or -q NAME=VALUE)\n"
    )
    assert (result.stdout, result.stderr, result.code) == ("", said, 2)


def test_the_error_as_json(unified: Unified, service: Service) -> None:
    answering(service)
    result = unified([*LIST, "--expect", "false", "--json-errors"], environ=service.environ)
    assert json.loads(result.stderr)["error"] == {
        "code": "different",
        "exit": 14,
        "message": "--expect 'false' gives false",
        "origin": "local",
        "status": None,
        "retryable": False,
        "idempotency_key": None,
    }


def test_a_connection_that_fails_and_one_that_does_not_offer_it(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    names = connections(config, 4)
    no = {"statusCode": 404, "error": "Not Found", "message": "no such route"}

    def reply(seen: Seen) -> Reply:
        account = dict(seen.query).get("integrated_account_id")
        if account == "c01":
            return served({"statusCode": 500, "error": "Error", "message": "a \x01 <bad> day"}, 500)
        if "c02" in seen.target and "unified/ticketing" not in seen.path:
            return served(offer({"falconry": {"contacts": ["list"]}}))
        if account == "c02":
            return served(no, 404)
        return served({"result": tickets(3)})

    service.reply = reply
    file = tmp_path / "result.xml"
    file.write_text("old")
    command = [*LIST, "-p", "c*", "-o", "csv", "--retries", "0", "--junit", str(file)]
    result = unified([*command, "--expect", "length == 3"], environ=service.environ)
    assert result.code == 9
    assert [line[:3] for line in result.stdout.splitlines()[1:]] == ["c00"] * 3 + ["c03"] * 3
    assert result.stderr.splitlines()[-1] == "error: 1 of 4 connections failed: c01"
    assert "c02: skipped: the service answered 404" in result.stderr
    found = {
        suite.name: [type(one).__name__ for case in suite for one in case.result]
        for suite in JUnitXml.fromfile(str(file))
    }
    assert found == dict(zip(names, [[], ["Error"], ["Skipped"], []], strict=True))


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("--expect .[", 2, "--expect: syntax error"),
        ('--expect "import \\"x\\" as x; true"', 2, "--expect: no import directive is allowed"),
        ("--junit x.xml", 2, "--junit needs --expect JQ"),
        ("--fail-if true", 2, "--fail-if needs --until JQ"),
        ("--every 3", 2, "--every needs --until JQ"),
        ("--expect true --out x", 2, "--out cannot be used with --expect and --until"),
        ("--expect true -o raw", 2, "-o raw prints the response unchanged"),
        ("--expect true --junit /no/such/x.xml", 11, "there is no folder /no/such"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_sent(
    unified: Unified, service: Service, words: str, code: int, message: str
) -> None:
    result = unified(f"ticketing tickets list {words}", environ=service.environ)
    assert (result.code, service.seen) == (code, [])
    assert message in result.stderr


@pytest.mark.parametrize("more", ["", "--allow-partial"])
def test_a_verdict_on_partial_data_is_not_a_plain_pass(
    more: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    connections(config, 2)
    service.reply = lambda seen: served(
        {
            "result": tickets(2),
            "is_partial_response": dict(seen.query)["integrated_account_id"] == "c01",
        }
    )
    file = tmp_path / "result.xml"
    words = [
        "-p",
        "c*",
        "-o",
        "csv",
        "--expect",
        "length == 2",
        "--expect",
        "length == 3",
        "--junit",
        str(file),
    ]
    result = unified([*LIST, *words, *more.split()], environ=service.environ)
    found = {
        suite.name: [[(type(one).__name__, one.message) for one in case.result] for case in suite]
        for suite in JUnitXml.fromfile(str(file))
    }
    wrong = [("Failure", "--expect 'length == 3' gives false")]
    partial = [] if more else [("Error", "the provider left something out of page 1")]
    assert found == {"c00": [[], wrong], "c01": [partial, wrong]}
    assert result.code == (14 if more else 9)


def test_each_case_has_its_time(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    connections(config, 2)
    clock, file = Clock(), tmp_path / "result.xml"

    def reply(_: Seen) -> Reply:
        clock.sleep(1.5)
        return served({"result": tickets(2)})

    service.reply = reply
    words = [
        "-p",
        "c*",
        "-o",
        "csv",
        "--workers",
        "1",
        "--expect",
        "true",
        "--expect",
        "length == 2",
    ]
    world = {"monotonic": clock.now, "sleep": clock.sleep}
    assert (
        unified([*LIST, *words, "--junit", str(file)], environ=service.environ, **world).code == 0
    )
    for suite in JUnitXml.fromfile(str(file)):
        assert [case.time for case in suite] == [1.5, 0]
        assert suite.time == 1.5
    assert b'time="1.500"' in file.read_bytes()


def test_an_expectation_that_is_given_twice_is_one(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    answering(service)
    file = tmp_path / "result.xml"
    words = [
        "--expect",
        "length == 6",
        "--expect",
        "true",
        "--expect",
        "length == 6",
        "--junit",
        str(file),
    ]
    result = unified([*LIST, "-o", "ids", *words], environ=service.environ)
    assert (result.code, result.stderr) == (14, "error: --expect 'length == 6' gives false\n")
    assert [[case.name for case in suite] for suite in JUnitXml.fromfile(str(file))] == [
        ["length == 6", "true"]
    ]


def test_the_junit_file_survives_what_xml_forbids(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: served({"result": [{"id": "\u0000\ufffe\U0001f600]]><x a='\""}]})
    file = tmp_path / "result.xml"
    unified([*LIST, "--expect", ".[0].id", "--junit", str(file)], environ=service.environ)
    (suite,) = JUnitXml.fromfile(str(file))
    ((case,),) = [list(suite)]
    assert "]]><x a='" in case.result[0].text
    assert "\U0001f600" in case.result[0].text


def test_nothing_is_sent_for_a_dry_run(unified: Unified, service: Service) -> None:
    result = unified([*LIST, "--expect", "false", "--dry-run"], environ=service.environ)
    assert (result.code, service.seen) == (0, [])
    assert result.json["method"] == "GET"


def test_two_profiles_of_one_connection_are_named(
    unified: Unified, service: Service, config: Config
) -> None:
    config('[profiles.one]\naccount_id = "a"\n[profiles.two]\naccount_id = "a"\n')
    answering(service)
    result = unified(
        [*LIST, "-p", "one", "-p", "two", "-o", "csv", "--expect", "length == 5"],
        environ=service.environ,
    )
    assert (result.stderr, result.code) == ("one, two are the same connection\n", 0)


def test_a_program_without_end_ends_with_the_first_signal(service: Service, tmp_path: Path) -> None:
    answering(service)
    environ = {**os.environ, **service.environ, "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "unified_cli", *LIST, "--expect", "def f: f; f"]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        while len(service.seen) < 3:
            time.sleep(0.01)
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert running.returncode in {130, -signal.SIGINT}


def test_the_token_is_not_in_the_environment_of_a_program(
    process: Process, service: Service
) -> None:
    answering(service)
    result = process(
        [*LIST, "-o", "ids", "--expect", 'env | keys | index("UNIFIED_TOKEN")'],
        environ=service.environ,
    )
    assert b"gives null" in result.stderr
