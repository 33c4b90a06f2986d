"""Progress on stderr: a line that changes on a terminal, a line every ten seconds elsewhere, nothing with --quiet."""

import io
from typing import Any

import pytest
from front_door import Clock, Unified
from pages import cursor_of, serve, tickets
from server import Reply, Seen, Service

from unified_cli.stderr import Stderr

LIST = "ticketing tickets list --all -o ids"


def slow_pages(service: Service, clock: Clock) -> None:
    serve(service, [tickets(100, 100 * page) for page in range(6)])
    good = service.reply

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen):
            clock.sleep(4)
        return good(seen)

    service.reply = reply


def run(unified: Unified, service: Service, command: str, **world: Any) -> tuple[str, int]:
    clock, stderr = Clock(), io.BytesIO()
    slow_pages(service, clock)
    result = unified(command, environ=service.environ, stderr=Stderr(stderr), monotonic=clock.now, **world)
    return stderr.getvalue().decode(), result.code


def test_off_a_terminal_a_line_every_ten_seconds(unified: Unified, service: Service) -> None:
    told, code = run(unified, service, LIST)
    lines = told.splitlines()
    assert (lines[-1], code) == ("complete: 600 records in 6 pages", 0)
    assert 1 <= len(lines[:-1]) <= 2
    assert all(" records in " in line and line.endswith(" per second") for line in lines[:-1])


def test_on_a_terminal_one_line_that_is_gone_at_the_end(unified: Unified, service: Service) -> None:
    told, _ = run(unified, service, LIST, stderr_is_terminal=True)
    assert told.endswith("\r\x1b[Kcomplete: 600 records in 6 pages\n")
    assert told.count("\n") == 1
    assert told.count(" per second") >= 2


@pytest.mark.parametrize("world", [{}, {"stderr_is_terminal": True}])
def test_quiet_is_quiet(world: dict[str, Any], unified: Unified, service: Service) -> None:
    assert run(unified, service, f"{LIST} --quiet", **world) == ("", 0)


def test_a_terminal_that_gets_the_records_gets_no_changing_line(unified: Unified, service: Service) -> None:
    told, _ = run(unified, service, LIST, stderr_is_terminal=True, stdout_is_terminal=True)
    assert "\x1b" not in told
