"""Select profiles by the values of `-p`: names, globs and tags, and exclusions with
`!`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from unified_cli import hints
from unified_cli.config.file import RESERVED, Config
from unified_cli.errors import ConfigError, UsageError
from unified_cli.values import TomlTable

_NOT = "!"
_TAG = "tag:"
# Common mistakes: other ways to write `tag:`, and words for all profiles.
_TAGGED = re.compile(r"@|#|(?:tags?|labels?)[:=]", re.IGNORECASE)
_EVERY = {"all", "every", "any", "%"}
_GLOB = re.compile(r"[*?\[]")


def is_several(patterns: Sequence[str]) -> bool:
    """Return whether the patterns may select several connections, even if only one
    matches.
    """
    return len(patterns) > 1 or any(_is_pattern(pattern) for pattern in patterns)


def single_name(names: Sequence[str]) -> str | None:
    """Return the only profile, or None. Raises UsageError if there may be several."""
    if is_several([name for name in names if name]):
        raise UsageError(
            f"-p {' -p '.join(names)} may be several connections, but this command takes one",
            hint="-p NAME",
        )
    return names[0] if names else None


def select(config: Config, patterns: Sequence[str], *, for_calls: bool = True) -> list[str]:
    """Return the profiles that the patterns select.

    Each profile is returned once, in the order of the patterns and the file. A pattern
    is a name, a glob, or `tag:` with either. `!` excludes profiles. The sandbox is only
    selected by its name. With `for_calls`, profiles without an account id are also only
    selected by their names. Raises ConfigError if a pattern matches nothing or no
    profile remains, and UsageError if all patterns begin with `!`.
    """
    wanted = [pattern for pattern in patterns if not pattern.startswith(_NOT)]
    if patterns and not wanted:
        raise UsageError(
            f"-p '{patterns[0]}' excludes profiles, but no -p selects any",
            hint=f"-p '*' -p '{patterns[0]}'",
        )
    found = _found(config, wanted, for_calls=for_calls)
    # Raise an error for an exclusion that matches nothing: if it is misspelt, a call
    # would reach the wrong connection.
    left_out = _found(
        config,
        [pattern.removeprefix(_NOT) for pattern in patterns if pattern.startswith(_NOT)],
        for_calls=False,
    )
    names = [name for name in found if name not in left_out]
    if found and not names:
        raise ConfigError("another -p excludes every profile that -p selects")
    return names


def names_no_connection(config: Config, name: str) -> bool:
    """Return whether a profile has no account id.

    Such a profile can only list connections.
    """
    return "account_id" not in config.top and "account_id" not in config.profiles.get(
        name, {"account_id": ""}
    )


def _found(config: Config, patterns: Iterable[str], *, for_calls: bool) -> dict[str, None]:
    result: dict[str, None] = {}
    for pattern in patterns:
        matching = [RESERVED] if pattern == RESERVED else _matching(config, pattern)
        if not matching:
            raise unknown_error(config.profiles, pattern)
        if for_calls and _is_pattern(pattern):
            usable = [name for name in matching if not names_no_connection(config, name)]
            if not usable:
                raise _without_account(pattern, matching)
            matching = usable
        result.update(dict.fromkeys(matching))
    return result


def _without_account(pattern: str, names: Sequence[str]) -> ConfigError:
    return ConfigError(
        f'no profile that "{pattern}" matches has an account id: {", ".join(names)}',
        hint=f"unified -p {names[0]} connections add makes a profile for each connection",
    )


def unknown_error(tables: Mapping[str, TomlTable], wanted: str) -> ConfigError:
    """Return the error for an unknown profile or pattern, with a suggestion."""
    what = "profile matches" if _is_pattern(wanted) else "profile named"
    return ConfigError(
        f'no {what} "{wanted}"',
        hint=_suggest(tables, wanted) or hints.known_profiles(tables, wanted, RESERVED),
    )


def unknown_name(tables: Mapping[str, TomlTable], wanted: str) -> ConfigError:
    """Return the error for an unknown profile, from a command that takes neither globs
    nor tags.
    """
    found = _matching(Config(None, {}, tables), wanted) if _is_pattern(wanted) else []
    if not found:
        return unknown_error(tables, wanted)
    return ConfigError(
        f'one profile at a time, not "{wanted}"', hint=f"it matches {', '.join(found)}"
    )


def _suggest(tables: Mapping[str, TomlTable], wanted: str) -> str | None:
    if any(wanted in tags_of(table.get("tags")) for table in tables.values()):
        return f"-p {_TAG}{wanted} selects the profiles with this tag"
    names = [name for name in re.split(r"[,|\s]+", wanted) if name]
    tags = {tag for table in tables.values() for tag in tags_of(table.get("tags"))}
    begins = _TAG if wanted.startswith(_TAG) else ""
    names = [one if one in tables else f"{begins}{one.removeprefix(begins)}" for one in names]
    if len(names) > 1 and all(name in tables or name.removeprefix(_TAG) in tags for name in names):
        return f"use one -p for each: {' '.join(f'-p {name}' for name in names)}"
    of_account = [name for name, table in tables.items() if table.get("account_id") == wanted]
    if of_account:
        return f"it is the id of a connection; its profile is {of_account[0]}: -p {of_account[0]}"
    if wanted.startswith(f"{RESERVED}:"):
        return f"-p {RESERVED} -a {wanted.removeprefix(f'{RESERVED}:')}"
    if (tag := _TAGGED.sub("", wanted)) != wanted and tag in tags:
        return f"-p {_TAG}{tag}"
    lower = wanted.removeprefix(_TAG).casefold()
    if wanted.startswith(_TAG) and (near := [tag for tag in tags if tag.casefold() == lower]):
        return f"-p {_TAG}{min(near)}"
    if wanted in _EVERY:
        return "-p '*' selects every profile"
    same = next((name for name in tables if name.casefold() == wanted.casefold()), None)
    return f'did you mean "{same}"?' if same else None


def _is_pattern(word: str) -> bool:
    return word.startswith((_NOT, _TAG)) or _GLOB.search(word) is not None


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
    """Return the strings in a profile's `tags`."""
    found = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [tag.strip() for tag in found if isinstance(tag, str)]
