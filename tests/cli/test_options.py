"""The options of every command are values: frozen, of known names, equal where they say
the same.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from entries import ENTRIES

from unified_cli.cli.flags import Options


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
    """A value for each field that has to be given."""
    return {name: f"a {name}" for name in kind.fields if not hasattr(kind, name)}


def test_there_are_classes_of_every_command() -> None:
    assert len(CLASSES) > 40
    assert any(required(kind) for kind in CLASSES)


@pytest.mark.parametrize("kind", CLASSES)
def test_a_name_that_is_no_field_is_refused(kind: type[Options]) -> None:
    with pytest.raises(TypeError, match="takes no limt"):
        kind(**required(kind), limt=3)
    with pytest.raises(TypeError, match="takes no limt"):
        kind(**required(kind)).replaced(limt=3)


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if required(kind)])
def test_a_required_name_that_is_missing_is_refused(kind: type[Options]) -> None:
    with pytest.raises(TypeError, match=f"needs {', '.join(required(kind))}"):
        kind()


@pytest.mark.parametrize("kind", CLASSES)
def test_options_are_compared_and_shown_by_their_values_and_never_change(
    kind: type[Options],
) -> None:
    one, other = kind(**required(kind)), kind(**required(kind))
    assert (one, hash(one)) == (other, hash(other))
    given = ", ".join(f"{name}={value!r}" for name, value in required(kind).items())
    assert repr(one) == f"{kind.__name__}({given})"
    for name in kind.fields:
        changed = one.replaced(**{name: "another"})
        assert changed != one
        assert f"{name}='another'" in repr(changed)
        with pytest.raises(AttributeError):
            setattr(one, name, "another")
        with pytest.raises(AttributeError):
            delattr(changed, name)
    assert one == other


def test_options_of_two_classes_are_never_equal() -> None:
    plain = [kind() for kind in CLASSES if not required(kind)]
    assert all((one == other) is (one is other) for one in plain for other in plain)
