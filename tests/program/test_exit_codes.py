"""The contract with scripts: each exit code, and what it takes to get it."""

import errno
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from front_door import Unified
from server import Reply, Service

from unified_cli import errors
from unified_cli.errors import ExitCode, Terminated, UnifiedError

LIST = "ticketing tickets list"
CREATE = "ticketing tickets create -f name=x --retries 0"


def answer(status: int, **more: object) -> Callable[[Any], Reply]:
    body = json.dumps({"statusCode": status, "error": "Error", "message": "no", **more}).encode()
    return lambda _: Reply(status, body)


def test_done(unified: Unified, service: Service) -> None:
    assert unified(LIST, environ=service.environ).code == ExitCode.DONE == 0


def test_bug(unified: Unified, service: Service) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    assert unified(LIST, environ=service.environ, transport=broken).code == ExitCode.BUG == 1


def test_usage(unified: Unified) -> None:
    assert unified("ticketing tickets get").code == ExitCode.USAGE == 2


def test_config(unified: Unified) -> None:
    assert unified(LIST).code == ExitCode.CONFIG == 3


@pytest.mark.parametrize("status", [400, 404, 405, 409, 422])
def test_refused(unified: Unified, service: Service, status: int) -> None:
    service.reply = answer(status)
    assert unified(LIST, environ=service.environ).code == ExitCode.REFUSED == 4


@pytest.mark.parametrize("status", [500, 502, 504])
def test_service(unified: Unified, service: Service, status: int) -> None:
    service.reply = answer(status)
    assert unified(LIST, environ=service.environ).code == ExitCode.SERVICE == 5


def test_network(unified: Unified, service: Service) -> None:
    environ = {**service.environ, "UNIFIED_BASE_URL": "http://127.0.0.1:1"}
    assert unified(LIST, environ=environ).code == ExitCode.NETWORK == 6


@pytest.mark.parametrize("status", [401, 403, 503])
def test_access(unified: Unified, service: Service, status: int) -> None:
    service.reply = answer(status)
    assert unified(LIST, environ=service.environ).code == ExitCode.ACCESS == 7


def test_rate_limit(unified: Unified, service: Service) -> None:
    service.reply = answer(429)
    assert unified(LIST, environ=service.environ).code == ExitCode.RATE_LIMIT == 8


def test_incomplete(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(
        body=b'{"result":[{"id":"1"}],"next_cursor":null,"is_partial_response":true}'
    )
    assert unified(f"{LIST} --all", environ=service.environ).code == ExitCode.INCOMPLETE == 9


def test_unknown(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(504, b"<title>Gateway</title>", {"Content-Type": "text/html"})
    assert unified(CREATE, environ=service.environ).code == ExitCode.UNKNOWN == 10


def test_storage(unified: Unified, service: Service, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    assert unified(f"{LIST} --out {taken}", environ=service.environ).code == ExitCode.STORAGE == 11
    assert service.seen == []


def test_state(unified: Unified, service: Service) -> None:
    # The service no longer takes a cursor that it gave.
    def reply(seen: Any) -> Reply:
        return (
            answer(400)(seen)
            if "next_cursor" in dict(seen.query)
            else Reply(body=b'{"result":[],"next_cursor":"2"}')
        )

    service.reply = reply
    assert unified(f"{LIST} --all", environ=service.environ).code == ExitCode.STATE == 12


def test_unsafe(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(302, b"", {"Location": "https://elsewhere.example/"})
    assert unified(LIST, environ=service.environ).code == ExitCode.UNSAFE == 13


def test_different(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(200, b'{"result": []}')
    assert (
        unified(f"{LIST} --expect length==1", environ=service.environ).code
        == ExitCode.DIFFERENT
        == 14
    )


class Failing(io.BytesIO):
    """A stream that cannot be written."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self._error = error

    def write(self, _: Any) -> int:
        raise self._error


def test_interrupted(unified: Unified, service: Service) -> None:
    assert (
        unified(LIST, environ=service.environ, stdout=Failing(KeyboardInterrupt())).code
        == ExitCode.INTERRUPTED
    )
    assert ExitCode.INTERRUPTED == 130


def test_terminated(unified: Unified, service: Service) -> None:
    assert (
        unified(LIST, environ=service.environ, stdout=Failing(Terminated())).code
        == ExitCode.TERMINATED
        == 143
    )


def test_closed(unified: Unified, service: Service) -> None:
    gone = Failing(BrokenPipeError(errno.EPIPE, "Broken pipe"))
    result = unified(LIST, environ=service.environ, stdout=gone)
    assert (result.code, result.stderr) == (ExitCode.CLOSED, "")
    assert ExitCode.CLOSED == 141


@pytest.mark.parametrize("code", ExitCode, ids=lambda code: code.name)
def test_every_code_has_a_test_of_its_name_and_a_meaning(code: ExitCode) -> None:
    assert isinstance(globals().get(f"test_{code.name.lower()}"), FunctionType)
    assert code.meaning


def test_every_error_has_a_code_of_its_own_and_a_place_in_the_tree() -> None:
    kinds = [UnifiedError, *UnifiedError.__subclasses__()]
    codes = {kind.code for kind in kinds}
    assert len(codes) == len(kinds)
    assert codes == {*ExitCode} - {ExitCode.DONE}
    drawn = dict(re.findall(r"── (\w+) +(\d+) ", errors.__doc__ or ""))
    assert drawn == {kind.__name__: str(int(kind.code)) for kind in kinds[1:]}
