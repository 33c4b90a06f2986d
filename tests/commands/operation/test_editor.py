"""`update ID --edit`: an editor shows what can be changed, and only what was changed is
sent, once it was confirmed.
"""

import json
import os
import re
import shlex
import signal
import stat
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest
from front_door import ROOT, Result, Unified
from screen import Terminal
from server import Reply, Seen, Service

Config = Callable[[str], Path]
Edit = Callable[..., Result]
BIG = "1234567890123456789012345"
RECORD = (
    '{"id":"7","name":"Broken \\ud83d door","account":"t-0123456789 and \\u00e9","number":'
    + BIG
    + ","
    '"status":{"id":"s1","name":"open","weight":1.10},"tags":[{"id":1},{"id":2}],"created_at":"2026-01-01T00:00:00Z",'
    '"updated_at":"2026-01-02T00:00:00Z","etag":"x","remote_data":{"a":1},"nobody_knows":5}'
)
QUESTION = "update ticketing tickets 7 in account acct-1? [y/N] "


@pytest.fixture
def edit(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Edit:
    """Edit a record at a terminal; `do` is Python that changes the editor's `text`."""
    script = tmp_path / "my editor.py"
    script.write_text(
        "import json, os, sys\npath = sys.argv[-1]\n"
        "text = open(path, encoding='utf-8').read()\n"
        "exec(os.environ['DO'])\nopen(path, 'w', encoding='utf-8').write(text)\n"
    )
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    service.reply = lambda _: Reply(body=RECORD.encode())

    def run(do: str, *more: str, stdin: bytes = b"y\n", line: str = "", **world: object) -> Result:
        environ = {
            **service.environ,
            "EDITOR": f"'{sys.executable}' '{script}' --wait",
            "DO": textwrap.dedent(do),
        }
        typed = line or "ticketing tickets update 7 --edit"
        return unified(
            [*typed.split(), *more], environ=environ, stdin=stdin, **{"tty": True, **world}
        )

    return run


def kept(folder: Path) -> list[Path]:
    return [one for one in (folder / "temporary").rglob("*") if one.is_file()]


def test_only_what_was_changed_is_sent_digit_by_digit(
    edit: Edit, service: Service, tmp_path: Path
) -> None:
    result = edit("text = text.replace('open', 'done').replace('s1', 's2')")
    assert result.code == 0, result.stderr
    assert [one.method for one in service.seen] == ["GET", "GET", "PATCH"]
    assert service.seen[2].body == b'{"status":{"id":"s2","name":"done","weight":1.10}}'
    assert service.seen[2].headers["idempotency-key"]
    assert result.stderr == (
        "ticketing tickets 7\n"
        '- status.id: "s1"\n+ status.id: "s2"\n- status.name: "open"\n+ status.name: "done"\n'
        + QUESTION
    )
    assert kept(tmp_path) == []
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ('"id":"8"', "the text changes the id (edit the other record by its own id)"),
        ('"\\u0069d":7', "the text changes the id (edit the other record by its own id)"),
        ('"_profile":"b"', "the text has a _profile, but a body cannot choose the connection"),
    ],
)
def test_a_text_changes_neither_the_record_nor_the_connection(
    added: str, said: str, edit: Edit, service: Service, tmp_path: Path
) -> None:
    do = f"text = text.replace('open', 'done').replace('{{', '{{' + {added!r} + ',', 1)"
    result = edit(do, stdin=b"n\n")
    assert (result.code, [one.method for one in service.seen]) == (2, ["GET"])
    assert result.stderr.startswith(f"{said}\n")
    assert len(kept(tmp_path)) == 1


def test_the_same_id_is_not_a_change(edit: Edit, service: Service) -> None:
    result = edit("text = text.replace('open', 'done').replace('{', '{' + '\"id\":\"7\",', 1)")
    assert (result.code, service.seen[-1].method) == (0, "PATCH")


