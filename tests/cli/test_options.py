"""The options of every command are values: frozen, of known names, equal where they say
the same.
"""

from collections.abc import Iterator
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields, replace
from typing import Annotated, Any, ClassVar, Literal, get_origin

import pytest
import typer
from entries import ENTRIES
from front_door import Unified

from unified_cli.catalogue import load
from unified_cli.cli.command import Group, Later
from unified_cli.cli.flags import NETWORK, Flag, Options, flags_of, typer_function
from unified_cli.cli.operation_options import class_for
from unified_cli.commands import COMMANDS


def below(kind: type[Options]) -> Iterator[type[Options]]:
    """A class of options and all that are made of it."""
    yield kind
    for one in kind.__subclasses__():
        yield from below(one)


def every_class() -> list[type[Options]]:
    """All classes of options: building every command imports them. Those of tests are
    there where their modules were imported before.
    """
    assert ENTRIES
    own = {one for one in below(Options) if one.__module__.startswith("unified_cli.")}
    return sorted(own, key=lambda kind: kind.__name__)


CLASSES = every_class()
WHOLE = [one for one in CLASSES if "__init__" in vars(one)]
"""Those that are made of what was typed; the others are parts of them."""
PARTS = [one for one in CLASSES if one not in WHOLE]


def required(kind: type[Options]) -> dict[str, Any]:
    """Return a value for each field that has to be given."""
    return {one.name: f"a {one.name}" for one in fields(kind) if one.default is MISSING}


def test_every_command_has_classes_of_options() -> None:
    assert len(CLASSES) > 40
    assert any(required(kind) for kind in CLASSES)


def test_each_command_has_a_whole_class() -> None:
    found: list[type[Options]] = []
    entries = [*COMMANDS.values()]
    for entry in entries:
        command = entry.command.load() if isinstance(entry.command, Later) else entry.command
        if isinstance(command, Group):
            entries += command.commands.values()
        else:
            found.append(command.options)
    found += [class_for(one) for one in load()]
    assert len(found) > 200
    assert {*PARTS} & {*found} == set()


@pytest.mark.parametrize("kind", PARTS)
def test_a_part_without_given_options_never_changes(kind: type[Options]) -> None:
    one = kind()
    assert one.changed_values() == []
    for name in (field.name for field in fields(kind)):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, "another")


@pytest.mark.parametrize("kind", WHOLE)
def test_options_never_change(kind: type[Options]) -> None:
    one, other = kind(**required(kind)), kind(**required(kind))
    assert (one, hash(one)) == (other, hash(other))
    assert dict(one.changed_values()) == required(kind)
    for name in (field.name for field in fields(kind)):
        changed = replace(one, **{name: "another"})
        assert changed != one
        assert dict(changed.changed_values()) == {**required(kind), name: "another"}
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, "another")
    assert one == other


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_declares_its_own_fields(kind: type[Options]) -> None:
    """A class without the decorator would take the fields of its parts only."""
    assert "__dataclass_params__" in vars(kind)
    annotated = {name for name, one in kind.__annotations__.items() if get_origin(one) != ClassVar}
    assert annotated <= {field.name for field in fields(kind)}
    assert all(field.kw_only for field in fields(kind))


@dataclass(frozen=True, kw_only=True)
class Repeated(Options):
    """Options that may be given several times."""

    number: Annotated[tuple[int, ...], Flag(("--number",), NETWORK, "x", "N", minimum=1)] = ()
    word: Annotated[tuple[Literal["a", "b"], ...], Flag(("--word",), NETWORK, "x")] = ()


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", Repeated()),
        ("--number 1 --number 20", Repeated(number=(1, 20))),
        ("--word b --word a", Repeated(word=("b", "a"))),
        ("--number 0", "must be a whole number, 1 or more, not '0'"),
        ("--number 1 --number x", "must be a whole number, 1 or more, not 'x'"),
        ("--word c", "c"),
    ],
)
def test_a_number_or_a_choice_can_be_repeated(typed: str, found: Repeated | str) -> None:
    seen: list[Repeated] = []
    app = typer.Typer(add_completion=False)
    app.command()(typer_function(Repeated, seen.append, flags_of(Repeated), ()))
    if isinstance(found, Repeated):
        app(typed.split(), standalone_mode=False)
        assert seen == [found]
        return
    with pytest.raises(typer.BadParameter, match=found):
        app(typed.split(), standalone_mode=False)
    assert seen == []


VALUED = {
    (spelling, flag.metavar, flag.about): " ".join(entry.path)
    for entry in ENTRIES
    for flag in entry.page.flags
    if flag.takes_value
    for spelling in flag.spellings
}
"""A command for each option that takes a value, however many have it."""


def test_an_option_without_its_value_is_named_as_its_command_has_it(unified: Unified) -> None:
    assert len({spelling for spelling, _, _ in VALUED}) < len(VALUED)
    for (spelling, metavar, about), command in VALUED.items():
        result = unified(f"{command} {spelling}")
        said = f"error: {spelling} needs a value ({spelling} {metavar}: {about})\n"
        assert (result.code, result.stderr) == (2, said), command
