"""Progress on stderr: a line that changes on a terminal, a line every ten seconds
elsewhere, nothing with --quiet.
"""

import io
import re
import shlex
import tempfile
from typing import Any

import pytest
from front_door import Clock, Unified
from pages import cursor_of, serve, tickets
from server import Reply, Seen, Service

from unified_cli.output.progress import Screen, Tally, Wait, Work, draw
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
    result = unified(
        command, environ=service.environ, stderr=Stderr(stderr), monotonic=clock.now, **world
    )
    return stderr.getvalue().decode(), result.code


def test_off_a_terminal_a_line_every_ten_seconds(unified: Unified, service: Service) -> None:
    told, code = run(unified, service, LIST)
    lines = told.splitlines()
    assert (lines[-1], code) == ("complete: 600 records in 6 pages", 0)
    assert 1 <= len(lines[:-1]) <= 2
    assert all(" records in " in line and line.endswith(" per second") for line in lines[:-1])


def test_off_a_terminal_waits_are_reported(unified: Unified, service: Service) -> None:
    serve(service, [tickets(100, 100 * page) for page in range(6)])
    clock, stderr = Clock(), io.BytesIO()
    world = {"stderr": Stderr(stderr), "monotonic": clock.now, "sleep": clock.sleep}
    assert unified(f"{LIST} --rate 2", environ=service.environ, **world).code == 0
    *told, last = stderr.getvalue().decode().splitlines()
    assert last == "complete: 600 records in 6 pages"
    first, second = told
    assert re.search(r", wait(ed|ing) \d+ s: at most 2 in 10.2 s are sent$", first)
    assert re.search(r", waited 10 s \(20 s in total\): at most 2 in 10.2 s are sent$", second)


def test_verbose_says_each_wait_and_how_long_it_was_in_total(
    unified: Unified, service: Service
) -> None:
    serve(service, [tickets(100, 100 * page) for page in range(6)])
    clock, stderr = Clock(), io.BytesIO()
    world = {"stderr": Stderr(stderr), "monotonic": clock.now, "sleep": clock.sleep}
    assert unified(f"{LIST} --rate 2 -v", environ=service.environ, **world).code == 0
    told = [line for line in stderr.getvalue().decode().splitlines() if "waiting" in line]
    reason = "at most 2 in 10.2 s are sent"
    assert [line for line in told if line.startswith("waiting")] == [
        f"waiting 10.2 s: {reason}",
        f"waiting 10.2 s (20.5 s in total): {reason}",
    ]


def test_off_a_terminal_it_says_how_long_it_will_take(unified: Unified, service: Service) -> None:
    told, _ = run(unified, service, "ticketing tickets list -o ids --limit 500")
    first, *_ = told.splitlines()
    assert re.fullmatch(r"\d00 of 500 records, \d+ per second, about \d+ s left", first)


def test_progress_is_not_printed_between_results_on_one_stream(
    unified: Unified, service: Service
) -> None:
    with tempfile.TemporaryFile() as both:
        clock = Clock()
        slow_pages(service, clock)
        world: dict[str, Any] = {"stdout": both, "stderr": Stderr(both), "monotonic": clock.now}
        assert unified(LIST, environ=service.environ, **world).code == 0
        both.seek(0)
        lines = both.read().decode().splitlines()
    assert lines == [*(f"t-{at}" for at in range(600)), "complete: 600 records in 6 pages"]


def test_on_a_terminal_one_line_that_is_gone_at_the_end(unified: Unified, service: Service) -> None:
    told, _ = run(unified, service, LIST, stderr_is_terminal=True)
    assert told.endswith("\r\x1b[Kcomplete: 600 records in 6 pages\n")
    assert told.count("\n") == 1
    assert told.count(" per second") >= 2


@pytest.mark.parametrize("world", [{}, {"stderr_is_terminal": True}])
def test_quiet_is_quiet(world: dict[str, Any], unified: Unified, service: Service) -> None:
    assert run(unified, service, f"{LIST} --quiet", **world) == ("", 0)


def test_a_terminal_that_gets_the_records_gets_no_changing_line(
    unified: Unified, service: Service
) -> None:
    told, _ = run(unified, service, LIST, stderr_is_terminal=True, stdout_is_terminal=True)
    assert "\x1b" not in told


@pytest.mark.parametrize("columns", [80, 120])
def test_the_remaining_wait_is_shown(columns: int) -> None:
    tally = Tally(Work(part="list", parts=68))
    tally.units, tally.parts = 4000, 17
    screen = Screen(columns, colour=False, encoding="utf-8")
    assert "400 per second, about 30 s left" in draw(tally, 10, 10, screen._replace(columns=120))
    tally.wait = Wait(19.0, "the limit of the service", 9.0)
    line = draw(tally, 10, 10, screen)
    assert "about 1 min 6 s left" in line
    assert "waiting 9 s" in line
    assert "per second" not in line


def test_the_time_left_falls_during_a_wait_and_has_the_wait_in_it() -> None:
    tally = Tally(Work(total=300))
    tally.units = 45
    tally.wait = Wait(11.0, "the limit of the service", 10.0)
    shown = [draw(tally, now, now, Screen(120, colour=False, encoding="utf-8")) for now in (1, 6)]
    assert ["about 1 min 12 s left" in shown[0], "about 1 min 7 s left" in shown[1]] == [True, True]


@pytest.mark.parametrize("columns", [80, 120])
def test_an_export_names_the_lists_that_are_under_way(columns: int) -> None:
    tally = Tally(Work(part="list", parts=68))
    tally.parts, tally.units = 8, 12000
    tally.under_way = dict.fromkeys(("northwind-eu/ticketing/tickets", "globex/ats/jobs", "x/y/z"))
    line = draw(tally, 30, 30, Screen(columns, colour=False, encoding="utf-8"))
    assert "8 of 68 lists, 12000 records, about 3 min 45 s left" in line
    assert line.endswith("tickets and 2 more")
    tally.wait = Wait(40, "asked for by the service", 12)
    line = draw(tally, 30, 30, Screen(columns, colour=False, encoding="utf-8"))
    assert "about 5 min 10 s left" in line
    assert "waiting 10 s" in line


def test_off_a_terminal_an_export_names_them_too(unified: Unified, service: Service) -> None:
    with tempfile.TemporaryDirectory() as folder:
        typed = f"export ticketing/tickets --to {shlex.quote(folder)}/dump"
        told, code = run(unified, service, typed)
    assert code == 0
    first, *_ = told.splitlines()
    assert re.fullmatch(
        r"0 of 1 list, \d00 records, \d+ per second, reading .+/ticketing/tickets", first
    )