def test_the_editor_gets_what_can_be_changed_in_a_private_file(edit: Edit, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    result = edit(f"""
        status, folder = os.stat(path), os.stat(os.path.dirname(path))
        facts = [oct(status.st_mode), oct(folder.st_mode), sys.argv[1:-1]]
        facts.append("UNIFIED_TOKEN" in os.environ)
        facts.append(sorted(int(one) for one in os.listdir("/proc/self/fd"))[:-1])
        open({str(copy)!r}, "w", encoding="utf-8").write(text + json.dumps(facts))
        """)
    assert (result.code, result.stderr) == (0, "nothing was changed, so nothing was sent\n")
    text, facts = copy.read_text("utf-8").rsplit("\n", 1)
    assert json.loads(facts)[:4] == ["0o100600", "0o40700", ["--wait"], False]
    assert set(json.loads(facts)[4]) <= {0, 1, 2}
    assert text == (
        '{\n  "name": "Broken \\ud83d door",\n  "account": "t-0123456789 and \\u00e9",\n '
        ' "number": ' + BIG + ",\n"
        '  "status": {\n    "id": "s1",\n    "name": "open",\n    "weight": 1.10\n  },\n'
        '  "tags": [\n    {\n      "id": 1\n    },\n    {\n      "id": 2\n    }\n  ]\n}'
    )


@pytest.mark.parametrize(
    ("do", "sent", "shown"),
    [
        ("text = text.replace('Broken', 'Open')", r'{"name":"Open \ud83d door"}', "+ name: "),
        (
            f"text = text.replace('{BIG}', '{BIG[:-1]}6')",
            f'{{"number":{BIG[:-1]}6}}',
            f"- number: {BIG}\n",
        ),
        (
            "text = text.replace(' and', ', or')",
            r'{"account":"t-0123456789, or \u00e9"}',
            "- account: ",
        ),
        (
            "text = text.replace('{', '{\"nobody_knows\":6.0,', 1)",
            '{"nobody_knows":6.0}',
            "+ nobody_knows: 6.0\n",
        ),
        (
            "text = text.replace('\"id\": 2', '\"id\": 3')",
            '{"tags":[{"id":1},{"id":3}]}',
            "+ tags[1].id: 3\n",
        ),
        (f"text = text.replace('{BIG}', 'null')", '{"number":null}', "+ number: null\n"),
        (
            "text = chr(0xfeff) + text.replace('open', 'ö\\u2028').replace('\\n', '\\r\\n')",
            '{"status":{"id":"s1","name":"ö\u2028","weight":1.10}}',
            "+ status.name: ",
        ),
    ],
)
def test_each_value_is_sent_as_it_was_typed(
    edit: Edit, service: Service, do: str, sent: str, shown: str
) -> None:
    result = edit(do)
    assert (result.code, service.seen[-1].body.decode()) == (0, sent)
    assert shown in result.stderr
    assert "t-0123456789" not in result.stderr


@pytest.mark.parametrize(
    "do",
    [
        "",
        "text = json.dumps(json.loads(text), indent=7)",
        "text = text.replace('1.10', '11e-1')",
        "text = text.replace('{', '{\"priority\":null,', 1)",
    ],
)
def test_an_edit_with_equal_values_is_not_a_change(edit: Edit, service: Service, do: str) -> None:
    result = edit(do)
    assert (result.code, result.stderr) == (0, "nothing was changed, so nothing was sent\n")
    assert [one.method for one in service.seen] == ["GET"]


def test_members_removed_from_the_text_stay_unchanged(edit: Edit, service: Service) -> None:
    result = edit("whole = json.loads(text); text = json.dumps({'name': 'x'})", "-y")
    assert service.seen[-1].body == b'{"name":"x"}'
    assert (
        "number was removed from the text, so it is not changed (null clears the field)\n"
        in result.stderr
    )
    assert "update ticketing" not in result.stderr


def test_a_resource_without_known_fields_shows_all_that_a_user_may_set(
    edit: Edit, service: Service
) -> None:
    service.reply = lambda _: Reply(
        body=b'{"result":{"id":"7","unheard_of":1,"etag":"e","updated_at":"x"}}'
    )
    result = edit("assert json.loads(text) == {'unheard_of': 1}; text = text.replace('1', '2')")
    assert (result.code, service.seen[-1].body) == (0, b'{"unheard_of":2}')


def test_broken_text_is_edited_again_or_given_up_and_nothing_is_lost(
    edit: Edit, service: Service, tmp_path: Path
) -> None:
    again = "text = text.replace('Broken', 'Whole')[:-3] if 'Whole' not in text else text + '}'"
    result = edit(again, stdin=b"\ny\n")
    assert result.code == 0, result.stderr
    assert service.seen[-1].body == rb'{"name":"Whole \ud83d door"}'
    assert re.match(
        r"the text is not JSON: .*\nedit it again\? \[Y/n\] ticketing tickets 7\n", result.stderr
    )
    assert kept(tmp_path) == []
    service.seen.clear()
    result = edit("text = text.replace('Broken', 'Whole')[:-3]", stdin=b"n\n")
    [path] = kept(tmp_path)
    assert (result.code, len(service.seen)) == (2, 1)
    assert result.stderr.endswith(f"error: nothing was sent (the edited text is in {path})\n")
    assert "Whole" in path.read_text("utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the text is not JSON"),
        ("[1]", "the text must be a JSON object, between { and }"),
        ('{"name": NaN}', "the text is not JSON"),
        ('{"name": 1, "name": 2}', "the text has name twice"),
    ],
)
def test_text_that_is_not_a_record_is_not_sent(
    edit: Edit, service: Service, tmp_path: Path, text: str, said: str
) -> None:
    result = edit(f"text = {text!r}", stdin=b"n\n")
    assert (result.code, len(service.seen), len(kept(tmp_path))) == (2, 1, 1)
    assert said in result.stderr


