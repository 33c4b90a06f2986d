"""Rebuild a command line from its options, to run it from any folder."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from unified_cli import os_limits
from unified_cli.cli.flags import Flag, Options, arguments_of, flags_of, names_of
from unified_cli.cli.option_parts import MessageOptions

_PATHS = ("file", "folder")
# Options to leave out: they do not change the effect of a command, or cannot be used
# twice.
_RESENDS = ("retry_in_doubt", "retry_failed", "record", "yes")
_OF_ONE_CALL = frozenset(
    {*names_of(MessageOptions), *_RESENDS, "dry_run", "restart", "token_stdin"}
)


def words_of(
    command: Sequence[str], options: Options, *, without: Collection[str] = _OF_ONE_CALL
) -> list[str]:
    """Return the words of a command with these options.

    Leaves out those in `without`, and makes paths absolute.
    """
    words = [*command]
    for argument in arguments_of(type(options)):
        found = _texts(getattr(options, argument.name), argument.takes[-1])
        words += [] if argument.name in without else found
    given = {name for name, _ in options.changed_values()} - {*without}
    for flag in flags_of(type(options)):
        if flag.name in given:
            words += _flag_words(flag, getattr(options, flag.name))
    return words


def _flag_words(flag: Flag, value: Any) -> Iterator[str]:
    spelling = flag.spellings[0]
    if not flag.takes_value:
        yield from [spelling] * int(value)
        return
    for text in _texts(value, flag.takes):
        if text.startswith("-"):
            yield f"{flag.spellings[-1]}={text}"
        else:
            yield from (spelling, text)


def _texts(value: Any, takes: str) -> list[str]:
    if value is None:
        return []
    if isinstance(value, tuple):
        return [text for item in value for text in _texts(item, takes)]
    text = f"{value:.15g}" if isinstance(value, float) else str(value)
    is_path = takes in _PATHS and text != "-" and "://" not in text
    return [str(os_limits.absolute(Path(text))) if is_path else text]
