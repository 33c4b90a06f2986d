"""Records that name their connection go there, if `-p` selects several and this one
among them; and nowhere else.
"""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
TAGS = "ticketing tags"
PROFILES = """
[profiles.acme]
account_id = "a-1"
tags = ["eu"]
[profiles.globex]
account_id = "a-2"
tags = ["eu"]
[profiles.other]
account_id = "a-3"
"""
BOTH = "-p acme -p globex"
ONLY_SEVERAL = (
    "has a _profile, which selects a connection only if -p names several (remove it, or use -p"
    " with a glob, a tag or names)"
)


def echo(seen: Seen) -> Reply:
    return served({"id": seen.segments[-1], "account": account(seen)})


def account(seen: Seen) -> str:
    return dict(seen.query)["integrated_account_id"]


def sent(service: Service) -> list[tuple[str, str, str, bytes]]:
    return sorted(
        (seen.method, account(seen), seen.segments[-1], seen.body) for seen in service.seen
    )


@pytest.fixture(autouse=True)
def two(config: Config, service: Service) -> None:
    config(PROFILES)
    service.reply = echo


@pytest.mark.parametrize("chosen", [BOTH, "-p tag:eu", "-p '*' -p '!other'", "-p [ag]*"])
@pytest.mark.parametrize(
    ("command", "method", "bodies"),
    [
        ("get -", "GET", [b"", b""]),
        ("delete - --yes", "DELETE", [b"", b""]),
        ("update - --yes", "PATCH", [b'{"n":1.10}', b'{"n": 2}']),
        ("update - --yes -F s=true", "PATCH", [b'{"n":1.10,"s":true}', b'{"n":2,"s":true}']),
    ],
)
def test_each_record_goes_to_its_connection_without_the_name(
    chosen: str, command: str, method: str, bodies: list[bytes], unified: Unified, service: Service
) -> None:
    stdin = b'{"_profile":"acme","id":"7","n":1.10}\n{"id":"7","n": 2,"_profile":"globex"}\n'
    result = unified(f"{TAGS} {command} {chosen} -o ndjson", environ=service.environ, stdin=stdin)
    assert (result.code, result.notes) == (0, "")
    shown = sorted(result.stdout.splitlines())
    assert shown == [
        '{"_profile":"acme","id": "7", "account": "a-1"}',
        '{"_profile":"globex","id": "7", "account": "a-2"}',
    ]
    found = [body.replace(b": ", b":") for _, _, _, body in sent(service)]
    assert [(one, two) for one, two, _, _ in sent(service)] == [(method, "a-1"), (method, "a-2")]
    assert found == [body.replace(b": ", b":") for body in bodies]


HOSTILE = [
    (b'{"id":"1"}', "has no _profile, so it belongs to no connection"),
    (b'{"_profile":"other","id":"1"}', 'has the _profile "other", which -p does not select'),
    (b'{"_profile":"sandbox","id":"1"}', 'has the _profile "sandbox", which -p does not select'),
    (b'{"_profile":"Acme","id":"1"}', 'has the _profile "Acme", which -p does not select'),
    (b'{"_profile":"acme ","id":"1"}', 'has the _profile "acme ", which -p does not select'),
    (
        b'{"_profile":"acm\\u0065\\u0000","id":"1"}',
        'has the _profile "acme\\x00", which -p does not select',
    ),
    (b'{"_profile":"tag:eu","id":"1"}', 'has the _profile "tag:eu", which -p does not select'),
    (b'{"_profile":"*","id":"1"}', 'has the _profile "*", which -p does not select'),
    (b'{"_profile":"","id":"1"}', 'has the _profile "", which -p does not select'),
    (b'{"_profile":"\\ud800","id":"1"}', 'has the _profile "\\ud800", which -p does not select'),
    (b'{"_profile":null,"id":"1"}', "has a _profile that is not text"),
    (b'{"_profile":["acme"],"id":"1"}', "has a _profile that is not text"),
    (b'{"_profile":"acme","id":"1","_profile":"globex"}', "has _profile more than once"),
    (b'{"_profile":"acme","id":"1","_\\u0070rofile":"other"}', "has _profile more than once"),
    (b'{"\\u005Fprofile":"other","id":"1"}', 'has the _profile "other", which -p does not select'),
    (b'{"_PROFILE":"acme","id":"1"}', "has no _profile, so it belongs to no connection"),
    (b'{"a":{"_profile":"acme"},"id":"1"}', "has no _profile, so it belongs to no connection"),
    (b'{"a":"_profile","id":"1"}', "has no _profile, so it belongs to no connection"),
    (b'[{"_profile":"acme","id":"1"}]', "is not a JSON object"),
    (b'{"_profile":"acme"}', "has no id"),
    (b'{"_profile":"acme","id":"\\ud83d"}', "the id is not UTF-8: \\ud83d"),
    (b"{", "is not JSON: Input data was truncated"),
]