def second_look(first: str, second: str, status: int = 200) -> Callable[[Seen], Reply]:
    answers = iter([Reply(body=first.encode()), Reply(status, second.encode())])
    return lambda seen: next(answers) if seen.method == "GET" else Reply()


def test_a_concurrent_change_is_not_overwritten(
    edit: Edit, service: Service, tmp_path: Path
) -> None:
    service.reply = second_look(RECORD, RECORD.replace("Broken", "Stolen"))
    result = edit("text = text.replace('Broken', 'Open')")
    [path] = kept(tmp_path)
    assert (result.code, [one.method for one in service.seen]) == (4, ["GET", "GET"])
    assert "error: 7 has changed since it was read: name was " in result.stderr
    assert str(path) in result.stderr
    service.reply = second_look(RECORD, RECORD.replace("open", "done"))
    assert edit("text = text.replace('Broken', 'Open')").code == 0
    assert service.seen[-1].body == rb'{"name":"Open \ud83d door"}'


def test_a_record_that_is_gone_or_already_so_is_not_written(edit: Edit, service: Service) -> None:
    service.reply = second_look(
        RECORD, '{"statusCode":404,"error":"Not Found","message":"no"}', 404
    )
    result = edit("text = text.replace('Broken', 'Open')")
    assert (result.code, len(service.seen)) == (4, 2)
    assert "7 was deleted after it was read" in result.stderr
    service.reply = second_look(RECORD, RECORD.replace("Broken", "Open"))
    result = edit("text = text.replace('Broken', 'Open')")
    assert (result.code, len(service.seen)) == (0, 4)
    assert result.stderr.endswith(
        "ticketing tickets 7 already has these values, so nothing was sent\n"
    )


@pytest.mark.parametrize(
    ("do", "said"),
    [
        ("os.kill(os.getpid(), 9)", "was killed by signal 9"),
        ("sys.exit(3)", "ended with 3"),
        ("open(path, 'w').write('half'); os.kill(os.getpid(), 15)", "was killed by signal 15"),
    ],
)
def test_an_editor_that_is_killed_sends_nothing(
    edit: Edit, service: Service, tmp_path: Path, do: str, said: str
) -> None:
    result = edit(do)
    assert (result.code, len(service.seen)) == (2, 1)
    assert f"error: nothing was sent: {sys.executable} {said}" in result.stderr
    assert [one.read_text() for one in kept(tmp_path)] == (["half"] if "half" in do else [])


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b""])
def test_declining_sends_nothing_and_keeps_the_text(
    edit: Edit, service: Service, tmp_path: Path, answer: bytes
) -> None:
    result = edit("text = text.replace('Broken', 'Open')", stdin=answer)
    assert (result.code, len(service.seen), len(kept(tmp_path))) == (2, 1, 1)
    assert f"error: not updated (the edited text is in {kept(tmp_path)[0]})\n" in result.stderr


def test_a_refused_edit_is_not_lost(edit: Edit, service: Service, tmp_path: Path) -> None:
    refusal = Reply(422, b'{"statusCode":422,"error":"Unprocessable","message":"no such name"}')
    service.reply = lambda seen: refusal if seen.method == "PATCH" else Reply(body=RECORD.encode())
    result = edit("text = text.replace('Broken', 'Open')")
    assert (result.code, len(kept(tmp_path))) == (4, 1)
    assert str(kept(tmp_path)[0]) in result.stderr


