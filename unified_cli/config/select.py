"""Choose profiles by name, glob or tag."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from unified_cli.config.file import RESERVED, Config
from unified_cli.errors import ConfigError

_TAG = "tag:"


def select(config: Config, patterns: Iterable[str]) -> list[str]:
    """The profiles that any of the patterns names, in the order of the patterns and then of the file, each once.

    A pattern is a name, a glob or `tag:` with either of these; the sandbox is found by its name only. ConfigError for a
    pattern that nothing matches.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        matching = [RESERVED] if pattern == RESERVED else _matching(config, pattern)
        if not matching:
            what = f'tag "{pattern.removeprefix(_TAG)}"' if pattern.startswith(_TAG) else f'"{pattern}"'
            raise ConfigError(f"no profile matches {what} (unified profile list shows {len(config.profiles)})")
        found.update(dict.fromkeys(matching))
    return [*found]


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
    """The tags that a table's `tags` lists, as far as they are text."""
    found = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [tag.strip() for tag in found if isinstance(tag, str)]
