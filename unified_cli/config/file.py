"""Read the config file, which must be private and valid."""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from unified_cli import hints, os_limits
from unified_cli.config.keys import KEYS, TOKEN_SOURCES
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime
from unified_cli.storage import permissions, regular_file
from unified_cli.values import Toml, TomlTable

NAME = "config.toml"
RESERVED = "sandbox"
PROFILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LARGEST = 8 * 1024 * 1024
_INTEGERS = 2**63
_OTHER_NAMES = {
    **dict.fromkeys(("url", "host", "endpoint", "api_url"), "base_url"),
    **dict.fromkeys(("account", "id"), "account_id"),
    **dict.fromkeys(("tag", "labels"), "tags"),
    **dict.fromkeys(("format", "output_format"), "output"),
}
# Finds the line number in a message of tomllib.
_LINE = re.compile(r"at line (\d+)")
_TWICE = re.compile(r"Cannot (declare|overwrite)|Duplicate")


class Config(NamedTuple):
    """The content of the file, with unparsed values: `top` for all connections,
    profiles and aliases.
    """

    path: Path | None
    top: TomlTable = MappingProxyType({})
    profiles: Mapping[str, TomlTable] = MappingProxyType({})
    aliases: TomlTable = MappingProxyType({})
    changed: int = 0
    """When the file was last changed, in nanoseconds since 1970."""


def locate(runtime: Runtime) -> Path | None:
    """Return the path of the config file.

    The file may not exist. Returns None without a home directory.
    """
    if named := runtime.environ.get(KEYS["config"].variable):
        return Path(named)
    folder = runtime.folder("config")
    return folder / NAME if folder else None


def read(runtime: Runtime, *, may_be_new: bool = False) -> Config:
    """Read the config file, or return an empty config if it does not exist.

    With `may_be_new`, even a file that the environment names may be missing.

    Raises ConfigError if the file cannot be read, is not private, is invalid, or
    contains unknown names.
    """
    path = locate(runtime)
    found = content(path) if path else None
    if path is None or found is None:
        is_named = path and str(path) != os.devnull and runtime.environ.get(KEYS["config"].variable)
        if path and is_named and not may_be_new:
            # If the path is misspelt, a call must not use other settings.
            os_limits.absolute(path)
            variable = KEYS["config"].variable
            raise ConfigError(
                f"{variable} names {path}, which does not exist",
                hint="unified profile add creates it",
            )
        return Config(path)
    text, status = found
    config = parse(path, text)._replace(changed=status.st_mtime_ns)
    if permissions.readable_by_others(status) and holds_token(config.top, config.profiles):
        raise ConfigError(
            f"{path} holds a token and others can read it", hint=hints.make_private(path)
        )
    return config


def content(path: Path) -> tuple[bytes, os.stat_result] | None:
    """Return the file's content and status, or None if it is missing.

    Raises ConfigError if it cannot be read, or others can write it.
    """
    try:
        if str(path) == os.devnull:
            return None
        handle = regular_file.descriptor(path, follow=True)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            permissions.check_with_folder(path, status)
            found = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except regular_file.NotRegularError:
        hint = "set UNIFIED_CONFIG to a file in this folder" if path.is_dir() else None
        raise ConfigError(f"{path} is not a regular file", hint=hint) from None
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    if len(found) > _LARGEST:
        raise ConfigError(f"{path} is larger than 8 MiB, too large for a config file")
    return found, status


# Cached, because a worker reads the file for each task.
@lru_cache(maxsize=1)
def parse(path: Path, text: bytes) -> Config:
    """Parse the text of the file. Raises ConfigError with the path and the position."""
    data = load(path, text)
    for found in problems(data):
        raise with_path(path, found)
    profiles, aliases = data.pop("profiles", {}), data.pop("alias", {})
    return Config(path, data, profiles, aliases)


def with_path(path: Path, problem: ConfigError) -> ConfigError:
    """Return the error with the path of the file."""
    return ConfigError(f"{path}: {problem.reason}", hint=problem.hint)


def load(path: Path, text: bytes) -> dict[str, Toml]:
    """Parse TOML. Raises ConfigError with the path and the line."""
    try:
        return tomllib.loads(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}: not UTF-8 (at line {line}, byte {error.start})") from None
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply for a config file") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}", hint=_how_to_mend(text, str(error))) from None
    except ValueError:
        # Python refuses to parse numbers of more than 4,300 digits.
        raise ConfigError(f"{path}: a number is larger than TOML allows (64 bits)") from None


