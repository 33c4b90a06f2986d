"""Which profiles the values of `-p` select: names, globs and tags."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from unified_cli import hints
from unified_cli.config.file import RESERVED, Config
from unified_cli.errors import ConfigError

_TAG = "tag:"
_GLOB = re.compile(r"[*?\[]")


def is_several(patterns: Sequence[str]) -> bool:
    """Whether the patterns may select several connections, even if only one matches."""
    return len(patterns) > 1 or any(_is_pattern(pattern) for pattern in patterns)


def select(config: Config, patterns: Iterable[str]) -> list[str]:
    """The profiles that any of the patterns selects, in the order of the patterns and then of the file, each once.

    A pattern is a name, a glob, or `tag:` with either of these; the sandbox is selected by its name only. Raises
    ConfigError for a pattern without a match.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        matching = [RESERVED] if pattern == RESERVED else _matching(config, pattern)
        if not matching:
            what = "profile matches" if _is_pattern(pattern) else "profile named"
            raise ConfigError(f'no {what} "{pattern}"', hint=hints.known_profiles(config.profiles, pattern))
        found.update(dict.fromkeys(matching))
    return [*found]


def _is_pattern(word: str) -> bool:
    return word.startswith(_TAG) or _GLOB.search(word) is not None


def _matching(config: Config, pattern: str) -> list[str]:
    if pattern.startswith(_TAG):
        wanted = pattern.removeprefix(_TAG)
        return [
            name
            for name, table in config.profiles.items()
            if any(fnmatchcase(tag, wanted) for tag in tags_of(table.get("tags")))
        ]
    if pattern in config.profiles:
        return [pattern]
    return [name for name in config.profiles if fnmatchcase(name, pattern)]


def tags_of(value: object) -> list[str]:
    """The tags in a table's `tags`, those that are text."""
    found = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [tag.strip() for tag in found if isinstance(tag, str)]
