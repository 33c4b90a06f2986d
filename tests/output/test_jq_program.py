"""jq programs see no token, read no files, and end with the signal that would end any
other program.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from front_door import ROOT, Process, Unified
from server import Reply, Seen, Service

LONG = "last(range(1e11))"
READS = ["ticketing", "tickets", "list", "-o", "ndjson", "--jq"]
WRITES = ["import", "ticketing/contacts", "in", "--map"]
ONCE = f'if .id == "3" and env.SLOW then {LONG} else . end'
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(service: Service, tmp_path: Path) -> Iterator[Start]:
    """Start the program against the service; the end of the test ends it."""
    with contextlib.ExitStack() as ending:

        def begin(
            *argv: str, slow: bool = True, shell: tuple[str, ...] = ()
        ) -> "subprocess.Popen[bytes]":
            environ = {
                **service.environ,
                "HOME": str(tmp_path),
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(ROOT),
            }
            process = subprocess.Popen(
                [*shell, sys.executable, "-P", "-m", "unified_cli", *argv],
                cwd=tmp_path,
                env={**environ, "UNIFIED_RATE": "0", **({"SLOW": "1"} if slow else {})},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            ending.enter_context(process)
            ending.callback(process.kill)
            return process

        yield begin


def pages(seen: Seen) -> Reply:
    number = int(dict(seen.query).get("next_cursor", "1"))
    records = [{"id": str(number)}, {"id": str(number), "more": True}]
    return Reply(
        200,
        json.dumps(
            {"result": records, "next_cursor": str(number + 1) if number < 5 else None}
        ).encode(),
    )


def processor_time(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_busy(pid: int, service: Service, requests: int) -> None:
    """Wait until the service was asked so often, and the program has computed for some
    time since.
    """
    until = time.monotonic() + 30
    while len(service.seen) < requests:
        assert time.monotonic() < until
        time.sleep(0.01)
    before = processor_time(pid)
    while processor_time(pid) < before + 0.1:
        assert time.monotonic() < until
        time.sleep(0.01)


def stopped(process: "subprocess.Popen[bytes]", kind: signal.Signals) -> bytes:
    """The output of the process until the first signal ended it, in time."""
    process.send_signal(kind)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == -kind
    return printed


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "command",
    ["ticketing tickets list", "ticketing tickets list -o csv", "ticketing tickets get 1"],
)
def test_the_first_signal_ends_a_running_program(
    command: str, kind: signal.Signals, start: Start, service: Service
) -> None:
    service.reply = pages
    process = start(*command.split(), "--jq", LONG)
    wait_until_busy(process.pid, service, 1)
    assert stopped(process, kind) == b""


def test_a_shell_shows_the_exit_code_of_the_signal(start: Start, service: Service) -> None:
    service.reply = pages
    script = '"$@" & echo $!; wait $!; echo $?'
    process = start(
        "ticketing", "tickets", "list", "--jq", LONG, shell=("/bin/sh", "-c", script, "sh")
    )
    assert process.stdout
    pid = int(process.stdout.readline())
    try:
        wait_until_busy(pid, service, 1)
        os.kill(pid, signal.SIGTERM)
        assert process.communicate(timeout=60)[0] == b"143\n"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_the_lines_of_a_list_are_whole_when_its_program_is_ended(
    kind: signal.Signals, start: Start, service: Service
) -> None:
    service.reply = pages
    process = start("ticketing", "tickets", "list", "--all", "-o", "ndjson", "--jq", ONCE)
    wait_until_busy(process.pid, service, 3)
    printed = stopped(process, kind)
    assert [json.loads(line)["id"] for line in printed.splitlines()] == ["1", "1", "2", "2"]
    assert printed.endswith(b"\n")


def test_a_file_is_resumed_after_its_program_was_ended(
    start: Start, service: Service, tmp_path: Path
) -> None:
    service.reply = pages
    argv = ("ticketing", "tickets", "list", "--all", "-o", "ndjson", "--out", "found", "--jq", ONCE)
    process = start(*argv)
    wait_until_busy(process.pid, service, 3)
    stopped(process, signal.SIGINT)
    assert not (tmp_path / "found").exists()
    again = start(*argv, slow=False)
    assert again.wait(60) == 0
    lines = (tmp_path / "found").read_bytes().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [
        str(number) for number in range(1, 6) for _ in range(2)
    ]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("found")] == ["found"]


def test_an_import_is_resumed_after_its_map_was_ended(
    start: Start, service: Service, tmp_path: Path
) -> None:
    created: list[str] = []

    def reply(seen: Seen) -> Reply:
        created.append(seen.json["id"])
        return Reply(201, b'{"id":"x"}')

    service.reply = reply
    (tmp_path / "in").write_text("".join(f'{{"id":"{number}"}}\n' for number in range(6)))
    argv = ("import", "ticketing/contacts", "in", "--map", ONCE, "--workers", "1")
    process = start(*argv)
    wait_until_busy(process.pid, service, 2)
    stopped(process, signal.SIGTERM)
    again = start(*argv, slow=False)
    assert again.wait(60) in (0, 10)
    assert sorted({*created}) == [str(number) for number in range(6)]
    again = start(*argv, "--retry-in-doubt", slow=False)
    assert again.wait(60) == 0


def test_a_program_does_not_see_the_token(start: Start, service: Service, tmp_path: Path) -> None:
    (tmp_path / "in").write_text('{"id":"1"}\n')
    for option in (READS, WRITES):
        service.reply = pages if option is READS else lambda _: Reply(201, b'{"id":"x"}')
        process = start(*option, "{env: env, also: $ENV}")
        shown = b"".join((*process.communicate(timeout=60), *(seen.body for seen in service.seen)))
        assert b"UNIFIED_BASE_URL" in shown
        assert b"t-0123456789" not in shown
        assert b"UNIFIED_TOKEN" not in shown
        assert service.seen.pop().headers["authorization"] == "Bearer t-0123456789"


@pytest.mark.parametrize(
    "program",
    [
        'import "m" as m; m::f',
        'import "m" as $m; $m',
        ' \n# a comment\ninclude "m"; f',
        '# a comment that \\\n goes on\ninclude "m"; f',
        '# a comment\r\ninclude "m"; f',
        'module {"name": "x"}; include "m"; f',
    ],
)
def test_a_program_reads_no_modules(
    program: str,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.jq").write_text("def f: 42;")
    (tmp_path / "m.json").write_text("42")
    (tmp_path / "in").write_text('{"id":"1"}\n')
    for option in (READS, WRITES):
        result = unified([*option, program], environ=service.environ)
        assert result.code == 2
        assert "directive is allowed" in result.stderr
    assert service.seen == []


@pytest.mark.parametrize(
    "program",
    ['"import \\"m\\""', "{import: 1}.import", '# include "m"\n1', '# \\\ninclude "m";\n1'],
)
def test_words_that_are_not_directives_are_accepted(
    program: str, unified: Unified, service: Service
) -> None:
    assert (
        unified(["ticketing", "tickets", "list", "--jq", program], environ=service.environ).code
        == 0
    )


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ('if .id == "3" then halt_error else .id end', ""),
        ('if .id == "3" then ("three" | halt_error(0)) else .id end', "three"),
        (
            'if .id == "3" then halt else .id end',
            "halt has no meaning here, where a program runs once for each value",
        ),
        ("halt_error(1; 2)", "halt_error/2 is not defined at <top-level>, line 1, column 1: "),
    ],
)
def test_a_program_that_halts_leaves_no_record_out_silently(
    program: str, said: str, unified: Unified, service: Service
) -> None:
    service.reply = pages
    result = unified([*READS, program, "--all"], environ=service.environ)
    assert (result.code, said in result.stderr) == (2, True), result.stderr
    assert (
        unified(
            ["ticketing", "tickets", "get", "1", "--jq", '"halt"'], environ=service.environ
        ).code
        == 0
    )


@pytest.mark.parametrize(
    "program", ["setpath([2147483647]; 1)", "[range(10)] | .[1e18] = 1", "error(null)", "{} + 1"]
)
def test_a_program_that_fails_is_invalid_usage(
    program: str, process: Process, service: Service
) -> None:
    result = process(
        ["ticketing", "tickets", "list", "--jq", f"null | {program}"], environ=service.environ
    )
    assert (result.returncode, result.stderr[:12]) == (2, b"error: --jq:")


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_a_result_that_is_nested_deep_is_printed_or_refused(form: str, unified: Unified) -> None:
    program = "reduce range(5000) as $i (1; [.])"
    result = unified(
        [
            "-p",
            "sandbox",
            "ticketing",
            "tickets",
            "list",
            "--limit",
            "1",
            "-o",
            form,
            "--jq",
            program,
        ]
    )
    # How deep Python writes JSON depends on its version.
    refused = (result.stdout, result.code) == (
        "",
        2,
    ) and "nested too deep to be written" in result.stderr
    assert refused or (result.stdout.startswith("[" * 5000), result.code) == (True, 0)


def test_a_page_that_a_program_raises_is_cut_in_the_message(unified: Unified) -> None:
    result = unified("-p sandbox ticketing tickets list --jq error")
    assert (result.code, len(result.stderr) < 330) == (2, True)
    assert result.stderr.startswith('error: --jq: {"result": [{"id": "tickets-1"')
    assert result.stderr.endswith("…\n")