@pytest.mark.parametrize(
    ("line", "world", "code", "said"),
    [
        ("ticketing tickets update 7 --edit", {"tty": False}, 2, "--edit needs a terminal"),
        (
            "ticketing tickets update 7 --edit",
            {"stdout_is_terminal": False},
            2,
            "--edit needs a terminal",
        ),
        ("ticketing tickets update 7 --edit --no-input", {}, 2, "--edit needs a terminal"),
        ("-p a -p b ticketing tickets update 7 --edit", {}, 2, "one record of one connection"),
        ("ticketing tickets update - --edit", {}, 2, "one record of one connection"),
        ("ticketing tickets update 7 --edit -f a=b", {}, 2, "--edit makes the body"),
        ("ticketing tickets update 7 --edit -d {}", {}, 2, "--edit makes the body"),
        ("ticketing tickets update 7 --edit --dry-run", {}, 2, "--edit already shows the request"),
        ("ticketing tickets create --edit", {}, 2, "no such option: --edit"),
        ("-p closed ticketing tickets update 7 --edit", {}, 13, "is read-only; PATCH"),
    ],
)
def test_an_impossible_edit_is_refused_before_the_record_is_read(
    edit: Edit,
    service: Service,
    config: Config,
    line: str,
    world: dict[str, bool],
    code: int,
    said: str,
) -> None:
    config(
        f'base_url = "{service.url}"\n[profiles.a]\naccount_id = "1"\n[profiles.b]\naccount_id ='
        ' "2"\n[profiles.closed]\naccount_id = "3"\nread_only = true\n'
    )
    result = edit("raise SystemExit(9)", line=line, **world)
    assert (result.code, result.stdout, service.seen) == (code, "", [])
    assert said in result.stderr


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "--edit needs an editor (set the variable EDITOR, such as EDITOR=vi)"),
        ({"EDITOR": " "}, "--edit needs an editor (set the variable EDITOR, such as EDITOR=vi)"),
        ({"EDITOR": "no-such-editor -w"}, "EDITOR: no program 'no-such-editor'"),
        ({"EDITOR": "true", "VISUAL": "vi 'x"}, 'VISUAL: "vi \'x": no closing quotation'),
        ({"EDITOR": "./true"}, "EDITOR: no program './true'"),
    ],
)
def test_an_editor_that_cannot_be_started_is_named(
    unified: Unified, service: Service, environ: dict[str, str], said: str
) -> None:
    result = unified(
        "ticketing tickets update 7 --edit", tty=True, environ={**service.environ, **environ}
    )
    assert (result.code, result.stderr, service.seen) == (3, f"error: {said}\n", [])


def test_an_editor_has_the_terminal_and_its_interrupts(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environ = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "TERM": "dumb",
        "TMPDIR": str(home),
    }
    line = [sys.executable, "-m", "unified_cli", "-p", "sandbox", "ticketing", "tickets"]
    listed = (
        pexpect.run(shlex.join([*line, "list", "--limit", "1", "-o", "ids"]), env=environ)
        .decode()
        .split()[0]
    )
    editor = tmp_path / "ed.py"
    editor.write_text(
        "import re, signal, sys\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\nword = input('to:"
        " '); text = open(sys.argv[1]).read()\ntext = re.sub('(\"name\": )\"[^\"]*\"', '\\\\1' +"
        " repr(word).replace(chr(39), chr(34)), text, count=1)\nopen(sys.argv[1],"
        " 'w').write(text)\n"
    )
    child = pexpect.spawn(
        line[0],
        [*line[1:], "update", listed, "--edit", "-o", "json"],
        env={**environ, "VISUAL": shlex.join([sys.executable, str(editor)])},
        encoding="utf-8",
        timeout=60,
        dimensions=(50, 200),
    )
    child.expect("to: ")
    child.sendintr()
    child.expect("was killed by signal 2")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 2
    child = pexpect.spawn(
        line[0],
        [*line[1:], "update", listed, "--edit", "-o", "json"],
        env={**environ, "VISUAL": shlex.join([sys.executable, str(editor)])},
        encoding="utf-8",
        timeout=60,
        dimensions=(50, 200),
    )
    child.expect("to: ")
    child.sendline("Changed by hand")
    child.expect(r"\[y/N\] ")
    child.sendline("y")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert '"name": "Changed by hand"' in str(child.before)
    assert [one for one in home.iterdir() if one.name.startswith("unified-edit-")] == []


