"""Which profiles the words after `-p` mean: names, globs and tags."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from unified_cli.config.file import RESERVED, Config
from unified_cli.errors import ConfigError

TAG = "tag:"
_GLOB = re.compile(r"[*?\[]")


def is_several(patterns: Sequence[str]) -> bool:
    """Whether the words ask for several connections, though only one may match in the end."""
    return len(patterns) > 1 or any(_is_pattern(pattern) for pattern in patterns)


def select(config: Config, patterns: Sequence[str]) -> list[str]:
    """The names of the profiles that are meant, in the order of the file, each once; `sandbox` only by its name.

    Raises ConfigError for a word that matches nothing.
    """
    named = [name for pattern in patterns for name in _matching(config, pattern)]
    order = {name: place for place, name in enumerate(config.profiles)}
    return sorted(dict.fromkeys(named), key=lambda name: order.get(name, -1))


def _matching(config: Config, pattern: str) -> list[str]:
    if pattern.startswith(TAG):
        tag = pattern.removeprefix(TAG)
        found = [name for name, table in config.profiles.items() if tag in _tags(table.get("tags"))]
    elif _is_pattern(pattern):
        found = [name for name in config.profiles if fnmatchcase(name, pattern)]
    else:
        found = [name for name in (RESERVED, *config.profiles) if name == pattern]
    if not found:
        what = "profile matches" if _is_pattern(pattern) else "profile named"
        raise ConfigError(f'no {what} "{pattern}" (unified profile list shows {len(config.profiles)})')
    return found


def _is_pattern(word: str) -> bool:
    return word.startswith(TAG) or _GLOB.search(word) is not None


def _tags(value: object) -> Sequence[str]:
    return value if isinstance(value, list) else ()
