"""The mode of an operation is one value, made of its options."""

import itertools
import shlex
from typing import Any

import pytest

from unified_cli import app
from unified_cli.call import Mode, ModeKind
from unified_cli.catalogue import load
from unified_cli.cli import tree
from unified_cli.commands.operation.mode import mode_of
from unified_cli.errors import UsageError
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

CATALOGUE = load()
NOWHERE = Runtime(stdin=None, stdout=None, stderr=Stderr(None), environ={}, columns=80, folders={})
LIST, GET, CREATE = "ticketing tickets list", "ticketing tickets get 7", "ticketing tickets create"
UPDATE, DELETE = "ticketing tickets update 7", "ticketing tickets delete 7"
DOWNLOAD = "ticketing attachments download"


def mode(command: str) -> Mode:
    """The mode of a command line."""
    argv = shlex.split(command)
    parsed: Any = tree.read(app.whole(NOWHERE, CATALOGUE), argv, NOWHERE)
    return mode_of(CATALOGUE.operation(*argv[:3]), parsed.options)


# The mode of an operation for one connection and for several, by the options that
# decide.
KINDS = [
    (LIST, ModeKind.ONE, ModeKind.READS),
    (f"{LIST} --all --out x", ModeKind.ONE, ModeKind.READS),
    (GET, ModeKind.ONE, ModeKind.READS),
    ("ticketing tickets get -", ModeKind.LINES, ModeKind.LINES),
    (f"{LIST} --describe --all --follow", ModeKind.DESCRIBED, ModeKind.DESCRIBED),
    ("ticketing tickets update - --describe", ModeKind.DESCRIBED, ModeKind.DESCRIBED),
    (f"{LIST} --follow", ModeKind.FOLLOWED, ModeKind.FOLLOWED),
    (f"{LIST} --follow --expect true", ModeKind.FOLLOWED, ModeKind.FOLLOWED),
    (f"{LIST} --expect true", ModeKind.CHECKED, ModeKind.CHECKED),
    (f"{GET} --until true", ModeKind.CHECKED, ModeKind.CHECKED),
    (f"{GET} --junit x", ModeKind.CHECKED, ModeKind.CHECKED),
    (f"{GET} --every 3", ModeKind.CHECKED, ModeKind.CHECKED),
    (f"{GET} --fail-if true", ModeKind.CHECKED, ModeKind.CHECKED),
    (CREATE, ModeKind.ONE, ModeKind.WRITES),
    (f"{CREATE} --skeleton", ModeKind.SKELETON, ModeKind.SKELETON),
    ("ticketing tickets update - --skeleton", ModeKind.SKELETON, ModeKind.SKELETON),
    (UPDATE, ModeKind.ONE, ModeKind.WRITES),
    (f"{UPDATE} --edit", ModeKind.EDITED, ModeKind.EDITED),
    ("ticketing tickets update -", ModeKind.LINES, ModeKind.LINES),
    (DELETE, ModeKind.ONE, ModeKind.WRITES),
    ("ticketing tickets delete -", ModeKind.LINES, ModeKind.LINES),
    ("ticketing tickets delete - --format csv", ModeKind.LINES, ModeKind.LINES),
    (DOWNLOAD, ModeKind.ONE, ModeKind.WRITES),
    (f"{DOWNLOAD} --skeleton", ModeKind.SKELETON, ModeKind.SKELETON),
    (f"{DOWNLOAD} --from x --out y", ModeKind.FILES, ModeKind.FILES),
    (f"{DOWNLOAD} --from - --out y --format ids", ModeKind.FILES, ModeKind.FILES),
]
CONNECTIONS = {
    "": False,
    "-p a": False,
    "-p a -p b": True,
    "-p '*'": True,
    "-p tag:eu": True,
    "-p a -p '!b'": True,
}
SHOWN = {"": None, "--dry-run": "json", "--as curl": "curl", "--dry-run --as curl": "curl"}


@pytest.mark.parametrize(("command", "one", "many"), KINDS)
def test_the_mode_follows_from_the_options(command: str, one: ModeKind, many: ModeKind) -> None:
    for (connections, several), (how, shown) in itertools.product(
        CONNECTIONS.items(), SHOWN.items()
    ):
        kind = many if several else one
        assert mode(f"{command} {connections} {how}") == Mode(kind, several, shown), (
            connections,
            how,
        )


@pytest.mark.parametrize("kind", ModeKind)
def test_every_mode_is_in_the_table(kind: ModeKind) -> None:
    assert any(kind in kinds for _, *kinds in KINDS)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ticketing tickets get - --expect true", "a read that is checked takes one id"),
        (f"{GET} --format csv", "--format sets the format of the input"),
        (f"{GET} --format csv -p a -p b", "--format sets the format of the input"),
        (f"{DOWNLOAD} --format csv", "--format sets the format of the input"),
    ],
)
def test_options_without_meaning_in_a_mode_are_refused(command: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        mode(command)