@pytest.mark.parametrize(("record", "why"), HOSTILE)
def test_a_line_of_no_selected_connection_fails_alone(
    record: bytes, why: str, unified: Unified, service: Service
) -> None:
    stdin = b'{"_profile":"acme","id":"a"}\n' + record + b'\n{"_profile":"globex","id":"b"}\n'
    result = unified(
        f"{TAGS} delete - --yes {BOTH} --format ndjson", environ=service.environ, stdin=stdin
    )
    assert [entry[1:3] for entry in sent(service)] == [("a-1", "a"), ("a-2", "b")]
    known = why.startswith(("the id", "has no id"))
    assert (
        result.notes == f"line 2{' (acme)' if known else ''}: {why}\nerror: 1 of 3 records"
        f" failed{' (acme 1)' if known else ''}\n"
    )
    assert result.code == 9


@pytest.mark.parametrize(("record", "why"), HOSTILE)
def test_an_import_holds_to_the_same_rules(
    record: bytes, why: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "in.ndjson"
    path.write_bytes(
        b'{"_profile":"acme","id":"a"}\n' + record + b'\n{"_profile":"globex","id":"b"}\n'
    )
    command = [
        "import",
        "ticketing/tags",
        str(path),
        "--operation",
        "delete",
        "--yes",
        "-p",
        "tag:eu",
    ]
    result = unified(command, environ=service.environ)
    assert [entry[1:3] for entry in sent(service)] == [("a-1", "a"), ("a-2", "b")]
    assert result.code == 9, result.stderr
    assert why in result.stderr
    assert (
        json.loads(path.with_name("in.ndjson.unified-failed.ndjson").read_text())["_import"]["line"]
        == 2
    )


def test_ids_in_a_table_go_where_its_column_says(unified: Unified, service: Service) -> None:
    stdin = b"id,_profile,_Profile\n1,acme,other\n2,other,acme\n3,,acme\n4,globex,\n"
    result = unified(
        f"{TAGS} get - {BOTH} -o csv --columns id,account", environ=service.environ, stdin=stdin
    )
    assert [entry[1:3] for entry in sent(service)] == [("a-1", "1"), ("a-2", "4")]
    assert sorted(result.stdout.splitlines()) == [
        "_profile,id,account",
        "acme,1,a-1",
        "globex,4,a-2",
    ]
    assert result.code == 9


def test_ids_alone_belong_to_no_connection(unified: Unified, service: Service) -> None:
    result = unified(f"{TAGS} delete - --yes {BOTH}", environ=service.environ, stdin=b"1\n2\n")
    assert (result.code, sent(service)) == (9, [])
    assert (
        result.stderr == "line 1: is an id, not a record with a _profile\n"
        "line 2: is an id, not a record with a _profile\n"
        "error: 2 of 2 records failed\n"
    )


@pytest.mark.parametrize("chosen", ["", "-p acme"])
@pytest.mark.parametrize("command", ["get -", "update -", "delete - --yes"])
@pytest.mark.parametrize(
    "record", [b'{"_profile":"acme","id":"1","n":1}', b'{"id":"1","_prof\\u0069le":null,"n":1}']
)
def test_without_several_a_record_must_not_name_a_connection(
    chosen: str, command: str, record: bytes, unified: Unified, service: Service, tmp_path: Path
) -> None:
    stdin = b'{"id":"0","n":1}\n' + record
    result = unified(f"{TAGS} {command} {chosen}", environ=service.environ, stdin=stdin)
    assert (result.code, result.stderr) == (2, f"error: standard input, line 2 {ONLY_SEVERAL}\n")
    path = tmp_path / "in.ndjson"
    path.write_bytes(stdin)
    imported = unified(
        f"import ticketing/tags {path} {chosen} --map 'del(._profile)'", environ=service.environ
    )
    assert (imported.code, imported.stderr) == (2, f"error: {path}, line 2 {ONLY_SEVERAL}\n")
    assert service.seen == []
    assert [*tmp_path.glob("in.*")] == [path]


def test_the_map_of_an_import_sees_no_connection_and_chooses_none(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "in.ndjson"
    path.write_bytes(
        b'{"_profile":"acme","name":"a"}\n{"_profile":"globex","name":"b"}\n"c"\n{"_profile":"acme","name":"evil"}\n'
    )
    program = (
        'if type == "string" then {name: .} elif .name == "evil" then {_profile: "other"} else'
        " {name, p: ._profile} end"
    )
    command = ["import", "ticketing/tags", str(path), "--yes", "-p", "tag:eu", "--map", program]
    result = unified(command, environ=service.environ)
    assert [entry[1::2] for entry in sent(service)] == [
        ("a-1", b'{"name":"a","p":null}'),
        ("a-2", b'{"name":"b","p":null}'),
    ]
    assert result.code == 9
    assert "line 3 failed: is not a JSON object" in result.stderr
    assert (
        "line 4 (acme) failed: got a _profile from --map, which cannot choose a connection"
        in result.stderr
    )


def test_an_import_continues_with_the_connections_that_answer(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    refused = served({"statusCode": 401, "error": "x", "message": "no"}, 401)
    service.reply = lambda seen: refused if account(seen) == "a-1" else echo(seen)
    path = tmp_path / "in.ndjson"
    names = ["acme", "globex"] * 20
    path.write_text(
        "".join(json.dumps({"_profile": name, "n": at}) + "\n" for at, name in enumerate(names))
    )
    command = f"import ticketing/tags {path} --yes -p tag:eu --workers 1 -o json"
    result = unified(command, environ=service.environ)
    assert result.code == 9
    assert Counter(entry[1] for entry in sent(service)) == {"a-1": 1, "a-2": 20}
    first, second, *_ = result.notes.splitlines()
    assert first.startswith(
        "line 1 (acme) failed: the service answered 401 to POST /unified/ticketing/tags"
    )
    assert second.startswith(
        "acme: its other records are not tried: the service answered 401 to POST"
    )
    assert {one["outcome"]: one["records"] for one in result.json} == {
        "done": 20, "failed": 1, "in doubt": 0, "not tried": 19,
    }  # fmt: skip
    service.reply = echo
    again = unified(command, environ=service.environ)
    assert (again.code, Counter(entry[1] for entry in sent(service))) == (0, {"a-1": 21, "a-2": 20})
    assert len({seen.headers["idempotency-key"] for seen in service.seen}) == 40


@pytest.mark.parametrize("command", ["update -", "import"])
def test_no_connection_waits_for_the_records_of_another(
    command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "in.ndjson"
    names = ["acme"] * 4 + ["globex"] * 2
    path.write_text(
        "".join(
            json.dumps({"_profile": name, "id": f"{at}", "n": 1}) + "\n"
            for at, name in enumerate(names)
        )
    )
    line = (
        f"import ticketing/tags {path} --operation update"
        if command == "import"
        else f"{TAGS} {command}"
    )
    result = unified(
        f"{line} --yes -p tag:eu --workers 1", environ=service.environ, stdin=path.read_bytes()
    )
    assert result.code == 0, result.stderr
    assert [(account(seen), seen.segments[-1]) for seen in service.seen] == [
        ("a-1", "0"), ("a-1", "1"), ("a-2", "4"), ("a-1", "2"), ("a-1", "3"), ("a-2", "5"),
    ]  # fmt: skip


def test_an_import_is_not_resumed_after_its_profile_changed_connection(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    path = tmp_path / "in.ndjson"
    path.write_text('{"_profile":"acme","n":1}\n{"_profile":"globex","n":1}\n')
    command = f"import ticketing/tags {path} --yes -p tag:eu"
    assert unified(command, environ=service.environ).code == 0
    config(PROFILES.replace("a-1", "a-9"))
    result = unified(command, environ=service.environ)
    assert (result.code, len(service.seen)) == (12, 2)
    config(PROFILES + '[profiles.fourth]\naccount_id = "a-4"\ntags = ["eu"]\n')
    # A profile that no record names makes no difference.
    result = unified(command, environ=service.environ)
    assert (result.code, len(service.seen)) == (0, 2), result.stderr


@pytest.mark.parametrize("command", ["update - -f n=1", "delete -", "import"])
def test_several_connections_are_confirmed(
    command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    stdin = (
        b'{"_profile":"acme","id":"1"}\n{"_profile":"globex","id":"2"}\n'
        b'{"_profile":"acme","id":"3"}\n'
    )
    path = tmp_path / "in.ndjson"
    path.write_bytes(stdin)
    verb = command.partition(" ")[0]
    line = (
        f"import ticketing/tags {path} --operation delete"
        if verb == "import"
        else f"{TAGS} {command}"
    )
    what = "delete" if verb == "import" else verb
    result = unified(f"{line} {BOTH}", environ=service.environ, stdin=stdin)
    question = f"{what} 3 records of ticketing tags in 2 connections (acme, globex)"
    assert (result.code, service.seen) == (2, [])
    assert (
        result.stderr == f"error: nothing was sent: cannot ask whether to {question} (add --yes)\n"
    )
    if verb == "import":
        answered = unified(f"{line} {BOTH}", environ=service.environ, stdin=b"n\n", tty=True)
        assert (answered.code, service.seen) == (2, [])
        assert answered.stderr.startswith(f"{question}? [y/N]")


@pytest.mark.parametrize("command", ["update - -f n=1", "delete -", "import"])
def test_read_only_profiles_are_refused_and_all_named(
    command: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    config(
        PROFILES.replace("[profiles.other]", "read_only = true\n[profiles.other]\nread_only = true")
    )
    path = tmp_path / "in.ndjson"
    path.write_bytes(b'{"_profile":"acme","id":"1"}')
    line = f"import ticketing/tags {path}" if command == "import" else f"{TAGS} {command}"
    result = unified(f"{line} -p '*' --yes", environ=service.environ, stdin=path.read_bytes())
    assert (result.code, service.seen) == (13, [])
    assert (
        result.stderr
        == "error: nothing was sent: 2 profiles of 3 are read-only: globex, other (-p '!globex'"
        " excludes this profile)\n"
    )


def test_two_profiles_of_one_connection(unified: Unified, service: Service, config: Config) -> None:
    config(PROFILES.replace("a-3", "a-1"))
    stdin = b'{"_profile":"acme","id":"1"}'
    result = unified(f"{TAGS} delete - -p '*' --yes", environ=service.environ, stdin=stdin)
    assert (result.code, service.seen) == (2, [])
    assert (
        result.stderr == "error: nothing was sent: acme, other are the same connection (-p '!other'"
        " excludes one of them)\n"
    )
    service.reply = lambda _: served({"result": []})
    result = unified(f"{TAGS} list -p '*'", environ=service.environ)
    assert (result.code, result.stderr) == (0, "acme, other are the same connection\n")


def test_a_served_profile_is_renamed(unified: Unified, service: Service) -> None:
    records = (
        b'[{"_profile":"other","id":1.10},{"id":2,"_prof\\u0069le":{"a":1},"_profile_served":3},'
        b' {"id":"\\u00e9"}]'
    )
    service.reply = lambda _: served(b'{"result":%b,"next_cursor":null}' % records)
    result = unified(f"{TAGS} list {BOTH} -o ndjson --ordered", environ=service.environ)
    assert result.stdout.splitlines()[:3] == [
        '{"_profile":"acme","_profile_served":"other","id":1.10}',
        '{"_profile":"acme","id":2,"_profile_served_served":{"a":1},"_profile_served":3}',
        '{"_profile":"acme","id":"\\u00e9"}',
    ]


def test_provider_text_reaches_no_other_connection(unified: Unified, service: Service) -> None:
    """The pipe from a list to an update, with a provider that names another connection
    in its records.
    """
    evil = {"id": "1", "_profile": "globex"}

    def reply(seen: Seen) -> Reply:
        return (
            served({"result": [evil] if account(seen) == "a-1" else []})
            if seen.method == "GET"
            else echo(seen)
        )

    service.reply = reply
    listed = unified(f"{TAGS} list --all -o ndjson {BOTH}", environ=service.environ)
    service.seen.clear()
    result = unified(f"{TAGS} update - {BOTH} --yes", environ=service.environ, stdin=listed.raw)
    assert result.code == 0
    assert sent(service) == [("PATCH", "a-1", "1", b'{"_profile_served":"globex"}')]


def test_a_dry_run_shows_the_account_of_each(unified: Unified, service: Service) -> None:
    stdin = b'{"_profile":"globex","id":"1"}\n{"id":"2"}\n'
    result = unified(f"{TAGS} delete - {BOTH} --dry-run", environ=service.environ, stdin=stdin)
    assert (result.code, service.seen) == (0, [])
    assert [
        json.loads(line)["url"].partition("tags/")[2] for line in result.stdout.splitlines()
    ] == ["1?integrated_account_id=a-2"]
    assert result.stderr == "line 2: has no _profile, so it belongs to no connection\n"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("-a a-1", "-a names one connection, but -p names several (leave out -a or -p)"),
        ("-o ids", "-o ids cannot tell connections apart (-o ndjson or csv can)"),
        (
            "--idempotency-key k",
            "--idempotency-key can only be used for one record (each line gets its own key)",
        ),
        ("-f x", "-f 'x' needs a value (-f NAME=VALUE sets a field, -d @FILE sends a file)"),
    ],
)
def test_options_that_need_a_single_connection_are_refused(
    more: str, said: str, unified: Unified, service: Service
) -> None:
    stdin = b'{"_profile":"acme","id":"1"}'
    result = unified(f"{TAGS} update - --yes {BOTH} {more}", environ=service.environ, stdin=stdin)
    assert (result.code, result.stderr, service.seen) == (2, f"error: {said}\n", [])
