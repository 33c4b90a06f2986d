"""`unified runs`: what was begun is listed, shown as it is, continued once, and removed
only on request.
"""

import json
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from many_connections import account, base_url, failing, good, profiles, run_id
from server import Reply, Seen, Service

Config = Callable[[str], Path]
UPDATE = "ticketing tickets update t1 -f name=x"
AT = 1_800_000_000.0


@pytest.fixture
def stopped(unified: Unified, service: Service, config: Config) -> str:
    """The id of a run over four connections: done, failed, and two that were not
    tried.
    """
    profiles(config, service.url, 4)
    service.reply = failing({"a-c01": 404})
    result = unified(f"{UPDATE} -p c* --yes --fail-fast --workers 1", wall=lambda: AT)
    service.seen.clear()
    service.reply = failing({})
    return run_id(result.stderr)


def path_of(tmp_path: Path, run: str) -> Path:
    return tmp_path / "data" / "runs" / f"{run}.ndjson"


def test_runs_of_one_second_are_in_their_order_too(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 1)
    service.reply = failing({})
    begun = [
        run_id(unified(f"{UPDATE} -p c* --yes", wall=lambda at=at: AT + at / 10).stderr)
        for at in range(6)
    ]
    assert [one["id"] for one in unified("runs list -o json").json["runs"]] == begun[::-1]


def test_the_list_has_the_newest_first(stopped: str, unified: Unified) -> None:
    later = run_id(unified(f"{UPDATE} -p c* --yes", wall=lambda: AT + 60).stderr)
    listed = unified("runs list")
    assert listed.stdout.splitlines() == [
        f"{later}\t2027-01-15T08:01:00+00:00\tticketing tickets update\t4\t0\t0\t0\tdone",
        f"{stopped}\t2027-01-15T08:00:00+00:00\tticketing tickets update\t1\t1\t0\t2\tinterrupted",
    ]
    first, _ = unified("runs list -o json").json["runs"]
    assert (first["id"], first["done"], first["not_tried"], first["state"]) == (later, 4, 0, "done")


def test_show_says_what_became_of_each_call(stopped: str, unified: Unified) -> None:
    shown = unified(f"runs show {stopped} -o json").json["result"]
    assert [(one["_profile"], one["outcome"], one["status"]) for one in shown] == [
        ("c00", "done", 200),
        ("c01", "failed", 404),
        ("c02", "not-tried", None),
        ("c03", "not-tried", None),
    ]
    assert shown[0]["sent"] == "2027-01-15T08:00:00+00:00"
    assert shown[1]["reason"].startswith(
        "the service answered 404 to PATCH /unified/ticketing/tickets/t1: no"
    )
    lines = unified(f"runs show {stopped}").stdout.splitlines()
    assert lines[0].split("\t") == [
        "_profile",
        "outcome",
        "status",
        "id",
        "reason",
        "idempotency_key",
    ]
    assert len(lines) == 5


def test_resume_does_what_was_not_tried_once(
    stopped: str, unified: Unified, service: Service
) -> None:
    result = unified(f"runs resume {stopped}")
    assert sorted(account(seen) for seen in service.seen) == ["a-c02", "a-c03"]
    assert result.code == 9
    assert result.stderr.splitlines()[0] == f"run {stopped}"
    service.seen.clear()
    assert (unified(f"runs resume {stopped}").code, service.seen) == (9, [])
    result = unified(f"runs retry {stopped}")
    assert [account(seen) for seen in service.seen] == ["a-c01"]
    assert (result.code, result.stderr.splitlines()[-1]) == (0, "done: 4 of 4 connections")
    service.seen.clear()
    assert (
        unified(f"runs retry {stopped}").code,
        unified(f"runs resume {stopped}").code,
        service.seen,
    ) == (0, 0, [])


