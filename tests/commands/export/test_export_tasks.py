"""An export as tasks: one for each connection, done anywhere, and together the
whole.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Clock, Unified
from pages import cursor_of, serve, served, tickets
from server import Service

from unified_cli import __version__

Config = Callable[[str], Path]
TOKEN = "t-0123456789"


def profiles(config: Config, url: str, *names: str) -> None:
    tables = "".join(f'[profiles.{name}]\naccount_id = "of-{name}"\n' for name in names)
    config(f'base_url = "{url}"\ntoken = "{TOKEN}"\n{tables}')


def files(folder: Path) -> dict[str, bytes]:
    found = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    return {name: data for name, data in found.items() if not name.startswith("manifest")}


def the_task(url: str, folder: Path, **changed: Any) -> str:
    task = {
        "version": __version__,
        "profile": "acme",
        "base_url": url,
        "account": "of-acme",
        "to": str(folder),
        "lists": ["ticketing/tickets"],
        "required": ["ticketing/tickets"],
        "options": {},
    }
    return json.dumps({**task, **changed})


def test_a_task_names_its_lists_and_connection_and_carries_no_token(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, "acme", "globex")
    what = [
        "export",
        "ticketing/tickets",
        "ticketing/tag*",
        "-p",
        "*",
        "-q",
        "a[gt]=1",
        "--rate",
        "20",
    ]
    result = unified([*what, "--to", str(tmp_path / "x"), "--tasks"])
    options = {"query": ["a[gt]=1"], "rate": 20.0}
    expected = [
        json.loads(
            the_task(
                service.url,
                tmp_path / "x",
                profile=name,
                account=f"of-{name}",
                lists=["ticketing/tags", "ticketing/tickets"],
                options=options,
            )
        )
        for name in ("acme", "globex")
    ]
    assert (
        [json.loads(line) for line in result.stdout.splitlines()],
        result.stderr,
        result.code,
    ) == (expected, "", 0)
    assert TOKEN not in result.stdout
    assert (service.seen, (tmp_path / "x").exists()) == ([], False)


def test_tasks_put_together_are_the_whole(unified: Unified, config: Config, tmp_path: Path) -> None:
    config(
        'base_url = "sandbox:"\n[profiles.one]\naccount_id = "full:1"\n[profiles."a.b"]\naccount_id'
        ' = "full:2"\n'
    )
    what = "export ticketing/t* ats/j* -p *"
    assert unified(f"{what} --to {tmp_path / 'whole'}").code == 0
    tasks = unified(f"{what} --to {tmp_path / 'parts'} --tasks").stdout.splitlines()
    assert [unified(["export", "--task", task]).code for task in tasks] == [0, 0]
    assert files(tmp_path / "parts") == files(tmp_path / "whole")
    names = sorted(path.name for path in (tmp_path / "parts").iterdir())
    assert names == ["a.b", "manifest-of-a.b.json", "manifest-of-one.json", "one"]
    count = len(files(tmp_path / "whole"))
    verified = unified(f"export --verify {tmp_path / 'parts'}")
    lists = f"{count} of {count} lists done"
    said = f"{tmp_path / 'parts'}: the manifest matches {count} files; {lists}\n"
    assert verified.stderr == said
    again = unified("export --task -", stdin=tasks[0].encode())
    assert (again.code, "wrote 0 files" in again.stderr) == (0, True)
    (tmp_path / "parts" / "one" / "ticketing" / "tags.ndjson").unlink()
    assert unified(f"export --verify {tmp_path / 'parts'}").code == 12


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"account": "other"},
            (
                "the task of acme is for the account other, but on this machine the profile has"
                " of-acme"
            ),
        ),
        (
            {"base_url": "https://other.example"},
            (
                "the task of acme is for the address https://other.example, but on this machine"
                " the profile has {url}"
            ),
        ),
        ({"version": "0.0.9"}, f"the task of acme is from version 0.0.9, not {__version__}"),
        (
            {"profile": "initech"},
            'the task of initech cannot be done here: no profile named "initech"',
        ),
        (
            {"lists": ["falconry/deals"], "required": []},
            "the task of acme reads falconry/deals, which is not known here",
        ),
    ],
)
def test_a_task_for_another_connection_on_this_machine_sends_nothing(
    changed: dict[str, Any],
    said: str,
    unified: Unified,
    service: Service,
    config: Config,
    tmp_path: Path,
) -> None:
    profiles(config, service.url, "acme")
    result = unified(["export", "--task", the_task(service.url, tmp_path / "x", **changed)])
    assert (result.code, result.stderr[: result.stderr.rfind(" (")]) == (
        12,
        f"error: {said.format(url=service.url)}",
    )
    assert (service.seen, (tmp_path / "x").exists()) == ([], False)


def test_a_task_without_a_token_here_sends_nothing(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    config(f'base_url = "{service.url}"\n[profiles.acme]\naccount_id = "of-acme"\n')
    result = unified(["export", "--task", the_task(service.url, tmp_path / "x")])
    assert (result.code, service.seen) == (12, [])
    assert "cannot be done here" in result.stderr
    assert "no token" in result.stderr


@pytest.mark.parametrize(
    "line",
    [
        "export --task {}",
        "export --task nonsense",
        "export --task '[]'",
        "export ticketing --task TASK",
        "export --task TASK -p globex",
        "export --task TASK --restart",
        "export --task TASK --shard 1/2",
        "export --task TASK -q a=b",
        "export ticketing -p acme --to x --tasks --restart",
        "export ticketing -p acme --to x --tasks --shard 1/2",
        "export ticketing -p acme --tasks",
        "export ticketing -p acme --to x --tasks --bom",
    ],
)
def test_an_invalid_task_is_refused(
    line: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, "acme", "globex")
    task = the_task(service.url, tmp_path / "x").replace('"', '\\"')
    result = unified(line.replace("TASK", f'"{task}"'))
    assert (result.code, result.stdout, service.seen) == (2, "", [])


@pytest.mark.parametrize(
    "options", [{"rate": -1}, {"workers": 65}, {"timeout": 0}, {"token": "t"}, {"output": "yaml"}]
)
def test_a_task_with_invalid_options_is_refused(
    options: dict[str, Any], unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, "acme")
    result = unified(["export", "--task", the_task(service.url, tmp_path / "x", options=options)])
    assert (result.code, service.seen) == (2, [])


def test_a_task_that_is_run_again_waits_until_the_requests_before_count_no_more(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, "acme")
    serve(service, [tickets(2), tickets(2, 2)])
    good = service.reply
    service.reply = lambda seen: served({}, 403) if cursor_of(seen) == "c1" else good(seen)
    task, clock = the_task(service.url, tmp_path / "x"), Clock()
    assert unified(["export", "--task", task], monotonic=clock.now, sleep=clock.sleep).code == 7
    assert clock.slept == []
    service.reply = good
    service.seen.clear()
    assert unified(["export", "--task", task], monotonic=clock.now, sleep=clock.sleep).code == 0
    assert (clock.slept, [cursor_of(seen) for seen in service.seen]) == ([10.25], ["c1"])
    assert unified(["export", "--task", task], monotonic=clock.now, sleep=clock.sleep).code == 0
    assert clock.slept == [10.25]


def test_options_of_a_machine_are_beside_the_task(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, "acme")
    serve(service, [tickets(2)])
    task = the_task(service.url, tmp_path / "x")
    result = unified(
        ["export", "--task", task, "--to", str(tmp_path / "y"), "--rate", "3", "--quiet"]
    )
    assert (result.code, result.stderr, (tmp_path / "x").exists()) == (0, "", False)
    assert (tmp_path / "y" / "manifest-of-acme.json").exists()


@pytest.mark.parametrize(
    ("more", "environ", "first"),
    [
        ("", {}, 45),
        ("--shard 1/1", {}, 45),
        ("--shard 1/3", {}, 15),
        ("--shard 1/3 --rate 20", {}, 20),
        ("--shard 1/3", {"UNIFIED_RATE": "30"}, 30),
        ("--shard 1/3 --rate 100 --token-rate 21", {}, 21),
        ("--shard 1/3", {"UNIFIED_RATE": "30", "UNIFIED_TOKEN_RATE": "6"}, 6),
        ("--shard 1/3 --rate 9 --token-rate 0", {}, 9),
        ("--rate 5 --token-rate 2", {}, 2),
        ("--shard 1/5 --token-rate 450 --rate 0", {}, 100),
    ],
)
def test_a_shard_has_its_part_of_the_limits_unless_they_are_given(
    more: str,
    environ: dict[str, str],
    first: int,
    unified: Unified,
    service: Service,
    tmp_path: Path,
) -> None:
    clock, times = Clock(), []
    serve(service, [tickets(1)] * 100)
    good = service.reply

    def reply(seen: Any) -> Any:
        times.append(clock.now())
        return good(seen)

    service.reply = reply
    shards = more.split("/")[1].split(maxsplit=1)[0] if "--shard" in more else "1"
    # Whichever part it is that reads the list.
    for number in range(1, int(shards) + 1):
        line = (
            f"export ticketing/tickets --to {tmp_path / 'x'}"
            f" {more.replace('--shard 1/', f'--shard {number}/')}"
        )
        result = unified(
            line, environ={**service.environ, **environ}, monotonic=clock.now, sleep=clock.sleep
        )
        assert result.code == 0
    assert sum(1 for at in times if at < times[0] + 10) == first
