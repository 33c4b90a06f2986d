"""Of many connections that a command failed in, or that differ, it names each."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from installed import needs_extra
from many_connections import READERS, Config, good, profiles, whose
from pages import served
from server import Reply, Seen, Service

NUMBER = 30
"""More than any sentence about a part of them would name."""
REFUSED = [422]
"""Too many causes for a screen of them."""
CAUSES = [400, 401, 402, 403, 406, 409, 410, 411, 412, 413, 414, 415, 422, 428, 451]
CASES = {
    **READERS,
    "piped write": "ticketing tags update - -p c* --yes",
    "import": "import ticketing/tags {folder}/in.ndjson --operation update -p c* --yes",
    "report": "report -p c* --to {folder}/report.html",
}
LINES = "".join(f'{{"_profile":"c{at:02}","id":"t{at}","name":"x"}}\n' for at in range(NUMBER))


def refusing(names: list[str], causes: list[int]) -> Callable[[Seen], Reply]:
    """Refuse all but the first connection, for these causes in turn."""

    def reply(seen: Seen) -> Reply:
        at = names.index(whose(seen).removeprefix("a-"))
        if at == 0:
            return good(seen)
        status = causes[at % len(causes)]
        return served({"statusCode": status, "error": "Error", "message": f"no {status}"}, status)

    return reply


KINDS = [
    *(one for one in CASES if one != "report"),
    pytest.param("report", marks=needs_extra("report", "jinja2")),
]


@pytest.mark.parametrize("causes", [REFUSED, CAUSES], ids=["one cause", "many causes"])
@pytest.mark.parametrize("what", KINDS)
def test_each_connection_that_failed_is_named(
    what: str,
    causes: list[int],
    unified: Unified,
    service: Service,
    config: Config,
    tmp_path: Path,
) -> None:
    names = profiles(config, service.url, NUMBER)
    service.reply = refusing(names, causes)
    (tmp_path / "in.ndjson").write_text(LINES)
    result = unified(CASES[what].format(folder=tmp_path), stdin=LINES.encode(), environ={})
    assert result.code != 0
    assert [name for name in names[1:] if name not in result.stderr] == []


@pytest.mark.parametrize(
    "command",
    [
        "ticketing tags list --expect 'length == 2' -p c*",
        "schema ticketing/tags --against {folder}/shape -p c*",
    ],
)
def test_each_connection_that_differs_is_named(
    command: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    names = profiles(config, service.url, NUMBER)
    service.reply = good
    shape = unified("schema ticketing/tags -p c00 -o json", environ={}).stdout
    (tmp_path / "shape").write_text(shape.replace('"string"', '"integer"'))
    result = unified(command.format(folder=tmp_path), environ={})
    assert result.code == 14
    assert [name for name in names if name not in result.stderr] == []


def test_all_profiles_of_one_connection_are_named(
    unified: Unified, service: Service, config: Config
) -> None:
    service.reply = good
    url = service.url
    names = [f"c{at:02}" for at in range(6)]
    config(
        "".join(
            f'[profiles.{name}]\naccount_id = "a-{at // 2}"\nbase_url = "{url}"\n'
            for at, name in enumerate(names)
        )
    )
    words = "ticketing tags update t1 -f name=x -p c* --yes"
    result = unified(words, environ={"UNIFIED_TOKEN": "t-0123456789"})
    assert (result.code, service.seen) == (2, [])
    assert [name for name in names if name not in result.stderr] == []
