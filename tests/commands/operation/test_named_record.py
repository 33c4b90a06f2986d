"""A write to several connections at a terminal: the question names the record as the
first of them have it.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from many_connections import account, profiles
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
PEOPLE = {
    "a-c00": {"id": "users-1", "name": "Ada Lovelace", "emails": [{"email": "ada@north.example"}]},
    "a-c01": {"id": "users-1", "first_name": "Bo", "last_name": "Ek", "emails": ["bo@x.example"]},
}


def reply(seen: Seen) -> Reply:
    if seen.method != "GET":
        return served({"id": "users-1"})
    if account(seen) in PEOPLE:
        return served(PEOPLE[account(seen)])
    return served({"statusCode": 404, "error": "Not Found", "message": "no such user"}, 404)


@pytest.mark.parametrize(
    "command",
    [
        "user-directory users suspend -f user_id=users-1",
        "user-directory users update users-1 -f title=x",
        "user-directory users delete users-1",
    ],
)
def test_the_question_names_the_record_in_three_connections(
    command: str, unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 5)
    service.reply = reply
    asked = unified(f"{command} -p c*", tty=True, stdin=b"n\n")
    first, second, third, others, question = asked.stderr.splitlines()[:5]
    assert [first, second, others] == [
        "users-1 in c00: Ada Lovelace, ada@north.example",
        "users-1 in c01: Bo Ek, bo@x.example",
        "the record in 2 other connections was not read",
    ]
    assert third.startswith("users-1 in c02: ")
    assert "404" in third
    assert "[y/N]" in question
    assert sorted(account(seen) for seen in service.seen) == ["a-c00", "a-c01", "a-c02"]
    assert {seen.method for seen in service.seen} == {"GET"}


@pytest.mark.parametrize(
    "command",
    [
        "user-directory users suspend -f user_id=users-1 -p c* --yes",
        "user-directory users suspend -f user_id=users-1 -p c*",
        "ticketing tags create -f name=x -p c*",
    ],
)
def test_nothing_is_asked_where_there_is_no_question_or_no_record(
    command: str, unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2)
    service.reply = reply
    unified(command, tty="create" in command, stdin=b"n\n")
    assert [seen for seen in service.seen if seen.method == "GET"] == []