def _how_to_mend(text: bytes, error: str) -> str | None:
    """Return how to fix the line of an error.

    Leaves out the value on the line, which may be a token.
    """
    place = _LINE.search(error)
    lines = text.decode("utf-8").splitlines()
    # If the message has no line number, the error is at the end of the file.
    at = int(place[1]) if place else len(lines)
    line = lines[at - 1] if at <= len(lines) else ""
    if text.lstrip().startswith((b"{", b"- ", b"---")):
        return 'a config file is TOML, such as [profiles.acme], and below it account_id = "ID"'
    if _TWICE.search(error):
        return "keep one of the two"
    if line.lstrip().startswith("["):
        return "write a table on its own line, without blanks, like [profiles.acme]"
    name, value = (part.strip() for part in line.partition("=")[::2])
    if not name or not value:
        return 'a line is KEY = "VALUE"'
    if value[0] in "\"'":
        return f"{name} = {value[0]}…{value[0]}, with a quote at both ends and nothing after it"
    if value.lower() in {"true", "false"}:
        return f"{name} = {value.lower()}"
    if value[0].isdecimal():
        return f"a number has no unit: {name} = 30"
    return f'text has quotes: {name} = "…"' if value[0].isalpha() else None


def problems(data: TomlTable) -> Iterator[ConfigError]:
    """Yield an error for each unknown name, and for keys that conflict."""
    if found := shape(data):
        yield found
        return
    profiles = data.get("profiles", {})
    yield from table_problems(top_of(data), None)
    for name, table in profiles.items():
        if name == RESERVED:
            yield ConfigError(f'the profile "{RESERVED}" is built in; give yours another name')
        elif not PROFILE_NAME.fullmatch(name):
            yield ConfigError(
                f"profile name {name!r} must be 1 to 64 letters, digits, dots, dashes or"
                " underscores",
                hint="change the name in the line [profiles.NAME]",
            )
        yield from table_problems(table, name)


def top_of(data: TomlTable) -> TomlTable:
    """Return the settings at the top of the file, without tables."""
    return {name: value for name, value in data.items() if name not in ("profiles", "alias")}


def shape(data: TomlTable) -> ConfigError | None:
    """Return the error if profiles or aliases are not tables, or None."""
    profiles = data.get("profiles", {})
    if not isinstance(profiles, dict) or not all(
        isinstance(table, dict) for table in profiles.values()
    ):
        return ConfigError("profiles must be tables, like [profiles.acme]")
    if not isinstance(data.get("alias", {}), dict):
        return ConfigError(
            "alias must be a table", hint='write [alias], and below it t = "ticketing tickets"'
        )
    if isinstance(data.get("default"), dict):
        return ConfigError(
            "[default] is not a table of this file",
            hint="write its keys at the top, before any table; [profiles.NAME] is a profile",
        )
    if isinstance(data.get("aliases"), dict):
        return ConfigError("[aliases] is not a table of this file", hint="write [alias]")
    for name, value in top_of(data).items():
        if isinstance(value, dict) and name not in KEYS and name != "profile":
            return ConfigError(
                f"[{name}] is not a table of this file", hint=f"write [profiles.{name}]"
            )
    singular = data.get("profile")
    if not isinstance(singular, (dict, list)):
        return None
    # A common mistake is [profile.acme].
    meant = next(
        (
            name
            for name in singular
            if isinstance(singular, dict) and isinstance(singular[name], dict)
        ),
        None,
    )
    written = f"profile.{meant}" if meant else "profile"
    return ConfigError(
        f"[{written}] is not a table of this file", hint=f"write [profiles.{meant or 'NAME'}]"
    )


def table_problems(table: TomlTable, profile: str | None) -> Iterator[ConfigError]:
    """Yield the errors in the names of a profile.

    If `profile` is None, the names are those at the top of the file.
    """
    place, at = (f"profile {profile}: ", "p") if profile else ("", "t")
    for name, value in table.items():
        key = KEYS.get(name)
        if key is None or at not in key.at:
            close = get_close_matches(
                name, [other.name for other in KEYS.values() if at in other.at], 1
            )
            close = [_OTHER_NAMES[name]] if name in _OTHER_NAMES else close
            hint = f"did you mean {close[0]!r}?" if close else "unified help config lists the keys"
            yield ConfigError(f"{place}unknown key {name!r}", hint=hint)
        elif isinstance(value, int) and not -_INTEGERS <= value < _INTEGERS:
            # Python does not check TOML's limits, and cannot print more than 4,300
            # digits.
            yield ConfigError(f"{place}{name} is larger than TOML allows for a number (64 bits)")
    sources = [name for name in TOKEN_SOURCES if table.get(name)]
    if len(sources) > 1:
        yield ConfigError(
            f"{place}more than one token source: {' and '.join(sources)}", hint="leave one"
        )


def holds_token(top: TomlTable, profiles: Mapping[str, TomlTable]) -> bool:
    """Return whether the file itself contains a token."""
    return "token" in top or any("token" in table for table in profiles.values())


def expand(text: str, environ: Mapping[str, str]) -> Path:
    """Return the path with a leading `~` expanded, if there is a home directory."""
    home = environ.get("HOME") or environ.get("USERPROFILE")
    if home and (text == "~" or text.startswith(("~/", f"~{os.sep}"))):
        return Path(home + text[1:])
    return Path(text)


def exists(path: Path) -> bool:
    """Return whether the path exists and is accessible."""
    return os.path.exists(path)  # noqa: PTH110  Path.exists raises for a folder without access
