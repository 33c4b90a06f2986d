"""The options of every command are values: frozen, of known names, equal where they say
the same.
"""

from collections.abc import Iterator
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields, replace
from typing import Annotated, Any, Literal

import pytest
import typer
from entries import ENTRIES

from unified_cli.cli.flags import NETWORK, Flag, Options, flags_of, typer_function


def below(kind: type[Options]) -> Iterator[type[Options]]:
    """A class of options and all that are made of it."""
    yield kind
    for one in kind.__subclasses__():
        yield from below(one)


def every_class() -> list[type[Options]]:
    """All classes of options: whoever has built every command has imported them."""
    assert ENTRIES
    return sorted(set(below(Options)), key=lambda kind: kind.__name__)


CLASSES = every_class()


def required(kind: type[Options]) -> dict[str, Any]:
    """Return a value for each field that has to be given."""
    return {one.name: f"a {one.name}" for one in fields(kind) if one.default is MISSING}


def test_there_are_classes_of_every_command() -> None:
    assert len(CLASSES) > 40
    assert any(required(kind) for kind in CLASSES)


@pytest.mark.parametrize("kind", CLASSES)
def test_options_never_change(kind: type[Options]) -> None:
    one, other = kind(**required(kind)), kind(**required(kind))
    assert (one, hash(one)) == (other, hash(other))
    assert dict(one.given()) == required(kind)
    for name in (field.name for field in fields(kind)):
        changed = replace(one, **{name: "another"})
        assert changed != one
        assert dict(changed.given()) == {**required(kind), name: "another"}
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, "another")
    assert one == other


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_declares_its_own_fields(kind: type[Options]) -> None:
    """A class without the decorator would take the fields of its parts only."""
    assert "__dataclass_params__" in vars(kind)
    assert {*kind.__annotations__} <= {field.name for field in fields(kind)}
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
