"""Expand the aliases of the config file."""

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from unified_cli.catalogue import plain
from unified_cli.cli.flags import flags_of
from unified_cli.cli.operation_options import operation_flags
from unified_cli.cli.option_parts import EarlyOptions
from unified_cli.config import file
from unified_cli.config.file import Config
from unified_cli.errors import ConfigError
from unified_cli.masking import visible
from unified_cli.runtime import Runtime

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_CONFIRMING = re.compile(r"--(?:yes|force|allow-.*)")
_LIKE = 'like t = "ticketing tickets"'


def expand(argv: Sequence[str], runtime: Runtime, known: Collection[str]) -> list[str]:
    """Return the command line with an alias expanded.

    `known` has the APIs and commands. The config file is only read if the first word is
    not one of them. Raises ConfigError if the file cannot be read, or an alias is
    invalid.
    """
    if argv and argv[0] in known:
        return [*argv]
    at = _first_word(argv)
    if at is None or plain(argv[at]) in map(plain, known):
        return [*argv]
    config = _readable_config(runtime)
    if config is None or argv[at] not in config.aliases:
        return [*argv]
    return [*argv[:at], *_words(config, argv[at], known), *argv[at + 1 :]]


def warn_of_shadowed(argv: Sequence[str], runtime: Runtime) -> None:
    """Warn if the first word is a command that shadows an alias.

    A new version may have added the command.
    """
    try:
        config = _readable_config(runtime)
    except ConfigError:
        # Other commands report the error, and some repair it.
        return
    at = _first_word(argv) if config and config.aliases else None
    if config is None or at is None:
        return
    shadowing = [name for name in config.aliases if plain(name) == plain(argv[at])]
    if shadowing:
        wrong = _alias_error(config, shadowing[0], f"{_SHADOWS}, so it is ignored", _RENAME)
        runtime.stderr.note(f"warning: {wrong.one_line}")


def valid_aliases(runtime: Runtime, known: Collection[str]) -> Sequence[tuple[str, str]]:
    """Return the valid aliases and their words.

    Returns nothing if the config file cannot be read.
    """
    try:
        config = _readable_config(runtime)
    except ConfigError:
        # Help must work with an invalid file. `unified doctor` reports the problem.
        return ()
    if config is None:
        return ()
    wrong = dict(_checked(config, known))
    return [(name, str(text)) for name, text in config.aliases.items() if name not in wrong]


def problems(config: Config, known: Collection[str]) -> Iterator[tuple[ConfigError, bool]]:
    """Yield the error of each invalid alias, and whether its only problem is to have
    the name of an API or a command.
    """
    reserved = [*map(plain, known)]
    yield from ((error, plain(name) in reserved) for name, error in _checked(config, known))


def _checked(config: Config, known: Collection[str]) -> Iterator[tuple[str, ConfigError]]:
    for name in config.aliases:
        try:
            _words(config, name, known)
        except ConfigError as error:
            yield name, error


def _readable_config(runtime: Runtime) -> Config | None:
    path = file.locate(runtime)
    found = file.content(path) if path else None
    return file.parse(path, found[0]) if path and found else None


_SHADOWS = "has the name of an API or a command"
_RENAME = "give it another name"


def _words(config: Config, name: str, known: Collection[str]) -> list[str]:
    text = config.aliases[name]
    if not _NAME.fullmatch(name):
        raise _alias_error(
            config, name, "has a name with characters other than letters, digits, - and _"
        )
    reserved = [*map(plain, known)]
    if plain(name) in reserved:
        raise _alias_error(config, name, _SHADOWS)
    if not isinstance(text, str):
        raise _alias_error(config, name, "must be text", _LIKE)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise _alias_error(
            config, name, f"cannot be split into words: {str(error).lower()}"
        ) from None
    if not words or plain(words[0]) not in reserved:
        begins = (
            f'begins with "{visible(words[0])}", which is itself an alias'
            if words and words[0] in config.aliases
            else ""
        )
        raise _alias_error(config, name, begins or "does not begin with an API or a command", _LIKE)
    if confirming := next(filter(None, map(_confirming, words)), None):
        raise _alias_error(config, name, f"holds {confirming}, which must be typed each time")
    return words


def _confirming(word: str) -> str | None:
    """Return the option in a word that confirms a change, or None. An alias must not
    contain it.
    """
    if word.startswith("--"):
        name = visible(word.partition("=")[0])
        return name if _CONFIRMING.fullmatch(name) else None

    letters = word[1:] if word.startswith("-") else ""
    valued = _valued(operation_flags())
    for letter in letters:
        if letter == "y":
            return "-y"
        if f"-{letter}" in valued:
            return None
    return None


def _first_word(argv: Sequence[str]) -> int | None:
    """Return the index of the first word that is not an option or the value of one, or
    None.
    """
    valued = _valued(flags_of(EarlyOptions))
    value = False
    for at, word in enumerate(argv):
        if value:
            value = False
        elif word.startswith("--"):
            value = word in valued
        elif word.startswith("-") and len(word) > 1:
            found = [place for place, letter in enumerate(word) if f"-{letter}" in valued]
            value = bool(found) and found[0] == len(word) - 1
        else:
            return at
    return None


def _valued(flags: Any) -> Collection[str]:
    return {spelling for flag in flags if flag.takes_value for spelling in flag.spellings}


def _alias_error(config: Config, name: str, what: str, hint: str | None = None) -> ConfigError:
    return ConfigError(
        f'{_alias_position(config, name)}: the alias "{visible(name)}" {what}', hint=hint
    )


def _alias_position(config: Config, name: str) -> str:
    key = rf"[\"']?{re.escape(name)}[\"']?\s*="
    inside, best = False, 0
    assert config.path is not None  # noqa: S101  it has aliases
    for number, line in enumerate(
        config.path.read_bytes().decode("utf-8", "replace").splitlines(), 1
    ):
        if header := re.match(r"\s*\[\s*[\"']?(\w*)[\"']?\s*(?:\.\s*[\"']?([\w-]*))?", line):
            inside = header[1] == "alias"
            if inside and header[2] == name:
                return f"{config.path}:{number}"
        elif re.match(rf"\s*{key}" if inside else rf"\s*alias\s*(?:\.\s*|=\s*\{{.*?){key}", line):
            return f"{config.path}:{number}"
        best = best or (number if inside else 0)
    return f"{config.path}:{best}" if best else f"{config.path}"
