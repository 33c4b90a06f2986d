"""`unified apply`: the calls that are made, once, and those left alone."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from record_files import ids_header, ndjson
from server import Reply, Seen, Service

from unified_cli.storage.file_lock import HeldLock

There = Callable[..., dict[Any, dict[str, Any]]]
TABLE = "done\t{}\t\nfailed\t{}\t{}\nin doubt\t0\t\nnot tried\t{}\t{}\n"


def test_a_plan_is_done_once(
    unified: Unified, target: Any, planned: Any, there: There, tmp_path: Path
) -> None:
    target(
        {"id": "a", "name": "x", "color": "red"}, {"id": "b", "name": "y"}, {"id": "c", "name": "z"}
    )
    plan = planned(
        {"id": "a", "name": "X"},
        {"id": "b", "name": "y"},
        '{"id":"d","name":"n"}',
        options="--delete",
    )
    result = unified(f"apply {plan} -p new --yes")
    assert (result.stdout, result.notes, result.code) == (TABLE.format(3, 0, "", 0, ""), "", 0)
    now = {
        "a": {"id": "a", "name": "X", "color": "red"},
        "b": {"id": "b", "name": "y"},
        "d": {"id": "d", "name": "n"},
    }
    assert there() == now
    result = unified(f"apply {plan} -p new --yes")
    (journal,) = (tmp_path / "data" / "plans").glob("*.ndjson")
    assert result.notes == f"already applied: {plan}, according to {journal}\n"
    assert (result.stdout, result.code) == (TABLE.format(3, 0, "", 0, ""), 0)
    assert journal.stat().st_mode & 0o777 == 0o600
    again = Path(plan).rename(tmp_path / "other.plan")
    assert (
        unified(f"apply {again} -p new --yes").stderr
        == f"already applied: {again}, according to {journal}\n"
    )
    assert there() == now


def test_a_plan_is_in_the_list_of_runs(
    unified: Unified, target: Any, planned: Any, tmp_path: Path
) -> None:
    target({"id": "a", "name": "x"})
    plan = planned({"id": "a", "name": "X"}, {"id": "b", "name": "y"})
    for options, counts in [("--only create", [1, 0, 0, 0]), ("", [2, 0, 0, 0])]:
        result = unified(f"apply {plan} -p new --yes {options}")
        (run,) = unified("runs list -o json").json["runs"]
        assert (result.stderr.startswith(f"run {run['id']}\n"), result.code) == (True, 0)
        assert (run["command"], run["state"]) == (
            f"apply {plan}",
            "done",
        )
        assert [run[name] for name in ("done", "failed", "in_doubt", "not_tried")] == counts
    (journal,) = (tmp_path / "data" / "plans").glob("*.ndjson")
    result = unified(f"runs resume {run['id']}")
    assert (result.code, result.stderr.splitlines()) == (
        0,
        [
            f"run {run['id']} continues with: unified apply {plan} -p new",
            f"already applied: {plan}, according to {journal}",
        ],
    )


def test_an_empty_plan_is_done(unified: Unified, target: Any, planned: Any) -> None:
    target({"id": "a", "name": "x"})
    plan = planned({"id": "a", "name": "x"})
    result = unified(f"apply {plan} -p new --yes")
    assert (result.code, result.stderr) == (0, f"already applied: {plan}: it holds no calls\n")


def test_a_record_that_changed_since_the_plan_is_a_conflict(
    unified: Unified, target: Any, planned: Any, there: There
) -> None:
    old = [{"id": key, "name": key, "color": "red", "status": "active"} for key in "abcdef"]
    target(*old)
    plan = planned(*({**one, "name": "N"} for one in old[:4]), options="--delete")
    for key, change in [
        ("a", "name=mine"),
        ("b", "color=blue"),
        ("e", "name=kept"),
        ("c", "name=N"),
    ]:
        assert unified(f"-p new ticketing tags update {key} -f {change}").code == 0
    assert unified("-p new ticketing tags delete f --yes").code == 0
    result = unified(f"apply {plan} -p new --yes")
    failed = f"{plan}.unified-failed.ndjson"
    assert result.stdout == TABLE.format(4, 2, failed, 0, "")
    lines = result.notes.splitlines()
    hint = "(--overwrite-changed overwrites it)"
    assert sorted(lines[:2]) == [
        f'{plan}, line 2: a has changed since the plan was made: name was "a" and is "mine" {hint}',
        f'{plan}, line 6: e has changed since the plan was made: name was "e" and is "kept" {hint}',
    ]
    assert (lines[2:], result.code) == ([f"error: 2 of 6 calls failed, see {failed}"], 9)
    assert {key: one["name"] for key, one in there().items()} == {
        "a": "mine",
        "b": "N",
        "c": "N",
        "d": "N",
        "e": "kept",
    }
    first = json.loads(Path(failed).read_text().splitlines()[0])
    assert (first["outcome"]["line"], first["id"], first["body"]) == (2, "a", {"name": "N"})
    assert unified(f"apply {plan} -p new --yes").code == 9
    result = unified(f"apply {plan} -p new --yes --overwrite-changed")
    assert (result.stdout, result.notes, result.code) == (TABLE.format(6, 0, "", 0, ""), "", 0)
    assert {key: one["name"] for key, one in there().items()} == dict.fromkeys("abcd", "N")
    assert not Path(failed).exists()


def test_a_record_that_is_gone_cannot_be_updated(
    unified: Unified, target: Any, planned: Any, there: There
) -> None:
    target({"id": "a", "name": "x"})
    plan = planned({"id": "a", "name": "y"})
    assert unified("-p new ticketing tags delete a --yes").code == 0
    result = unified(f"apply {plan} -p new --yes")
    assert (result.code, there()) == (9, {})
    assert "line 2: a has changed since the plan was made: it is gone" in result.stderr


def test_only_some_calls(unified: Unified, target: Any, planned: Any, there: There) -> None:
    target({"id": "a", "name": "x"}, {"id": "b", "name": "y"})
    plan = planned({"id": "a", "name": "X"}, {"id": "c", "name": "z"}, options="--delete")
    result = unified(f"apply {plan} -p new --yes --only create")
    assert (result.stdout, result.code) == (
        TABLE.format(1, 0, "", 2, f"{plan}.unified-not-tried.ndjson"),
        0,
    )
    assert [*there()] == ["a", "b", "c"]
    assert unified(f"apply {plan} -p new --yes --only update").code == 0
    result = unified(f"apply {plan} -p new --yes")
    assert (result.stdout, [*there()]) == (TABLE.format(3, 0, "", 0, ""), ["a", "c"])


def test_more_than_half_of_the_records_are_not_deleted(
    unified: Unified, target: Any, planned: Any, there: There
) -> None:
    target(*({"id": key, "name": key} for key in "abc"))
    plan = planned({"id": "a", "name": "a"}, options="--delete")
    result = unified(f"apply {plan} -p new --yes")
    said = (
        f"error: {plan} deletes 2 of 3 records, more than half; nothing was sent (--max-deletes 2"
        " allows it)\n"
    )
    assert (result.stdout, result.stderr, result.code) == ("", said, 13)
    result = unified(f"apply {plan} -p new --yes --max-deletes 1")
    assert (result.stderr, result.code) == (
        "error: the plans delete 2 records, more than --max-deletes 1\n",
        13,
    )
    assert len(there()) == 3
    assert unified(f"apply {plan} -p new --yes --max-deletes 2").code == 0
    assert [*there()] == ["a"]


def test_a_person_must_confirm(unified: Unified, target: Any, planned: Any, there: There) -> None:
    target()
    plan = planned({"id": "a", "name": "x"}, {"id": "b", "name": "x"})
    result = unified(f"apply {plan} --yes")
    line = f"unified apply {plan} -p new --yes"
    hint = f"without a terminal, apply needs -p, the profile to change, and --yes ({line})"
    assert (result.code, result.stderr) == (2, f"error: {hint}\n")
    result = unified(f"apply {plan} --yes", tty=True, environ={"UNIFIED_NO_INPUT": "true"})
    assert (result.code, hint in result.stderr, there()) == (2, True, {})
    where = 'to profile "new" (account empty)'
    result = unified(f"apply {plan} -p new")
    said = f"error: not applied: cannot ask whether to apply 2 creates {where} (add --yes)\n"
    assert (result.code, result.stderr) == (2, said)
    result = unified(f"apply {plan}", tty=True, stdin=b"n\n")
    assert (result.code, f"apply 2 creates {where}? [y/N] " in result.stderr) == (2, True)
    assert there() == {}
    assert unified(f"apply {plan}", tty=True, stdin=b"y\n").code == 0
    assert sorted(there()) == ["a", "b"]


SHOWN = """+ ticketing/tags d  (only in {side})
+   id: "d"
+   name: "n\\u001b[2J***"
~ ticketing/tags a  (different: name, color)
-   name: "x"
+   name: "X"
-   color: null
+   color: {"a":1.10}
- ticketing/tags c  (only in new)
-   name: "z"
"""


def test_a_dry_run_shows_the_plan_like_a_diff(
    unified: Unified, target: Any, planned: Any, there: There
) -> None:
    target({"id": "a", "name": "x"}, {"id": "c", "name": "z"})
    records = [
        '{"id":"d","name":"n\\u001b[2Js3cret-0123"}',
        '{"id":"a","name":"X","color":{"a": 1.10}}',
    ]
    plan = planned(*records, options="--delete")
    environ = {"UNIFIED_TOKEN": "s3cret-0123"}
    shown = SHOWN.replace("{side}", plan.replace(".plan", ".ndjson"))
    result = unified(f"apply {plan} --dry-run", environ=environ)
    assert (result.stdout, result.stderr, result.code) == (shown, "", 0)
    environ |= {"TERM": "xterm"}
    result = unified(f"apply {plan} --dry-run", tty=True, columns=600, environ=environ)
    colours = {"+": "\x1b[32m", "~": "\x1b[35m", "-": "\x1b[31m"}
    assert result.stdout == "".join(
        f"{colours[line[0]]}{line}\x1b[0m\n" for line in shown.splitlines()
    )
    assert [*there()] == ["a", "c"]


def test_a_dry_run_breaks_lines_at_words_and_indents_the_rest(
    unified: Unified, target: Any, planned: Any
) -> None:
    target({"id": "a", "name": "x"})
    plan = planned({"id": "a", "name": " ".join(["word"] * 20)})
    environ = {"TERM": "xterm", "FORCE_COLOR": "1"}
    shown = unified(f"apply {plan} --dry-run", tty=True, columns=40, environ=environ).stdout
    lines = shown.splitlines()[-4:]
    assert [line.removeprefix("\x1b[32m").removesuffix("\x1b[0m") for line in lines] == [
        '+   name: "word word word word word word',
        "      word word word word word word word",
        "      word word word word word word",
        '      word"',
    ]
    assert all(line.startswith("\x1b[32m") for line in lines)


def test_another_connection_is_refused(
    unified: Unified, target: Any, planned: Any, there: There, config: Callable[[str], Path]
) -> None:
    target()
    plan = planned({"id": "a", "name": "x"})
    result = unified(f"apply {plan} -p old --yes")
    said = (
        f'{plan} is for account empty at http://sandbox, but profile "old" is for account full at'
        " http://sandbox"
    )
    onward = (
        "nothing was sent; choose the profile of that account with -p; when the plan was made,"
        " its name was new"
    )
    assert (result.stderr, result.code) == (f"error: {said} ({onward})\n", 13)
    config('[profiles.new]\nbase_url = "sandbox:"\naccount_id = "empty"\nread_only = true\n')
    result = unified(f"apply {plan} -p new --yes")
    assert (result.stderr, result.code) == (
        'error: profile "new" is read-only; nothing was sent\n',
        13,
    )
    assert there() == {}


CREATE = {"connection": "empty", "operation": "create", "why": "w", "body": {"name": "x"}}
UPDATE = {
    "connection": "empty",
    "operation": "update",
    "why": "w",
    "id": "a",
    "body": {"name": "x"},
    "seen": {"name": 1},
}
DELETE = {"connection": "empty", "operation": "delete", "why": "w", "id": "a"}
TWICE = '{{"\\u0069d":"b",{}}}'
REFERENCE = {"path": "parent.id", "resource": "ticketing/tags", "id": "t"}


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("{", 2, "is not a call of a plan: is not JSON: "),
        ("[]", 2, "is not a call of a plan: Expected 'object', got 'array'"),
        ("[" * 100_000, 2, "is not a call of a plan: is n"),
        ('{"connection": "\\ud83d"}', 2, "is not a call of a plan: "),
        ('{"connection": "empty", "connection": "full"}', 2, "is not a call of a plan: "),
        (TWICE.format(json.dumps(DELETE)[1:-1]), 2, "is not a call of a plan: has 'id' twice"),
        (
            json.dumps({**CREATE, "source": "\ud83d"}),
            2,
            "is not a call of a plan: has half a surrogate pair in 'source'",
        ),
        (
            json.dumps({**UPDATE, "body": "B"}).replace('"B"', '{"name":"x","n\\u0061me":"y"}'),
            2,
            "is not a call of a plan: has 'name' twice in 'body'",
        ),
        (
            json.dumps({**CREATE, "references": "R"}).replace(
                '"R"', f"[{TWICE.format(json.dumps(REFERENCE)[1:-1])}]"
            ),
            2,
            "is not a call of a plan: has 'id' twice in 'references'",
        ),
        (
            {**CREATE, "operation": "suspend"},
            2,
            "is not a call of a plan: Invalid enum value 'suspend'",
        ),
        ({**CREATE, "connection": "full"}, 13, "is for account full, but the plan is for empty"),
        ({**CREATE, "id": "a"}, 2, "creates a record, but has the id of an existing one"),
        ({**CREATE, "source": "g"}, 2, "creates g a second time"),
        (
            {**CREATE, "path": "/other"},
            2,
            "is not a call of a plan: Object contains unknown field 'path'",
        ),
        ({**CREATE, "body": []}, 2, "has no fields to send"),
        ({**UPDATE, "body": {}}, 2, "has no fields to send"),
        ({**UPDATE, "id": "a/b"}, 2, "has the id 'a/b', which leads to another path"),
        ({**UPDATE, "id": ".."}, 2, "cannot be sent: the id '..' would look like a folder"),
        ({**UPDATE, "id": ""}, 2, "cannot be sent: the id is empty"),
        (
            {**UPDATE, "id": "a\u200b"},
            2,
            'cannot be sent: the id "a\\u200b" holds a character that cannot be seen',
        ),
        ({**UPDATE, "id": ["a"]}, 2, "is not a call of a plan: Expected "),
        ({**UPDATE, "id": None}, 2, "has the operation update, but no id of a record"),
        ({**UPDATE, "seen": {}}, 2, "does not have the earlier value of each field"),
        ({**UPDATE, "body": {"id": "b"}, "seen": {"id": "a"}}, 2, "changes the id"),
        (DELETE, 2, "is a delete, but the plan was made without --delete"),
        (
            {**CREATE, "references": [REFERENCE]},
            2,
            "has no reference to ticketing/tags t at parent.id",
        ),
        (
            {**CREATE, "body": {"parent": {"id": "t"}}, "references": [REFERENCE]},
            2,
            "refers to ticketing/tags t, whose new id is unknown",
        ),
        (
            {**CREATE, "source": "t", "body": {"parent": {"id": "t"}}, "references": [REFERENCE]},
            2,
            "refers to itself, directly or through other records",
        ),
    ],
)
def test_a_line_outside_the_plan_is_refused(
    line: Any, code: int, said: str, unified: Unified, target: Any, planned: Any, there: There
) -> None:
    target()
    plan = Path(planned({"id": "g", "name": "good"}, {"id": "h", "name": "good"}))
    header, first, _ = plan.read_text().splitlines()
    plan.write_text(f"{header}\n{first}\n{line if isinstance(line, str) else json.dumps(line)}\n")
    result = unified(f"apply {plan} -p new --yes --ids {plan}.ids")
    assert (result.stdout, result.code) == ("", code)
    assert result.stderr.startswith(f"error: {plan}, line 3 {said}"), result.stderr
    is_damaged = said.startswith("is not a call of a plan")
    assert ("; make the plan again)" in result.stderr) == is_damaged
    assert there() == {}


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (
            {"unified_plan": 2},
            2,
            "{plan} is a plan of version 2, but this program reads version 1 (make the plan again)",
        ),
        (
            {"unified_plan": "x"},
            2,
            "{plan}, line 1 is not the header of a plan (unified plan … > FILE makes a plan)",
        ),
        (
            {"calls": 2},
            2,
            (
                "{plan} holds 1 of the 2 calls that its header states (the plan was cut off or"
                " changed; make it again)"
            ),
        ),
        (
            {"calls": None},
            2,
            "{plan}, line 1 is not the header of a plan: Expected 'int', got 'null' - at 'calls'",
        ),
        (
            {"resource": "ticketing/../x"},
            2,
            "{plan}, line 1: there is no resource 'ticketing/../x'",
        ),
        (
            {"resource": "ticketing/ticket_status"},
            2,
            "{plan}, line 2 has the operation create, which ticketing/ticket_status does not offer",
        ),
        (
            {"to": {"kind": "profile", "name": "new", "origin": "https://x", "account": "empty"}},
            13,
            "{plan} is for account",
        ),
        ({"to": {"kind": "file", "name": "new"}}, 13, "{plan} is for account  at "),
    ],
)
def test_a_forged_header_is_refused(
    change: dict[str, Any],
    code: int,
    said: str,
    unified: Unified,
    target: Any,
    planned: Any,
    there: There,
) -> None:
    target()
    plan = Path(planned({"id": "g", "name": "good"}))
    header, line = plan.read_text().splitlines()
    plan.write_text(f"{json.dumps({**json.loads(header), **change})}\n{line}\n")
    result = unified(f"apply {plan} -p new --yes")
    assert (result.stdout, result.code) == ("", code)
    assert result.stderr.startswith(f"error: {said.format(plan=plan)}"), result.stderr
    assert there() == {}


@pytest.mark.parametrize("text", ["", "\n", "x", "{}", "[]", "\x00\x01"])
def test_a_file_that_is_not_a_plan_is_refused(text: str, unified: Unified, tmp_path: Path) -> None:
    path = tmp_path / "x.plan"
    path.write_text(text)
    result = unified(f"apply {path} -p sandbox --yes")
    assert (result.code, result.stderr) == (
        2,
        f"error: {path}, line 1 is not the header of a plan (unified plan … > FILE makes a plan)\n",
    )
    assert unified(f"apply {tmp_path} -p sandbox --yes").code == 2
    assert unified(f"apply {tmp_path}/none -p sandbox --yes").code == 11


def test_records_that_refer_to_each_other_are_created_in_order(
    unified: Unified, target: Any, planned: Any, there: There, tmp_path: Path
) -> None:
    target()
    ids = f"{tmp_path}/ids"
    chain = [
        {"id": f"t{n}", "name": f"n{n}", "parent": {"id": f"t{n + 1}"} if n < 4 else None}
        for n in range(5)
    ]
    tags = planned(*chain, options=f"--ids {ids}")
    more = {"tags": [{"id": "t0"}, {"id": "t4"}], "account": {"id": 7}}
    tickets = planned(
        {"id": "k", "name": "ticket", **more}, resource="tickets", options=f"--ids {ids}"
    )
    accounts = planned({"id": 7, "name": "account"}, resource="accounts", options=f"--ids {ids}")
    alone = unified(f"apply {tickets} -p new --yes --ids {ids}")
    assert (
        alone.code,
        "refers to ticketing/tags t0, whose new id is unknown" in alone.stderr,
    ) == (2, True)
    without = unified(f"apply {tickets} {tags} {accounts} -p new --yes")
    assert (without.code, without.stderr) == (
        2,
        "error: the plan was made with --ids, so apply needs it, too (add --ids FILE)\n",
    )
    result = unified(f"apply {tickets} {tags} {accounts} -p new --yes --ids {ids}")
    assert (result.stdout, result.code) == (TABLE.format(7, 0, "", 0, ""), 0)
    new = {one["name"]: one["id"] for one in there().values()}
    assert [one.get("parent") for one in sorted(there().values(), key=lambda one: one["name"])] == [
        *({"id": new[f"n{n + 1}"]} for n in range(4)),
        None,
    ]
    ((_, ticket),) = there("tickets").items()
    ((account, _),) = there("accounts").items()
    assert (ticket["tags"], ticket["account"]) == (
        [{"id": new["n0"]}, {"id": new["n4"]}],
        {"id": account},
    )
    header, *pairs = map(json.loads, Path(ids).read_text().splitlines())
    assert header == ids_header(None, "empty")
    assert {"resource": "ticketing/accounts", "from": 7, "to": account} in pairs
    assert len(pairs) == 7
    # The journal has the ids that a crash kept from the file.
    for torn in ('{"unified_ids":1,"fr', f"{json.dumps(header)}\n" + '{"resource":"ticketing/ta'):
        Path(ids).write_text(torn)
        again = unified(f"apply {tickets} {tags} {accounts} -p new --yes --ids {ids}")
        assert again.code == 0
        assert again.stderr.startswith(
            f"{ids}: the last line was cut off when it was written, and is left out: applying the"
            " plan again adds the pair\n"
        )
        first, *others = map(json.loads, Path(ids).read_text().splitlines())
        assert (first, sorted(others, key=str)) == (header, sorted(pairs, key=str))


def test_references_to_a_failed_record_are_not_tried(
    unified: Unified, service: Service, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(
        f'[profiles.acme]\nbase_url = "{service.url}"\naccount_id = "a"\ntoken = "t-0123456789"\n'
    )
    fails = True

    def reply(seen: Seen) -> Reply:
        if seen.method == "GET":
            return Reply(body=b'{"result":[],"next_cursor":null}')
        if fails and seen.json["name"] == "bad":
            return Reply(422, b'{"message":"no"}')
        return Reply(201, json.dumps({"id": len(service.seen)}).encode())

    service.reply = reply
    records = [
        {"id": "a", "name": "bad"},
        {"id": "b", "name": "x", "parent": {"id": "a"}},
        {"id": "c", "name": "y"},
    ]
    side, ids, plan = ndjson(tmp_path / "side", *records), f"{tmp_path}/ids", tmp_path / "p.plan"
    plan.write_bytes(unified(f"plan ticketing/tags --from {side} --to acme --ids {ids}").raw)
    result = unified(f"apply {plan} -p acme --yes --ids {ids}")
    names = [f"{plan}.unified-{name}.ndjson" for name in ("failed", "not-tried")]
    assert (result.stdout, result.code) == (TABLE.format(1, 1, names[0], 1, names[1]), 9)
    writes = [seen for seen in service.seen if seen.method == "POST"]
    assert [seen.json["name"] for seen in writes] == ["bad", "y"] or [
        seen.json["name"] for seen in writes
    ] == [
        "y",
        "bad",
    ]
    fails = False
    result = unified(f"apply {plan} -p acme --yes --ids {ids}")
    assert (result.stdout, result.code) == (TABLE.format(3, 0, "", 0, ""), 0)
    writes = [seen for seen in service.seen if seen.method == "POST"]
    keys = {
        seen.json["name"]: [
            one.headers["idempotency-key"]
            for one in writes
            if one.json["name"] == seen.json["name"]
        ]
        for seen in writes
    }
    assert {name: len(found) for name, found in keys.items()} == {"bad": 2, "y": 1, "x": 1}
    assert len({*keys["bad"]}) == 1
    assert len({key for found in keys.values() for key in found}) == 3


def test_the_key_of_a_create_grows_older_however_often_it_is_used(
    unified: Unified, service: Service, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(
        f'[profiles.acme]\nbase_url = "{service.url}"\naccount_id = "a"\ntoken ='
        ' "t-0123456789"\nretries = 0\n'
    )
    service.reply = lambda seen: (
        Reply(500) if seen.method == "POST" else Reply(body=b'{"result":[]}')
    )
    plan, sent = tmp_path / "p.plan", []
    side = ndjson(tmp_path / "side", {"id": "a", "name": "x"})
    plan.write_bytes(unified(f"plan ticketing/tags --from {side} --to acme --same-ids").raw)
    for hours in (0, 13, 25):
        result = unified(
            f"apply {plan} -p acme --yes", wall=lambda at=hours: 1_800_000_000.0 + at * 3600
        )
        assert result.code == 10, result.stderr
        sent.append(sum(seen.method == "POST" for seen in service.seen))
    assert sent == [1, 2, 2]


def test_a_plan_is_applied_by_one_process_at_a_time(
    unified: Unified, target: Any, planned: Any, there: There, tmp_path: Path
) -> None:
    target()
    plan = planned({"id": "a", "name": "x"})
    folder = tmp_path / "data" / "plans"
    folder.mkdir(mode=0o700)
    digest = hashlib.sha256(Path(plan).read_bytes()).hexdigest()
    lock = HeldLock(folder / f"{digest}.ndjson.lock")
    lock.take("the plan")
    try:
        result = unified(f"apply {plan} -p new --yes")
        assert (result.code, result.stderr) == (
            12,
            f"error: the plan {plan} is in use by process {os.getpid()}\n",
        )
    finally:
        lock.release()
    assert there() == {}
    (folder / f"{digest}.ndjson").write_text('{"plan":"another"}\n')
    result = unified(f"apply {plan} -p new --yes")
    assert (
        result.code,
        f"{digest}.ndjson is damaged in line 1, or is not a journal" in result.stderr,
    ) == (12, True)
    assert there() == {}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_how_to_continue_after_a_signal(
    number: int, service: Service, tmp_path: Path
) -> None:
    def reply(seen: Seen) -> Reply:
        if seen.method == "POST" and seen.json["name"] == "slow":
            service.over.wait()
        return Reply(201, json.dumps({"id": seen.json["name"]}).encode())

    service.reply = reply
    to = {"kind": "profile", "name": "acme", "origin": service.url, "account": "a"}
    header = {
        "unified_plan": 1,
        "made": "",
        "resource": "ticketing/tags",
        "from": {"kind": "file", "name": "x"},
        "to": to,
    }
    lines = [
        {**header, "calls": 2},
        *({**CREATE, "connection": "a", "body": {"name": name}} for name in ("quick", "slow")),
    ]
    plan = ndjson(tmp_path / "p.plan", *lines)
    config = tmp_path / "config.toml"
    config.write_text(
        f'[profiles.acme]\nbase_url = "{service.url}"\naccount_id = "a"\ntoken = "t-0123456789"\n'
    )
    config.chmod(0o600)
    environ = {"HOME": str(tmp_path), "UNIFIED_CONFIG": str(config), "PATH": os.defpath}
    argv = [
        sys.executable,
        "-m",
        "unified_cli",
        "apply",
        plan,
        "-p",
        "acme",
        "--yes",
        "--workers",
        "1",
    ]
    with subprocess.Popen(
        argv, env=environ, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        while len(service.seen) < 2:
            time.sleep(0.01)
        running.send_signal(number)
        _, said = running.communicate(timeout=60)
    assert running.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    *_, begun, last = said.decode().splitlines()
    assert last.endswith(
        "stopped after 1 of 2 calls, 1 more was sent; to continue: unified runs resume"
        f" {begun.removeprefix('run ')}"
    )


def test_a_run_without_a_place_for_its_journal_says_so(
    unified: Unified, target: Any, planned: Any, tmp_path: Path
) -> None:
    target()
    plan = planned({"id": "a", "name": "x"})
    (tmp_path / "full").write_text("")
    folders = {"config": tmp_path / "config", "data": tmp_path / "full" / "data"}
    result = unified(f"apply {plan} -p new --yes", folders=folders)
    assert result.stderr.startswith(
        f"this run cannot be resumed: cannot write {folders['data']}/plans: "
    )
    assert (result.stdout, result.code) == (TABLE.format(1, 0, "", 0, ""), 0)
