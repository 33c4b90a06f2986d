"""Each operation, from the words of its command to the request that leaves."""

import pytest
from front_door import Unified
from server import Service

from unified_cli import __version__
from unified_cli.catalogue import Operation, load

OPERATIONS = list(load())
IDENTIFIER = "rec 7/ä"


def test_no_two_operations_share_a_request_or_a_command() -> None:
    assert len({(operation.method, operation.path) for operation in OPERATIONS}) == len(OPERATIONS)
    assert len({operation.command for operation in OPERATIONS}) == len(OPERATIONS)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.command)
def test_a_command_sends_exactly_its_request(
    operation: Operation, unified: Unified, service: Service
) -> None:
    argv = [*operation.command.split(), *([IDENTIFIER] if operation.takes_id else [])]
    argv += ["-q", "created_at[gt]=2026-01-01", "-q", "truto_exclude_fields[]=id"]
    needed = [(name, "1") for name in operation.required_parameters]
    argv += [word for name, value in needed for word in ("-q", f"{name}={value}")]
    if operation.takes_body:
        argv += ["-d", '{"price": 1.10, "url": "u"}']
    if operation.kind == "delete":
        argv.append("--yes")

    result = unified(argv, environ=service.environ)

    assert (result.stdout, result.code) == ("{}\n", 0)
    # An action knows the fields that it takes, and sends others all the same.
    unknown = f'"price", "url" are not known fields of {operation.command}: '
    assert not result.stderr or (operation.takes_body and result.stderr.startswith(unknown))
    [seen] = service.seen
    assert seen.method == operation.method
    expected = [
        IDENTIFIER if part == "{id}" else part for part in operation.path.strip("/").split("/")
    ]
    assert seen.segments == expected
    assert seen.query == [
        ("integrated_account_id", "acct-1"),
        ("created_at[gt]", "2026-01-01"),
        ("truto_exclude_fields[]", "id"),
        *needed,
    ]
    headers = {
        "host": service.url.removeprefix("http://"),
        "accept": "application/json",
        "accept-encoding": "gzip",
        "user-agent": f"unified-api-cli/{__version__}",
        "authorization": "Bearer t-0123456789",
    }
    if operation.takes_body:
        headers |= {"content-type": "application/json", "content-length": "27"}
    if operation.method in {"POST", "PATCH"}:
        assert len(seen.headers.pop("idempotency-key")) == 36
    assert seen.headers == headers
    assert seen.body == (b'{"price": 1.10, "url": "u"}' if operation.takes_body else b"")


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if not one.takes_body], ids=lambda one: one.command
)
def test_a_get_takes_no_body(operation: Operation, unified: Unified, service: Service) -> None:
    argv = [*operation.command.split(), *(["1"] if operation.takes_id else []), "-d", "{}"]
    result = unified(argv, environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    hint = "only operations that send a body have it"
    assert result.stderr == f"error: unified {operation.command}: no such option: -d ({hint})\n"


def test_an_action_without_a_body_sends_an_empty_object(unified: Unified, service: Service) -> None:
    assert unified("emails emails send", environ=service.environ).code == 0
    assert [seen.body for seen in service.seen] == [b"{}"]
