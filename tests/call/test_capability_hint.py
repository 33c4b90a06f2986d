"""A refusal at a terminal is answered with what the connection offers, where the
service tells.
"""

import json

import pytest
from front_door import Unified
from pages import offer
from server import Reply, Service


def test_a_resource_the_provider_lacks_is_answered_with_those_it_has(unified: Unified) -> None:
    result = unified(
        "-p sandbox ticketing tags list -a limited", tty=True, environ={"NO_COLOR": "1"}
    )
    assert result.code == 4
    assert (
        "; of ticketing, this connection offers only accounts, collections, contacts, teams,"
        " tickets" in result.stderr
    )


def test_off_a_terminal_nothing_more_is_asked(unified: Unified) -> None:
    result = unified("-p sandbox ticketing tags list -a limited")
    assert (result.code, "this connection offers" in result.stderr) == (4, False)


def test_a_missing_record_gets_no_hint_about_offers(unified: Unified) -> None:
    result = unified("-p sandbox ticketing tickets get nothing", tty=True)
    assert (result.code, "this connection offers" in result.stderr) == (4, False)


@pytest.mark.parametrize(
    ("unified_part", "said"),
    [
        ({"falconry": {"deals": ["list"]}}, "; this connection offers no voice, but falconry"),
        ({"voice": {"recordings": ["list"]}}, "; of voice, this connection offers only recordings"),
        (
            {"voice": {"calls": ["get", "\x1b[31mhang-up"]}},
            "; of calls, this connection offers only get, \\x1b[31mhang-up",
        ),
        ({"voice": {"calls": ["list"]}}, ""),
        ({"voice": {"calls": []}}, "; of voice, this connection offers only calls"),
        ({}, "; no unified API is installed or mapped for this connection"),
        ([7], ""),
        ("nonsense", ""),
        (None, ""),
    ],
)
def test_only_the_services_own_answer_is_shown(
    unified_part: object, said: str, unified: Unified, service: Service
) -> None:
    refusal = Reply(404, b'{"statusCode": 404, "error": "Not Found", "message": "no such route"}')
    answer = offer(unified_part) if isinstance(unified_part, dict) else {"unified": unified_part}
    told = Reply(200, json.dumps(answer).encode())
    service.reply = lambda seen: told if seen.path.endswith("/capabilities") else refusal
    result = unified("voice calls list", tty=True, environ={**service.environ, "NO_COLOR": "1"})
    assert result.code == 4
    assert (
        result.stderr.rstrip("\n").partition(" (")[0].startswith("error: the service answered 404")
    )
    assert ("this connection" in result.stderr, said in result.stderr) == (bool(said), True)
    assert [seen.path for seen in service.seen] == [
        "/unified/voice/calls",
        "/integrated-account/acct-1/capabilities",
    ]


def test_a_service_without_an_answer_is_asked_once(unified: Unified, service: Service) -> None:
    refusal = Reply(405, b'{"statusCode": 405, "error": "No", "message": "no"}')
    service.reply = lambda seen: (
        Reply(500, b"oops") if seen.path.endswith("/capabilities") else refusal
    )
    result = unified("voice calls list", tty=True, environ=service.environ)
    assert (result.code, len(service.seen)) == (4, 2)
    assert "405" in result.stderr
