"""The connection of a write comes from the command line: no body chooses it, and no
provider receives the name of a profile.
"""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

Config = Callable[[str], Path]
PROFILES = '[profiles.a]\naccount_id = "acct-1"\n[profiles.b]\naccount_id = "acct-2"\n'
SUSPEND = "user-directory users suspend --yes"
LABELLED = '{"user_id":"7","_profile":"a"}'
BATCH = "request POST /batch-request"


@pytest.fixture(autouse=True)
def two(config: Config) -> None:
    config(PROFILES)


@pytest.mark.parametrize("chosen", ["-p a -p b", "-p a", "-p ?", ""])
@pytest.mark.parametrize(
    "body",
    [
        ["-d", LABELLED],
        ["-d", '{"_\\u0070rofile":"b","user_id":"7"}'],
        ["-d", '{"_profile":null}'],
        ["-d", "@body.json"],
        ["-d", "-"],
        ["-d", "@-"],
        ["-f", "user_id=7", "-f", "_profile=a"],
        ["-F", '_profile={"name":"a"}'],
        ["-f", "_profile[x]=a"],
        ["-F", "_profile=@body.json"],
    ],
    ids=str,
)
@pytest.mark.parametrize(
    ("command", "routed"),
    [
        (SUSPEND, "user-directory/users FILE --operation suspend"),
        ("ticketing tickets create", "ticketing/tickets FILE --operation create"),
        ("ticketing tickets update 7", "ticketing/tickets FILE --operation update"),
        ("request POST /unified/ticketing/tickets", "API/RESOURCE FILE --operation OP"),
    ],
)
def test_a_body_names_no_connection(
    command: str,
    routed: str,
    body: list[str],
    chosen: str,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "body.json").write_text(LABELLED)
    if command.startswith("request") and chosen.startswith(("-p a -p", "-p ?")):
        chosen = "-p a"
    result = unified(
        [*command.split(), *chosen.split(), *body],
        environ=service.environ,
        stdin=LABELLED.encode(),
    )
    assert (result.stdout, result.code, service.seen) == ("", 2, [])
    selected = {"-p a -p b": "-p a -p b", "-p ?": "-p '?'"}.get(chosen, "-p NAME -p NAME")
    assert result.stderr == (
        "error: the body has a _profile, but a body cannot choose the connection (unified import"
        f" {routed} {selected} sends each record to the one that it names)\n"
    )


