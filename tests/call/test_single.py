"""Deletes that ask, writes that a profile forbids, and skeletons that send nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

from unified_cli.catalogue import Operation, load

DELETE = "ticketing tickets delete 42"
READ_ONLY = 'read_only = true\nbase_url = "{url}"\ntoken = "t-0123456789"\naccount_id = "acct-1"\n'
WRITES = [operation for operation in load() if operation.changes]
BODIES = [operation for operation in load() if operation.takes_body]


UNCONFIRMED = (
    "error: not deleted: cannot ask whether to delete ticketing tickets 42 in account acct-1 (add"
    " --yes)\n"
)
BY_PATH = "request DELETE /unified/ticketing/tickets/42"


@pytest.mark.parametrize("command", [DELETE, BY_PATH, f"{BY_PATH} -d '{{}}'"])
@pytest.mark.parametrize(
    ("more", "terminal"),
    [("", False), ("--no-input", False), ("--no-input", True), ("--token-stdin", False)],
)
def test_a_delete_without_a_terminal_needs_yes(
    command: str, more: str, unified: Unified, service: Service, *, terminal: bool
) -> None:
    token = b"t-0123456789"
    refused = unified(f"{command} {more}", environ=service.environ, tty=terminal, stdin=token)
    said = (
        UNCONFIRMED
        if command == DELETE
        else UNCONFIRMED.replace("ticketing tickets 42", BY_PATH.rpartition(" ")[2])
    )
    assert (refused.code, refused.stdout, refused.stderr, service.seen) == (2, "", said, [])
    assert (
        unified(f"{command} {more} --yes", environ=service.environ, tty=terminal, stdin=token).code
        == 0
    )
    assert [seen.method for seen in service.seen] == ["DELETE"]


@pytest.mark.parametrize("stream", ["stdin_is_terminal", "stderr_is_terminal"])
def test_a_question_needs_a_terminal_at_both_ends(
    stream: str, unified: Unified, service: Service
) -> None:
    result = unified(DELETE, environ=service.environ, stdin=b"y\n", **{stream: True})
    assert (result.code, result.stderr, service.seen) == (2, UNCONFIRMED, [])


def test_a_dry_run_of_a_delete_needs_no_confirmation(unified: Unified, service: Service) -> None:
    assert unified(f"{DELETE} --dry-run", environ=service.environ).json["method"] == "DELETE"
    assert service.seen == []


@pytest.mark.parametrize("answer", [b"y\n", b"YES\n"])
def test_a_delete_asks_on_a_terminal(answer: bytes, unified: Unified, service: Service) -> None:
    result = unified(DELETE, environ=service.environ, tty=True, stdin=answer)
    assert result.code == 0
    assert result.stderr == "delete ticketing tickets 42 in account acct-1? [y/N] "
    assert len(service.seen) == 1


def test_a_delete_names_the_profile_and_its_account(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config(f'token = "t-0123"\nbase_url = "{service.url}"\n[profiles.acme]\naccount_id = "a-1"\n')
    one = unified("-p acme ticketing tickets delete 42", tty=True, stdin=b"n\n")
    assert (
        one.stderr
        == 'delete ticketing tickets 42 in profile "acme" (account a-1)? [y/N] error: not deleted\n'
    )
    many = unified("-p acme ticketing tickets delete -", stdin=b"1\n2\n")
    assert (
        many.stderr
        == "error: not deleted: cannot ask whether to delete 2 records of ticketing tickets in"
        ' profile "acme" (account a-1) (add --yes)\n'
    )


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b"", b"yeah\n"])
def test_any_other_answer_deletes_nothing(
    answer: bytes, unified: Unified, service: Service
) -> None:
    result = unified(DELETE, environ=service.environ, tty=True, stdin=answer)
    assert (result.code, service.seen) == (2, [])
    assert result.stderr.endswith("[y/N] error: not deleted\n")


def test_yes_skips_the_question(unified: Unified, service: Service) -> None:
    result = unified(f"{DELETE} -y", environ=service.environ, tty=True)
    assert (result.code, result.stderr, len(service.seen)) == (0, "", 1)


@pytest.mark.parametrize("operation", WRITES, ids=lambda one: one.command)
def test_a_read_only_profile_writes_nothing(
    operation: Operation, unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config(READ_ONLY.format(url=service.url))
    identifier = ["42"] if operation.takes_id else []
    body = ["-d", "{}"] if operation.takes_body else []
    query = [word for name in operation.required_parameters for word in ("-q", f"{name}=1")]
    result = unified([*operation.command.split(), *identifier, *query, *body])
    assert (result.code, result.stdout, service.seen) == (13, "", [])
    path = operation.path.replace("{id}", "42")
    assert (
        result.stderr
        == f"error: the configuration is read-only; {operation.method} {path} was not sent\n"
    )


@pytest.mark.parametrize("operation", BODIES, ids=lambda one: one.command)
def test_a_skeleton_is_a_body_that_can_be_sent(operation: Operation, unified: Unified) -> None:
    identifier = ["42"] if operation.takes_id else []
    shown = unified([*operation.command.split(), *identifier, "--skeleton"])
    takes_file = operation.kind == "write" and operation.resource == "attachments"
    assert (shown.code, "--upload FILE" in shown.stderr) == (0, takes_file)
    assert takes_file or shown.stderr == ""
    assert isinstance(shown.json, dict)
    argv = ["-p", "sandbox", *operation.command.split(), *identifier, "-d", "-", "--dry-run"]
    argv += [word for name in operation.required_parameters for word in ("-q", f"{name}=x")]
    assert unified(argv, stdin=shown.raw).json["body"] == shown.json


def test_a_skeleton_shows_the_known_fields_by_type(unified: Unified) -> None:
    assert (
        unified("ticketing attachments create --skeleton").stdout
        == '{"file_name":"","content_type":"","data":""}\n'
    )
    assert unified("knowledge-base page-exports create --skeleton").json == {
        "format": "html|markdown"
    }
    ticket = unified("ticketing tickets create --skeleton").json
    assert (ticket["name"], ticket["tags"]) == ("", [])
    assert ticket["status"]["name"].startswith("active|closed|")
    assert not {"id", "created_at", "remote_data"} & {*ticket}
    assert unified("ticketing tickets delete --skeleton").stdout == "{}\n"


def test_an_invalid_answer_to_a_prompt_is_asked_again(unified: Unified, service: Service) -> None:
    command = "ticketing tickets delete 42"
    result = unified(command, environ=service.environ, tty=True, stdin=b"maybe\ny\n")
    question = "delete ticketing tickets 42 in account acct-1? [y/N] "
    assert (result.code, result.stderr) == (0, f"{question}please answer y or n\n{question}")
    assert unified(command, environ=service.environ, tty=True, stdin=b"maybe").code == 2
    assert len(service.seen) == 1


KEYED = "ticketing tickets create -f name=x --idempotency-key k-1"
REPEAT = "to repeat it safely: --idempotency-key k-1"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            f"""{KEYED} --jq 'error("no")'""",
            f"--jq: no; POST /unified/ticketing/tickets was done ({REPEAT})",
        ),
        (
            f"{KEYED} --jq halt_error",
            f"--jq: x; POST /unified/ticketing/tickets was done ({REPEAT})",
        ),
        ("ticketing tickets delete 1 --yes --jq '.id'", ""),
    ],
)
def test_an_answer_that_cannot_be_shown_leaves_no_doubt_about_the_write(
    command: str, said: str, unified: Unified, service: Service
) -> None:
    service.reply = lambda seen: Reply(204) if seen.method == "DELETE" else Reply(201, b'"x"')
    result = unified(command, environ=service.environ)
    assert (result.code, len(service.seen)) == (11 if said else 0, 1)
    assert result.stderr == (f"error: {said}\n" if said else "done (204, no content)\n")
