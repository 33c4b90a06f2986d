"""Many profiles of one service, and answers by the account that asks."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from pages import offer, served
from server import Reply, Seen

Config = Callable[[str], Path]

READERS = {
    "list": "ticketing tags list -p c*",
    "get": "ticketing tags get t1 -p c*",
    "--expect": "ticketing tags list --expect 'length == 1' -p c*",
    "--until": "ticketing tags list --all --until 'length == 1' -p c*",
    "schema": "schema ticketing/tags -p c*",
    "capabilities": "capabilities ticketing/tags --probe -p c*",
    "export": "export ticketing/tags --to {folder}/dump -p c*",
    "profile test": "profile test c*",
    "fan-out write": "ticketing tags update t1 -f name=x -p c* --yes",
}
"""Commands that read or write many connections, c00 and so on, each on its own."""


def profiles(config: Config, url: str, count: int, **more: str) -> list[str]:
    """This many profiles of the service at the URL; `more` is added to each table."""
    names = [*map(name_of, range(count))]
    token = config("").with_name("token")
    token.write_text("t-0123456789\n")
    token.chmod(0o600)
    tables = "".join(
        f'[profiles.{name}]\naccount_id = "a-{name}"\ntags = ["eu"]\ntoken_file = "{token}"\n'
        f"{more.get(name, base_url(url))}\n"
        for name in names
    )
    config(f"rate = 0\nretries = 0\n{tables}")
    return names


def name_of(number: int) -> str:
    """The name of a profile."""
    return f"c{number:02}"


def base_url(url: str) -> str:
    """The line of the config file that says where a profile leads."""
    return f'base_url = "{url}"'


def account(seen: Seen) -> str:
    """The account that the request is for."""
    return dict(seen.query)["integrated_account_id"]


def whose(seen: Seen) -> str:
    """The account that the request is for or about."""
    return seen.segments[1] if seen.segments[0] == "integrated-account" else account(seen)


def good(seen: Seen) -> Reply:
    """The answer that any of the commands reads as a success."""
    last = seen.segments[-1]
    if last == "capabilities":
        return served(offer({"ticketing": {"tags": ["list", "get", "update"]}}))
    if seen.segments[0] == "integrated-account":
        return served({"id": last, "status": "active", "unified": []})
    if seen.segments[-1] == "tags":
        return served({"result": [{"id": "t1", "name": "x"}], "next_cursor": None})
    return served({"id": last})


def failing(answers: Mapping[str, int]) -> Callable[[Seen], Reply]:
    """Refuse with these statuses, by account; all else is done."""

    def reply(seen: Seen) -> Reply:
        status = answers.get(account(seen), 200)
        if status == 200:
            return served({"id": "u1"})
        return served({"statusCode": status, "error": "Error", "message": "no"}, status)

    return reply


def run_id(stderr: str) -> str:
    """The id of the run, as it was printed when it began."""
    found = re.search(r"^run (\d{8}-[0-9a-f]{4})$", stderr, re.MULTILINE)
    assert found, stderr
    return found[1]
