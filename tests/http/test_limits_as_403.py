"""A provider may answer 403 where it limits its callers: that is waited for as a 429
is.
"""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from front_door import Clock, Unified
from server import Reply, Seen, Service

RESET = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "2"}
LIMITS: dict[str, Mapping[str, str]] = {"Retry-After": {"Retry-After": "2"}, "a reset": RESET}
OWN = {"statusCode": 403, "error": "Forbidden"}
ANSWERS: dict[str, tuple[Any, bool]] = {
    "GitHub": ({"message": "API rate limit exceeded"}, True),
    "the provider, in an envelope": (
        {**OWN, "message": "slow down", "truto_is_remote_error": True},
        True,
    ),
    "the service, without a reason": ({**OWN, "message": "Forbidden"}, True),
    "missing scopes": (
        {**OWN, "message": "no", "truto_error_insight": {"forbidden_error": {"value": ["a"]}}},
        False,
    ),
    "a blocked account": ({**OWN, "message": "The account is blocked"}, False),
}
COMMANDS = [
    "ticketing tickets list -o ids",
    "ticketing tickets get 1",
    "ticketing tickets update 1 -f name=x",
    "user-directory users suspend -f user_id=1 --yes",
]


def answering(service: Service, body: Any, headers: Mapping[str, str], often: int) -> None:
    """Have the service answer so, and then as it should."""
    left = [often]

    def reply(seen: Seen) -> Reply:
        left[0] -= 1
        if left[0] >= 0:
            return Reply(403, json.dumps(body).encode(), dict(headers))
        found = b'{"result":[{"id":"1"}],"next_cursor":null}'
        return Reply(200, found if seen.method == "GET" else b'{"id":"1"}')

    service.reply = reply


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("headers", LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize(("body", "limits"), ANSWERS.values(), ids=ANSWERS)
def test_a_403_with_a_time_is_a_limit_unless_rights_are_missing(
    body: Any,
    limits: bool,
    headers: Mapping[str, str],
    command: str,
    unified: Unified,
    service: Service,
) -> None:
    answering(service, body, headers, 1)
    clock = Clock()
    began = clock.at
    result = unified(command, environ=service.environ, monotonic=clock.now, sleep=clock.sleep)
    assert (result.code, len(service.seen)) == ((0, 2) if limits else (7, 1)), result.stderr
    assert (clock.at - began >= 2) == limits


def test_a_403_without_a_time_is_about_rights(unified: Unified, service: Service) -> None:
    answering(service, {"message": "API rate limit exceeded"}, {}, 1)
    result = unified(COMMANDS[0], environ=service.environ)
    assert (result.code, len(service.seen)) == (7, 1)


@pytest.mark.parametrize("status", [403, 429])
def test_the_wait_of_a_single_call_counts_against_its_timeout(
    status: int, unified: Unified, service: Service
) -> None:
    headers = {"Retry-After": "3"}
    service.reply = lambda _: Reply(status, b'{"message":"slow down"}', headers)
    clock = Clock()
    ticking = {"monotonic": clock.now, "sleep": clock.sleep}
    for command in COMMANDS:
        began = clock.at
        result = unified(f"{command} --timeout 8", environ=service.environ, **ticking)
        assert (command, result.code) == (command, 8)
        assert clock.at - began <= 8
