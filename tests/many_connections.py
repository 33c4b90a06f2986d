"""Many profiles of one service, and answers by the account that asks."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from pages import served
from server import Reply, Seen

Config = Callable[[str], Path]


def profiles(config: Config, url: str, count: int, **more: str) -> list[str]:
    """So many profiles of the service at the URL; `more` is what else stands in the
    table of one.
    """
    names = [f"c{number:02}" for number in range(count)]
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


def base_url(url: str) -> str:
    """The line of the config file that says where a profile leads."""
    return f'base_url = "{url}"'


def account(seen: Seen) -> str:
    """The account that the request is for."""
    return dict(seen.query)["integrated_account_id"]


def failing(answers: Mapping[str, int]) -> Callable[[Seen], Reply]:
    """Refuse with these statuses, by account; all else is done."""

    def reply(seen: Seen) -> Reply:
        status = answers.get(account(seen), 200)
        if status == 200:
            return served({"id": "u1"})
        return served({"statusCode": status, "error": "Error", "message": "no"}, status)

    return reply


def run_id(stderr: str) -> str:
    """The id of the run, as it was told when it began."""
    found = re.search(r"^run (\d{8}-[0-9a-f]{4})$", stderr, re.MULTILINE)
    assert found, stderr
    return found[1]
