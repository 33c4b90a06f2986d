"""The health of connections: of every kind in the sandbox, and as kept after a list of
them.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from publishing import PublishedService, shape

from unified_cli.sandbox.accounts import KINDS

Config = Callable[[str], Path]
# The verdict and the exit code; all other kinds are healthy.
ILL = {
    "blocked": ("blocked", 7),
    "needs-reauth": ("needs authorising", 7),
    "dead-provider": ("validation_error", 5),
}
LACKING = ("active, lacks scopes", 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_connection_is_healthy_whatever_its_product(
    unified: Unified, config: Config, kind: str
) -> None:
    config(f'[profiles.one]\nbase_url = "sandbox:"\naccount_id = "{kind}"\n')
    verdict, code = ILL.get(kind, LACKING if kind == "missing-scopes" else ("ready", 0))
    test = unified("profile test one -o json --quiet")
    assert (test.code, test.json["profiles"][0]["verdict"]) == (code, verdict)
    doctor = unified("doctor one --network -o json --quiet")
    (found,) = (one for one in doctor.json["findings"] if one["check"] == "connection")
    level = "error" if code else "warning" if kind == "missing-scopes" else "ok"
    assert (doctor.code, found["level"]) == (code, level)


def test_a_list_can_be_read_instead(unified: Unified, config: Config) -> None:
    config('[profiles.one]\nbase_url = "sandbox:"\naccount_id = "help-desk"\n')
    assert unified("profile test one --with 'ticketing tickets' --quiet").code == 0
    assert unified("profile test one --with 'user-directory me' --quiet").code == 4
    assert unified("doctor one --network --with 'user-directory me' --quiet").code == 4


def test_the_doctor_separates_listed_facts_from_its_own(
    unified: Unified, published: PublishedService, config: Config, tmp_path: Path
) -> None:
    listed = shape("connections").body["result"]
    tables = "".join(
        f'[profiles.{one["tenant_id"]}]\naccount_id = "{one["id"]}"\n' for one in listed
    )
    config(f'base_url = "{published.url}"\n{tables}')
    world = {
        "environ": published.environ(account=None),
        "folders": {
            "config": tmp_path / "config",
            "cache": tmp_path / "cache",
            "data": tmp_path / "data",
        },
    }
    assert unified("connections list", **world).code == 0
    lines = [line.split("\t") for line in unified("doctor", **world).stdout.splitlines()]
    assert [line for line in lines if line[1].startswith("connection")] == [
        [
            "warning",
            "connection",
            "salt-harbour",
            "paperdesk, active, lacks scopes, seen just now",
            "unified connections list --health",
        ],
        [
            "warning",
            "connection",
            "grey-lantern",
            "paperdesk, needs_reauth, seen just now",
            (
                "its owner must sign in again: unified connections link -p grey-lantern makes a"
                " token for that"
            ),
        ],
        [
            "warning",
            "connection",
            "tall-pine",
            "paperdesk, paused, seen just now",
            "unified connections list --health",
        ],
        ["ok", "connections", "paperdesk 1", "1 active, listed just now", ""],
    ]


def test_a_time_with_a_blank_and_without_a_zone_is_in_utc(
    unified: Unified, published: PublishedService
) -> None:
    def aged(body: dict[str, object]) -> dict[str, object]:
        return {**body, "result": [{"id": "9001", "updated_at": "2024-09-01 10:00:00"}]}

    published.change("unified-list", aged)
    environ = published.environ()
    for since, expected in (("2024-09-01T10:59:59+01:00", 1), ("2024-09-01T10:00:01Z", 0)):
        result = unified(f"ticketing tickets list --since {since} -o ndjson", environ=environ)
        assert (result.code, len(result.stdout.splitlines())) == (0, expected), result.stderr
    assert '"2024-09-01 10:00:00"' in unified("ticketing tickets list", environ=environ).stdout


def test_what_can_be_written_is_counted_without_what_cannot(
    unified: Unified, config: Config
) -> None:
    kinds = [
        "full",
        "full:a",
        "full:b",
        "help-desk",
        "blocked",
        "needs-reauth",
        "read-only",
        "missing-scopes",
        "limited",
    ]
    config(
        "".join(
            f'[profiles.{kind.replace(":", "-")}]\nbase_url = "sandbox:"\naccount_id = "{kind}"\n'
            for kind in kinds
        )
    )
    result = unified(
        "capabilities ticketing/tags -p *", tty=True, columns=160, environ={"NO_COLOR": "1"}
    )
    assert result.code == 0
    shown = [line.partition(" (needs_reauth: ")[0] for line in result.stdout.splitlines()[1:]]
    assert shown == [
        "ticketing/tags  6/9  5/9  6/9  5/9  5/9",
        "L list, C create, G get, U update, D delete",
        "n/9: n of 9 connections offer it",
        "",
        "refused: limited",
        "the account is blocked: blocked",
        "the connection needs a new login",
        "read-only (no writes): read-only",
    ]
    assert [line.partition(" (")[0] for line in result.stderr.splitlines()] == [
        "missing-scopes: lacks scopes: ticketing.tickets.write",
    ]