def test_a_stop_while_it_is_edited_ends_the_editor_and_names_the_text(
    tmp_path: Path, service: Service
) -> None:
    service.reply = lambda _: Reply(body=RECORD.encode())
    editor = tmp_path / "slow.py"
    editor.write_text(
        "import sys, time\nopen(sys.argv[1], 'a').write('more')\nprint('ready',"
        " flush=True)\ntime.sleep(60)\n"
    )
    environ = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "TERM": "dumb",
    }
    child = pexpect.spawn(
        sys.executable,
        ["-m", "unified_cli", "ticketing", "tickets", "update", "7", "--edit"],
        env={
            **environ,
            **service.environ,
            "TMPDIR": str(tmp_path),
            "EDITOR": shlex.join([sys.executable, str(editor)]),
        },
        encoding="utf-8",
        timeout=60,
        dimensions=(50, 300),
    )
    child.expect("ready")
    os.kill(child.pid, signal.SIGTERM)
    child.expect("the edited text is in ")
    child.expect(pexpect.EOF)
    path = Path(str(child.before).strip())
    child.close()
    assert (child.exitstatus, path.read_text()[-4:], len(service.seen)) == (143, "more", 1)


SECRET = "t-0123456789"
LIKE_SECRETS = (
    '{"id":"7","wing":"Door","token":"sk_live_9f8e7d6c5b4a","password":"hunter2-hunter2",'
    '"note":"Bearer eyJhbGciOiJIUzI1NiJ9.e30.x and '
    + SECRET
    + ' and \\ud83d","api_key":"'
    + SECRET
    + '","count":'
    + BIG
    + ',"headers":{"authorization":"Basic dXNlcjpwYXNz","price":1.10}}'
)


@pytest.mark.needs("ed")
@pytest.mark.parametrize(
    ("typed", "body"),
    [
        (["q"], None),
        (["w", "q"], None),
        (["g/wing/s/Door/Gate/", "w", "q"], b'{"wing":"Gate"}'),
        (["g/password/s/hunter2-h/h/", "w", "q"], b'{"password":"hunter2"}'),
        (
            ["g/price/s/1.10/1.12/", "w", "q"],
            b'{"headers":{"authorization":"Basic dXNlcjpwYXNz","price":1.12}}',
        ),
        ([f"g/api_key/s/{SECRET}/new-key/", "w", "q"], b'{"api_key":"new-key"}'),
        (
            ["g/note/s/Bearer/Basic/", "w", "q"],
            rb'{"note":"Basic eyJhbGciOiJIUzI1NiJ9.e30.x and t-0123456789 and \ud83d"}',
        ),
    ],
)
def test_values_like_secrets_are_edited_unmasked_and_sent_only_if_changed(
    typed: list[str], body: bytes | None, tmp_path: Path, service: Service
) -> None:
    service.reply = lambda _: Reply(body=LIKE_SECRETS.encode())
    own = {"HOME": str(tmp_path), "EDITOR": "ed -s", "TMPDIR": str(tmp_path)}
    line = ["ticketing", "tickets", "update", "7", "--edit", "-o", "ids"]
    terminal = Terminal(line, {**service.environ, **own}, columns=120)
    for command in typed:
        terminal.enter(command)
    if body is None:
        assert terminal.end() == 0
        assert [one.method for one in service.seen] == ["GET"]
        assert "nothing was changed" in terminal.sent
        return
    terminal.until(r"\[y/N\] ")
    terminal.enter("y")
    assert terminal.end() == 0
    assert [(one.method, one.body) for one in service.seen if one.method != "GET"] == [
        ("PATCH", body)
    ]
    # The screen has what the person typed, and no secret of the program's own.
    shown = [
        one for one in terminal.sent.splitlines() if one.lstrip().startswith(("- ", "+ ", "-", "+"))
    ]
    assert shown
    assert SECRET not in "".join(shown)
    assert not list(tmp_path.glob("unified-edit-*"))
