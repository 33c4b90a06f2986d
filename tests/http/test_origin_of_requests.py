"""A client has one token, which it sends to one origin, whatever a request asks for."""

import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from server import Reply, Service, serving

from unified_cli.config import address
from unified_cli.http import request as requests


@pytest.mark.parametrize("command", ["ticketing tickets list", "ticketing tickets delete 1 --yes"])
def test_a_request_to_another_origin_is_not_sent(
    command: str, unified: Unified, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = requests.for_operation
    with serving() as other:

        def elsewhere(*args: Any) -> requests.Request:
            # As if the code that makes requests had a mistake.
            return made(*args)._replace(address=address.parse(other.url, "a test"))

        monkeypatch.setattr(requests, "for_operation", elsewhere)
        result = unified(command, environ=service.environ)
        said = f"error: the request goes to {other.url}, but the token belongs to {service.url}\n"
        assert (result.stdout, result.stderr, result.code) == ("", said, 13)
        assert (service.seen, other.seen) == ([], [])


@pytest.mark.parametrize(
    "command",
    [
        "ticketing tickets list --cursor 'a+b/c=&%é'",
        "ticketing tickets get 'a/b c'",
        "ticketing tickets create -f name=x",
        "ticketing tickets delete 1 --yes",
    ],
)
def test_the_url_that_a_recording_has_is_the_one_that_is_sent(
    command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(200, b'{"result": [], "next_cursor": null}')
    result = unified(f"{command} --record {tmp_path / 'made.har'}", environ=service.environ)
    assert result.code == 0
    [entry] = json.loads((tmp_path / "made.har").read_text())["log"]["entries"]
    [seen] = service.seen
    assert (entry["request"]["method"], entry["request"]["url"]) == (
        seen.method,
        service.url + seen.target,
    )


@pytest.mark.parametrize(
    "command", ["ticketing tickets list", "ticketing tickets create -f name=x"]
)
def test_a_path_that_httpx_would_rewrite_is_not_sent(
    command: str, unified: Unified, service: Service
) -> None:
    environ = {**service.environ, "UNIFIED_BASE_URL": f"{service.url}/a{{b}}"}
    result = unified(command, environ=environ)
    target = "/a{b}/unified/ticketing/tickets?integrated_account_id=acct-1"
    said = f"error: cannot safely send this path and query: {target}\n"
    assert (result.code, said, service.seen) == (2, result.stderr, [])


def test_a_cursor_that_is_too_long_is_not_sent(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(
        200, json.dumps({"result": [{"id": "1"}], "next_cursor": "x" * 70_000}).encode()
    )
    result = unified("ticketing tickets list --all -o ids", environ=service.environ)
    assert (result.stdout, result.code, len(service.seen)) == ("1\n", 2, 1)
    assert (
        "error: the request's URL cannot be sent: url too long; stopped after 1 record"
        in result.stderr
    )


def test_a_request_with_a_body_has_its_length(unified: Unified, service: Service) -> None:
    unified("ticketing tickets create -f name=x", environ=service.environ)
    unified("ticketing tickets list", environ=service.environ)
    written, read = service.seen
    assert written.headers["content-length"] == str(len(written.body))
    assert "content-length" not in read.headers
    assert written.headers["host"] == read.headers["host"] == service.url.removeprefix("http://")