@pytest.mark.parametrize(("command", "name"), [("resume", "c02"), ("retry", "c01")])
def test_a_profile_that_changed_its_connection_ends_it(
    command: str, name: str, stopped: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "config" / "config.toml"
    path.write_text(path.read_text().replace(f'account_id = "a-{name}"', 'account_id = "other"'))
    result = unified(f"runs {command} {stopped}")
    assert (result.code, service.seen) == (12, [])
    assert (
        result.stderr
        == f'error: profile "{name}" now names account other at {service.url}, but the run was'
        f" for account a-{name} at {service.url} (nothing was sent)\n"
    )


def test_a_retry_tells_its_outcome_though_another_profile_moved(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 3)
    service.reply = failing({"a-c01": 404, "a-c02": 500})
    run = run_id(unified(f"{UPDATE} -p c* --yes").stderr)
    path = tmp_path / "config" / "config.toml"
    path.write_text(path.read_text().replace('account_id = "a-c02"', 'account_id = "other"'))
    service.reply = failing({})
    service.seen.clear()
    result = unified(f"runs retry {run}")
    assert [account(seen) for seen in service.seen] == ["a-c01"]
    assert (result.code, result.stderr.splitlines()[1]) == (10, "done: 2 of 3 connections")
    assert unified(f"runs resume {run}").code == 12


def test_a_token_from_standard_input_leaves_no_prompt(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2)
    result = unified(f"{UPDATE} -p c* --token-stdin", tty=True, stdin=b"t-0123456789\n")
    assert (result.code, service.seen) == (2, [])
    assert "cannot ask whether to run" in result.stderr


def test_a_profile_that_is_read_only_now_is_not_written_to(
    stopped: str, unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 4, c03=f"{base_url(service.url)}\nread_only = true")
    result = unified(f"runs resume {stopped}")
    assert (result.code, service.seen) == (13, [])
    assert "1 profile is read-only: c03" in result.stderr


def test_a_run_in_use_is_left_alone(
    stopped: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    from filelock import FileLock  # noqa: PLC0415  only here

    path = path_of(tmp_path, stopped)
    lock = path.with_name(f"{path.name}.lock")
    with FileLock(lock):
        lock.write_text("4711\n")
        for command in ("resume", "retry", "remove --yes"):
            result = unified(f"runs {command} {stopped}")
            assert (result.code, result.stderr) == (
                12,
                f"error: run {stopped} is in use by process 4711\n",
            )
        assert unified(f"runs show {stopped}").code == 0
        assert unified("runs list").code == 0
    assert service.seen == []


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "NULs": lambda _: bytes(4096),
    "garbage at the end": lambda text: text + b"garbage",
    "a line about a call that is not there": lambda text: text + b'{"s":"ok","n":5}\n',
    "a header of nothing": lambda text: b"{}\n" + text.partition(b"\n")[2],
    "another version": lambda text: text.replace(b'"v":1}', b'"v":2}', 1),
    "an outcome of what was never sent": lambda text: text + b'{"s":"unknown","n":3}\n',
    "an operation that does not exist": lambda text: text.replace(
        b"tickets update", b"tickets upgrade"
    ),
    "an id that is a folder": lambda text: text.replace(b'"id":"t1"', b'"id":".."'),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_journal_sends_nothing(
    name: str, stopped: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = path_of(tmp_path, stopped)
    path.write_bytes(damaged := DAMAGE[name](path.read_bytes()))
    result = unified(f"runs resume {stopped}")
    assert (result.code, service.seen) == (12, [])
    assert path.read_bytes() == damaged
    assert unified("runs list").code == 0
    assert str(path) not in open_files()


def open_files() -> set[str]:
    """The names of the files that this process holds open."""
    found = set()
    for handle in os.listdir("/proc/self/fd"):  # noqa: PTH208  nothing may be opened for looking
        with suppress(FileNotFoundError):
            found.add(os.readlink(f"/proc/self/fd/{handle}"))  # noqa: PTH115  as above
    return found


def test_a_torn_last_line_is_cut_off_by_a_resume_only(
    stopped: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = path_of(tmp_path, stopped)
    path.write_bytes(whole := path.read_bytes() + b'{"s":"sent","n":3')
    assert unified(f"runs show {stopped}").code == 0
    assert path.read_bytes() == whole
    unified(f"runs resume {stopped}")
    assert sorted(account(seen) for seen in service.seen) == ["a-c02", "a-c03"]


@pytest.mark.parametrize("word", ["", " last"])
def test_without_an_id_it_is_the_newest_that_it_can_act_on(
    word: str, stopped: str, unified: Unified, service: Service
) -> None:
    later = run_id(unified(f"{UPDATE} -p c* --yes", wall=lambda: AT + 60).stderr)
    service.seen.clear()
    shown = unified(f"runs show{word} -o json")
    assert [one["outcome"] for one in shown.json["result"]] == ["done"] * 4
    assert shown.stderr.splitlines()[:2] == [
        f"the newest run to show is {later} (done): ticketing tickets update",
        f"also open: {stopped} (interrupted)",
    ]
    resumed = unified(f"runs resume{word}")
    assert resumed.stderr.startswith(
        f"the newest run to resume is {stopped} (interrupted): ticketing tickets update\n"
        f"run {stopped}\n"
    )
    assert sorted(account(seen) for seen in service.seen) == ["a-c02", "a-c03"]
    nothing = unified(f"runs resume{word}")
    why = f"{stopped} is failed in part (unified runs retry {stopped})"
    assert (nothing.code, nothing.stderr) == (2, f"error: there is no run to resume: {why}\n")
    assert unified(f"runs retry{word}").code == 0
    assert account(service.seen[-1]) == "a-c01"
    for command in ("resume", "retry"):
        result = unified(f"runs {command}{word}")
        assert (result.code, result.stderr) == (0, f"nothing to {command}: every run is done\n")
    removed = unified(f"runs remove{word}")
    assert removed.stderr.startswith(f"the newest run to remove is {later} (done)")
    assert [one["id"] for one in unified("runs list -o json").json["runs"]] == [stopped]


@pytest.mark.usefixtures("stopped")
def test_an_import_as_the_newest_run_hides_no_older_one(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "new.ndjson").write_text('{"name":"x"}\n')
    service.reply = failing({"a-c00": 422})
    begun = unified(
        f"import ticketing/tickets {tmp_path / 'new.ndjson'} -p c00", wall=lambda: AT + 60
    )
    later = run_id(begun.stderr)
    service.reply = failing({})
    service.seen.clear()
    resumed = unified("runs resume")
    assert f"also open: {later} (failed in part)" in resumed.stderr
    assert sorted(account(seen) for seen in service.seen) == ["a-c02", "a-c03"]
    retried = unified("runs retry last")
    assert retried.stderr.startswith(f"the newest run to retry is {later} (failed in part)")
    assert (retried.code, account(service.seen[-1])) == (0, "a-c00")


@pytest.mark.parametrize("status", [401, 500])
def test_an_import_whose_file_is_gone_hides_no_older_run(
    status: int, stopped: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "new.ndjson"
    path.write_text('{"name":"x"}\n')
    service.reply = failing({"a-c00": status})
    later = run_id(unified(f"import ticketing/tickets {path} -p c00", wall=lambda: AT + 60).stderr)
    path.unlink()
    service.reply = failing({})
    service.seen.clear()
    for command, names in (("resume", ["a-c02", "a-c03"]), ("retry", ["a-c01"])):
        service.seen.clear()
        done = unified(f"runs {command}", wall=lambda: AT + 120)
        assert done.stderr.startswith(f"the newest run to {command} is {stopped} ")
        assert f"also open: {later} " in done.stderr
        assert sorted(account(seen) for seen in service.seen) == names


def test_without_any_run_there_is_no_last_one(unified: Unified) -> None:
    for command in ("show", "remove last"):
        result = unified(f"runs {command}")
        assert (result.code, result.stderr) == (2, "error: there are no runs (unified runs list)\n")
    for verb in ("resume", "retry"):
        result = unified(f"runs {verb} last")
        assert (result.code, result.stderr) == (0, f"nothing to {verb}: there are no runs\n")


@pytest.mark.parametrize("command", ["show", "resume", "retry", "remove"])
def test_an_unknown_run_is_reported(command: str, unified: Unified) -> None:
    result = unified(f"runs {command} 20261121-7f3a")
    assert (result.code, result.stderr) == (
        2,
        "error: there is no run 20261121-7f3a (unified runs list shows them)\n",
    )
    assert unified(f"runs {command} ../../etc/passwd").code == 2


def test_a_run_is_removed_on_request_only(stopped: str, unified: Unified, tmp_path: Path) -> None:
    result = unified(f"runs remove {stopped}")
    what = f"1 run with calls that are not done ({stopped})"
    assert (result.code, result.stderr) == (
        2,
        f"error: nothing removed: cannot ask whether to remove {what} (add --yes)\n",
    )
    assert unified(f"runs remove {stopped}", tty=True, stdin=b"n\n").code == 2
    assert path_of(tmp_path, stopped).exists()
    never = unified(
        f"runs remove {stopped}", tty=True, stdin=b"y\n", environ={"UNIFIED_NO_INPUT": "true"}
    )
    assert (never.code, "--yes" in never.stderr) == (2, True)
    assert unified(f"runs remove {stopped}", tty=True, stdin=b"y\n").code == 0
    assert [*(tmp_path / "data" / "runs").iterdir()] == []
    assert unified("runs list").stderr == "no runs\n"


def test_a_run_killed_before_its_journal_was_complete_is_removed(
    stopped: str, unified: Unified, tmp_path: Path
) -> None:
    folder = path_of(tmp_path, stopped).parent
    left = folder / ".20200101-aaaa.ndjson.0123456789ab.part"
    left.write_text('{"run":')
    (folder / "20200101-aaaa.ndjson.lock").write_text("4711\n")
    assert run_id(unified(f"{UPDATE} -p c* --yes").stderr) != stopped
    assert len([*folder.iterdir()]) == 2


def test_imports_and_exports_are_listed(unified: Unified, service: Service, tmp_path: Path) -> None:
    source = tmp_path / "in.ndjson"
    source.write_text('{"name":"a"}\n{"name":"b"}\n')
    service.reply = failing({})
    for _ in range(2):
        assert unified(f"import ticketing/tags {source}", environ=service.environ).code == 0
        assert unified(f"export voice/calls -p sandbox --to {tmp_path / 'dump'}").code == 0
    listed = unified("runs list -o json").json["runs"]
    assert sorted(
        (one["command"].split()[0], one["done"], one["state"], one["path"]) for one in listed
    ) == [
        ("export", 1, "done", str(tmp_path / "dump")),
        ("import", 2, "done", f"{source}.unified-journal"),
    ]
    run = next(one["id"] for one in listed if one["command"].startswith("import"))
    assert unified(f"runs remove {run}").code == 0
    assert (tmp_path / "in.ndjson.unified-journal").exists()


def test_a_user_without_a_home_has_no_runs(unified: Unified) -> None:
    assert unified("runs list", folders={}).stderr == "no runs\n"
    assert unified("runs show 20261121-7f3a", folders={}).code == 2


def test_no_secret_of_a_journal_reaches_a_terminal(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 2)
    service.reply = failing({"a-c01": 404})
    body: Any = json.dumps({"name": "x\u001b]52;c;aGk=\u0007"})
    run = run_id(
        unified(["ticketing", "tickets", "update", "t1", "-d", body, "-p", "c*", "--yes"]).stderr
    )
    shown = unified(f"runs show {run}", tty=True)
    assert "\x1b]52" not in shown.stdout + shown.stderr
    assert path_of(tmp_path, run).exists()


def test_a_run_id_cannot_name_another_folder(
    unified: Unified, stopped: str, tmp_path: Path
) -> None:
    journal = tmp_path / "data" / "runs" / f"{stopped}.ndjson"
    journal.rename(tmp_path / "data" / "other.ndjson")
    told = unified("runs show ../other")
    assert (told.code, "'../other' is not the id of a run" in told.stderr) == (2, True)


@pytest.mark.parametrize("typed", ["{0} ", " {0}", "{0[9]}{0[10]}{0[11]}{0[12]}"])
def test_a_part_of_an_id_is_answered_with_the_whole(
    typed: str, unified: Unified, stopped: str
) -> None:
    part = typed.format(stopped)
    told = unified(f"runs show '{part}'")
    said = f"error: {part!r} is not the id of a run, such as 20261121-7f3a"
    assert (told.code, told.stderr) == (2, f"{said} (did you mean {stopped}?)\n")
    assert unified(f"runs show {stopped}").code == 0


def test_a_file_is_answered_with_the_id_of_its_run(
    unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tags.ndjson").write_text('{"name":"a"}\n')
    assert unified("-p sandbox import ticketing/tags tags.ndjson").code == 0
    run = unified("runs list").stdout.partition("\t")[0]
    told = unified("runs show tags.ndjson")
    assert (told.code, told.stderr.endswith(f" (did you mean {run}?)\n")) == (2, True)


def test_each_run_has_an_id_of_its_own(
    unified: Unified, stopped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = iter([stopped.partition("-")[2], "abcd"])
    monkeypatch.setattr(secrets, "token_hex", lambda _: next(ids))
    told = unified(f"{UPDATE} -p c* --yes", wall=lambda: AT)
    assert run_id(told.stderr) == f"{stopped.partition('-')[0]}-abcd"


def test_earlier_failures_count_for_the_exit_code_of_a_resume(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2)
    service.reply = failing({"a-c00": 404, "a-c01": 404})
    run = run_id(unified(f"{UPDATE} -p c* --yes --fail-fast --workers 1").stderr)
    # The first time one of them is tried, the second time none.
    for _ in range(2):
        told = unified(f"runs resume {run}")
        assert (told.code, told.stderr.splitlines()[-2]) == (4, "error: all 2 connections failed")
        assert len(service.seen) == 2


@pytest.mark.parametrize("command", ["import", "apply", "export"])
def test_one_at_work_is_running_and_cannot_be_removed(
    command: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 1)
    (tmp_path / "in.ndjson").write_text('{"id":"t1","name":"y"}\n')
    service.reply = good
    plan = unified(f"plan ticketing/tags --from {tmp_path}/in.ndjson --to c00 --same-ids")
    (tmp_path / "a.plan").write_bytes(plan.raw)
    seen = list[Any]()

    def look(request: Seen) -> Reply:
        if not seen:
            (run,) = unified("runs list -o json").json["runs"]
            seen.append((run["state"], unified(f"runs remove {run['id']} --yes").code))
        return good(request)

    service.reply = look
    line = {
        "import": f"import ticketing/tags {tmp_path}/in.ndjson -p c00",
        "apply": f"apply {tmp_path}/a.plan -p c00 --yes",
        "export": f"export ticketing/tags --to {tmp_path}/dump -p c00",
    }[command]
    assert unified(line).code in {0, 9}
    assert seen == [("running", 12)]


def test_without_an_id_a_run_whose_input_has_changed_comes_last(
    stopped: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "in.ndjson"
    path.write_text("".join(f'{{"id":"t{at}","name":"x"}}\n' for at in range(3)))
    service.reply = failing({"a-c00": 404})
    words = f"import ticketing/tickets {path} --operation update -p c00 --yes --fail-fast"
    unified(f"{words} --workers 1", wall=lambda: AT + 60)
    service.reply = failing({})
    newest, oldest = unified("runs list -o json").json["runs"]
    assert (newest["state"], oldest["id"]) == ("interrupted", stopped)
    path.write_text(path.read_text() + "\n")
    resumed = unified("runs resume").stderr.splitlines()
    assert resumed[0].startswith(f"the newest run to resume is {stopped} (interrupted)")
    assert resumed[1] == f"also open: {newest['id']} (interrupted)"
    # Of runs that cannot continue, it names one, and says why.
    refused = unified("runs resume")
    assert f"the newest run to resume is {newest['id']}" in refused.stderr
    assert refused.code == 12
