"""Declare an option or argument once, as an annotated field of a frozen class, and hand
it to Typer.

    class ListOptions(Options):
        all: Annotated[bool, Flag(("--all",), LIST, "read all pages, not one")] = False
        limit: Annotated[int | None, Flag(("--limit",), LIST, "read N records")] = None

The annotation tells Typer the type; the default means "not given".
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
)

import typer

from unified_cli.cli.choices import not_one_of
from unified_cli.errors import UsageError
from unified_cli.masking import visible
from unified_cli.runtime import as_typed

if TYPE_CHECKING:
    from unified_cli.catalogue import Operation

OptionsT = TypeVar("OptionsT", bound="Options")
PROFILE = "Profile"
CONNECTION = "Connection"
IMPORT = "Import"
COMPARE = "Compare"
INPUT = "Input"
QUERY = "Query"
BODY = "Body"
EXPORT = "Export"
LIST = "List"
SERVE = "Serve"
OUTPUT = "Output"
WAIT = "Wait and check"
EVIDENCE = "Evidence"
SAFETY = "Safety"
NETWORK = "Network"
MESSAGE = "Message"

_WHAT = (PROFILE, CONNECTION, IMPORT, COMPARE, INPUT, QUERY, BODY, EXPORT, LIST, SERVE)
_GROUPS = (*_WHAT, OUTPUT, WAIT, EVIDENCE, SAFETY, NETWORK, MESSAGE)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a command: annotated fields, each with a default that means "not
    given", or required.
    """

    reads_settings: ClassVar[bool] = False
    """Whether settings supply missing options."""

    def changed_values(self) -> list[tuple[str, Any]]:
        """Return the names and values of options that differ from the defaults."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        return [(field.name, value) for field, value in values if value != field.default]


@dataclass_transform(kw_only_default=True, frozen_default=True)
def option_part(kind: type[OptionsT]) -> type[OptionsT]:
    """Make a dataclass of options for several commands.

    It has no `__init__`, so an instance of a part has only defaults. Generating an
    `__init__` for each part would take twice as long as all other work on options.
    """
    return dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)(kind)


def with_parts(options: OptionsT, other: Options, *parts: type[Options]) -> OptionsT:
    """Return the options with the values of these parts from `other`."""
    return replace(options, **{name: getattr(other, name) for name in names_of(*parts)})


def names_of(*parts: type[Options]) -> set[str]:
    """Return the names of the fields of these classes."""
    return {field.name for part in parts for field in fields(part)}


class Flag(NamedTuple):
    """An option.

    `metavar` represents the value in help, and `takes` tells completion what to offer.
    `parse` converts the value with a special rule, and raises ValueError with the
    expected form. Help sorts the options of a group by `order`, then as declared.
    `when` returns whether the option applies to an operation; None means all. `common`
    marks the most used options, which `-h` shows. `choices` are the possible values, by
    default those of a Literal. `name` and `kind` are those of the field.
    """

    spellings: tuple[str, ...]
    group: str
    about: str
    metavar: str = ""
    takes: str = ""
    minimum: float | None = None
    maximum: float | None = None
    parse: Callable[[str], Any] | None = None
    counted: bool = False
    order: int = 0
    when: "Callable[[Operation], bool] | None" = None
    common: bool = False
    name: str = ""
    kind: Any = str
    choices: tuple[str, ...] = ()

    @property
    def takes_value(self) -> bool:
        """Whether the option takes a value."""
        return self.kind is not bool and not self.counted

    def parameter(self) -> inspect.Parameter:
        """Return the option as a parameter for Typer.

        The value is None, or an empty list, if the option is not used.
        """
        default: Any = 0 if self.counted else False if self.kind is bool else None
        is_checked = bool(self.choices) or self.parse is not None or self.minimum is not None
        info: Any = typer.Option(
            default,
            *self.spellings,
            help=self.about,
            metavar=self.metavar or None,
            rich_help_panel=self.group,
            count=self.counted,
            parser=self._value if is_checked else None,
            show_default=False,
        )
        # Pass the option as the default, not in an Annotated: with thirty options, this
        # saves Typer half a millisecond. The parser checks the choices, because Typer
        # does not support a list of choices.
        kind = list[str] if self.choices and get_origin(self.kind) is list else self.kind
        annotation: Any = kind if default is not None else kind | None
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=info, annotation=annotation
        )

    def _value(self, text: str) -> Any:
        if text in self.choices:
            return text
        if self.choices:
            raise typer.BadParameter(not_one_of(text, self.choices))
        try:
            return self.parse(text) if self.parse else self._in_range(text)
        except ValueError as error:
            raise typer.BadParameter(f"{error}, not {text!r}") from None

    def _in_range(self, text: str) -> float:
        """Parse a number from `minimum` to `maximum`. Raises ValueError, which names
        the range.
        """
        kind = _element(self.kind)
        try:
            number: float = kind(text)
        except ValueError:
            number = math.nan
        most = math.inf if self.maximum is None else self.maximum
        if self.minimum is None or not self.minimum <= number <= most:
            what = "a whole number" if kind is int else "a number"
            bounds = (
                f"from {self.minimum:g} to {most:g}"
                if self.maximum is not None
                else f"{self.minimum:g} or more"
            )
            raise ValueError(f"must be {what}, {bounds}")
        return number


Common = partial(Flag, common=True)
"""A common option, which `-h` shows."""


class Argument(NamedTuple):
    """A positional argument, or any number if the field is a tuple.

    `metavar` represents it in help; the default is the name in capitals. `takes` tells
    completion what to offer for each value. The last entry applies to all further
    values. The entries are `profile`, `connection` (profiles and tags), `file`,
    `folder`, `api/resource`, `offered` and `added` (names of resources that can be
    added, or were added), `record` (its id), or choices such as `GET|POST`. `takes` is
    empty if unknown.
    """

    about: str = ""
    metavar: str = ""
    takes: tuple[str, ...] = ("",)
    name: str = ""
    kind: Any = str
    required: bool = False

    def parameter(self) -> inspect.Parameter:
        """Return the argument as a parameter for Typer."""
        info: Any = typer.Argument(
            ... if self.required else None,
            help=self.about or None,
            metavar=self.metavar or self.name.upper(),
            show_default=False,
        )
        annotation: Any = self.kind if self.required else self.kind | None
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=info, annotation=annotation
        )


def flags_of(*classes: type[Options], operation: "Operation | None" = None) -> tuple[Flag, ...]:
    """Return the options of these classes in the order of help pages.

    With an operation, return only its options.
    """
    declared = {field.name: field for options in classes for field in fields(options)}
    flags = (
        mark._replace(
            name=name,
            kind=kind,
            choices=get_args(_element(kind))
            if get_origin(_element(kind)) is Literal
            else mark.choices,
        )
        for name, field in declared.items()
        for kind in [_kind(field)]
        for mark in _metadata(field)
        if isinstance(mark, Flag)
        and (operation is None or mark.when is None or mark.when(operation))
    )
    return tuple(sorted(flags, key=lambda flag: (_GROUPS.index(flag.group), flag.order)))


def arguments_of(options: type[Options]) -> tuple[Argument, ...]:
    """Return the arguments of a class, in order."""
    return tuple(
        mark._replace(name=field.name, kind=_kind(field), required=field.default is MISSING)
        for field in fields(options)
        for mark in _metadata(field)
        if isinstance(mark, Argument)
    )


def part(options: Options, kind: type[OptionsT]) -> OptionsT:
    """Return the options as this part, or the part with its defaults."""
    return options if isinstance(options, kind) else kind()


def typer_function(
    options: type[OptionsT],
    run: Callable[[OptionsT], Any],
    flags: Sequence[Flag],
    arguments: Sequence[Argument],
) -> Callable[..., Any]:
    """Return a function with these parameters for Typer. The function passes their
    values to `run` as an instance of `options`.
    """

    def command(**typed: Any) -> Any:
        given = {name: value for name, value in typed.items() if value is not None}
        # The names of options for error messages, without those that take file names,
        # which may have any bytes.
        texts = {flag.name: flag.spellings[-1] for flag in flags if flag.takes not in _ANY_BYTES}
        texts |= {
            argument.name: argument.metavar or argument.name.upper()
            for argument in arguments
            if argument.takes[-1] not in _ANY_BYTES
        }
        return run(
            options(**{name: _as_typed(value, texts.get(name)) for name, value in given.items()})
        )

    parameters = [
        *(argument.parameter() for argument in arguments),
        *(flag.parameter() for flag in flags),
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


_ANY_BYTES = ("file", "folder", "@file", "field@file")
"""Options whose values need not be UTF-8, because they are names of files."""


def _as_typed(value: Any, spelling: str | None) -> Any:
    """Return the value with the texts that the user typed.

    Raises UsageError if a text is not UTF-8, unless `spelling` is None.
    """
    if isinstance(value, list):
        return tuple(_as_typed(item, spelling) for item in value)
    text = as_typed(value) if spelling and isinstance(value, str) else ""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise UsageError(f"{spelling} is not UTF-8: {visible(text)}")
    return text or value


def _metadata(field: Field[Any]) -> tuple[Any, ...]:
    annotation: Any = field.type
    return annotation.__metadata__  # type: ignore[no-any-return]


def _kind(field: Field[Any]) -> Any:
    """Return the type for Typer: a list for a tuple, and never None.

    None means "not given".
    """
    annotation: Any = field.type
    kind = annotation.__origin__
    members = [member for member in get_args(kind) if member is not type(None)]
    if get_origin(kind) is tuple:
        return list[members[0]]  # type: ignore[valid-type]
    return members[0] if len(members) == 1 and get_origin(kind) is not Literal else kind


def _element(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is list else kind


def by_name(options: type[Options]) -> Mapping[str, Flag]:
    """Return the options of a class by name."""
    return {flag.name: flag for flag in flags_of(options)}
