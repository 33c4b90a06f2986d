"""The learned limit of a connection serves the next run, for a day."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from front_door import Clock, Unified
from server import Reply, Seen, Service

# Files have the time of the system, which says which of them are too old to stay.
NOW = float(int(time.time()))
LIST = "ticketing tickets list -v"


def limited(_: Seen) -> Reply:
    headers = {
        "Content-Type": "application/json",
        "RateLimit-Policy": '"p";q=5;w=1',
        "RateLimit": '"p";r=4;t=1',
    }
    return Reply(200, b'{"result":[],"next_cursor":null}', headers)


def world(tmp_path: Path, at: float = NOW) -> dict[str, Any]:
    return {
        "folders": {name: tmp_path / name for name in ("cache", "config", "data")},
        "wall": lambda: at,
    }


def kept(tmp_path: Path) -> list[Any]:
    return [json.loads(path.read_text()) for path in (tmp_path / "cache" / "rate").iterdir()]


def test_the_next_run_begins_at_the_pace_that_was_learned(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = limited
    first = unified(LIST, environ=service.environ, **world(tmp_path))
    assert (first.code, "min ago" in first.stderr) == (0, False)
    assert kept(tmp_path) == [{"at": NOW, "key": [service.url, "acct-1"], "value": [5, 1.07]}]

    service.reply = lambda _: Reply(200, b'{"result":[],"next_cursor":null}')
    second = unified(LIST, environ=service.environ, **world(tmp_path, NOW + 300))
    assert (
        "5 min ago, 5 requests in 1.07 s were accepted; this run begins at this rate\n"
        in second.stderr
    )
    assert kept(tmp_path)[0]["at"] == NOW, "a run that learned nothing changed the age"

    late = unified(LIST, environ=service.environ, **world(tmp_path, NOW + 24 * 3600))
    other = unified(f"{LIST} -a acct-2", environ=service.environ, **world(tmp_path))
    assert "min ago" not in late.stderr + other.stderr


def test_a_known_pace_is_not_written_again_within_half_a_day(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = limited
    for hours, written in ((0, 0), (1, 0), (11, 0), (13, 13)):
        unified(LIST, environ=service.environ, **world(tmp_path, NOW + hours * 3600))
        assert kept(tmp_path)[0]["at"] == NOW + written * 3600


@pytest.mark.parametrize(
    "value",
    [
        "null",
        "[5]",
        '["5", 1]',
        "[true, 1]",
        "[0, 1]",
        "[5, 0]",
        "[5, 1e9]",
        "[1e300, 1e-300]",
        "[5, NaN]",
    ],
)
def test_an_impossible_pace_is_ignored(
    unified: Unified, service: Service, tmp_path: Path, value: str
) -> None:
    service.reply = limited
    unified(LIST, environ=service.environ, **world(tmp_path))
    [path] = (tmp_path / "cache" / "rate").iterdir()
    assert "[5.0, 1.07]" in path.read_text()
    path.write_text(path.read_text().replace("[5.0, 1.07]", value))
    again = unified(LIST, environ=service.environ, **world(tmp_path, NOW + 60))
    assert (again.code, "min ago" in again.stderr) == (0, False)


def test_a_cache_that_cannot_be_written_does_no_harm(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = limited
    (tmp_path / "cache").write_text("a file")
    result = unified(LIST, environ=service.environ, **world(tmp_path))
    assert result.code == 0
    assert "cannot cache the learned rate limits: " in result.stderr
    assert (
        unified("ticketing tickets list", environ=service.environ, **world(tmp_path)).stderr == ""
    )


@pytest.mark.parametrize(
    "words", [LIST, "ticketing tickets list --help", "ticketing tickets create --skeleton"]
)
def test_an_unreadable_cache_is_treated_as_missing(
    words: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    # As in a folder without access, which the superuser never lacks: the
    # system refuses to look.
    folders = {**world(tmp_path)["folders"], "cache": tmp_path / ("x" * 300)}
    assert unified(words, environ=service.environ, folders=folders).code == 0


def test_a_pace_that_the_service_does_not_confirm_is_forgotten(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = limited
    unified(LIST, environ=service.environ, **world(tmp_path))
    [path] = (tmp_path / "cache" / "rate").iterdir()

    def page(seen: Seen) -> Reply:
        number = int(dict(seen.query).get("next_cursor", "0")) + 1
        onward = f'"{number}"' if number < 40 else "null"
        return Reply(200, f'{{"result":[{{"id":"{number}"}}],"next_cursor":{onward}}}'.encode())

    service.reply = page
    clock = Clock()
    ticking = {"monotonic": clock.now, "sleep": clock.sleep}
    began = clock.at
    more = unified(
        "ticketing tickets list --all -o ids",
        environ=service.environ,
        **ticking,
        **world(tmp_path, NOW + 60),
    )
    assert (more.code, len(more.stdout.splitlines())) == (0, 40)
    assert clock.at - began < 10
    assert not path.exists()


def test_a_pace_that_0_2_0_kept_is_ignored(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = limited
    unified(LIST, environ=service.environ, **world(tmp_path))
    (tmp_path / "cache" / "rate").rename(tmp_path / "cache" / "pace")
    again = unified(LIST, environ=service.environ, **world(tmp_path, NOW + 60))
    assert (again.code, "min ago" in again.stderr) == (0, False)