def test_the_command_that_is_named_sends_each_to_its_own(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    argv = [*SUSPEND.split(), "-p", "a", "-p", "b", "-d", LABELLED]
    said = unified(argv, environ=service.environ).stderr
    (tmp_path / "who").write_text(LABELLED + '\n{"_profile":"b","user_id":"8"}\n')
    command = said.partition("(unified ")[2].partition(" sends each")[0]
    line = [str(tmp_path / "who") if one == "FILE" else one for one in shlex.split(command)]
    result = unified([*line, "--yes"], environ=service.environ)
    assert result.code == 0, result.stderr
    assert sorted(
        (dict(seen.query)["integrated_account_id"], seen.body) for seen in service.seen
    ) == [
        ("acct-1", b'{"user_id":"7"}'),
        ("acct-2", b'{"user_id":"8"}'),
    ]


@pytest.mark.parametrize("option", [["-d", LABELLED], ["-f", "_profile=b"]])
def test_an_option_beside_piped_records_names_none(
    option: list[str], unified: Unified, service: Service
) -> None:
    argv = ["ticketing", "tickets", "update", "-", "-p", "?", "--yes", *option]
    stdin = b'{"_profile":"a","id":"7"}\n'
    result = unified(argv, environ=service.environ, stdin=stdin)
    assert (result.code, service.seen) == (2, [])
    assert "--operation update -p '?' sends each record" in result.stderr


def test_a_form_body_names_no_connection(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    argv = ["request", "POST", "/file", "--yes", "--upload", f"file={tmp_path / 'file'}"]
    result = unified([*argv, "-f", "_profile=a"], environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert "the form has a _profile" in result.stderr


def test_a_name_that_is_not_at_the_top_is_data(unified: Unified, service: Service) -> None:
    body = '{"custom":{"_profile":"x"},"text":"_profile"}'
    argv = ["ticketing", "tickets", "create", "-d", body]
    assert unified(argv, environ=service.environ).code == 0
    assert service.seen[0].body == body.encode()


@pytest.mark.parametrize(
    "body", ['[{"integrated_account_id":"x","resources":[]}]', '"x"', "5", "null"]
)
def test_a_batch_is_an_object(body: str, unified: Unified, service: Service) -> None:
    result = unified([*BATCH.split(), "-p", "a", "-d", body], environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert result.stderr.startswith("error: a batch is one JSON object")


@pytest.mark.parametrize(
    "body",
    [
        {"Integrated_Account_Id": "acct-2"},
        {"resources": [{"INTEGRATED_ACCOUNT_ID": "acct-2"}]},
        {"resources": [{"resource": "ticketing/tickets?integrated_account_id=acct-2"}]},
        {"resources": [{"resource": "ticketing/tickets?limit=1&Integrated_Account_ID=acct-2"}]},
        {"resources": [{"Resource": "ticketing/tickets?integrated%5faccount_id=acct-2"}]},
        {"resources": [{"resource": "ticketing/tickets%3Fintegrated_account_id=acct-2"}]},
        {"resources": [{"resource": "ticketing/tickets", "id": "1?integrated_account_id=acct-2"}]},
        {"resources": [{"query": {"integrated_Account_id": "acct-2"}}]},
    ],
    ids=json.dumps,
)
def test_a_batch_that_names_another_connection_anywhere_is_refused(
    body: object, unified: Unified, service: Service
) -> None:
    argv = [*BATCH.split(), "-p", "a", "-d", json.dumps(body)]
    result = unified(argv, environ=service.environ)
    assert (result.code, service.seen) == (13, [])
    assert "integrated_account_id is acct-2, but for profile" in result.stderr


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"resources": [{"resource": "ticketing/tickets?integrated_account_id=acct-1"}]}, 0),
        ({"resources": [{"resource": "ticketing/tickets?limit=2", "id": "a&b"}]}, 0),
        ({"resources": [{"body": {"text": "see ?integrated_account_id=acct-2"}}]}, 0),
        ({"Integrated_Account_Id": "acct-1"}, 2),
        ({"Integrated_Account_Id": "acct-1", "integrated_account_id": "acct-1"}, 2),
    ],
    ids=str,
)
def test_a_batch_for_the_selected_connection_is_sent(
    body: object, code: int, unified: Unified, service: Service
) -> None:
    argv = [*BATCH.split(), "-p", "a", "-d", json.dumps(body)]
    assert unified(argv, environ=service.environ).code == code
    assert len(service.seen) == (code == 0)


def test_a_plan_sends_no_name(
    unified: Unified, service: Service, tmp_path: Path, config: Config
) -> None:
    config(PROFILES + '[profiles.c]\naccount_id = "acct-3"\n')
    path = tmp_path / "from.ndjson"
    path.write_text('{"_profile":"a","id":"1","name":"x"}\n{"_profile":"a","id":"2","name":"y"}\n')
    service.reply = lambda _: Reply(200, b'{"result":[{"id":"1","name":"z"}],"next_cursor":null}')
    argv = f"plan ticketing/tickets --from {path} --to c --same-ids --all-fields"
    result = unified(argv, environ=service.environ)
    header, *calls = result.stdout.splitlines()
    assert sorted(json.loads(call)["operation"] for call in calls) == ["create", "update"]
    assert "_profile" not in "".join(calls)
    plan = tmp_path / "plan"
    labelled = [call.replace('"name":', '"_profile":"b","name":') for call in calls]
    plan.write_text("\n".join([header, *labelled, ""]))
    service.seen.clear()
    applied = unified(f"apply {plan} -p c --yes", environ=service.environ)
    assert (applied.code, service.seen) == (2, [])
    assert "sends the field _profile, which does not choose a connection" in applied.stderr
