"""Parse the names and values of a profile on the command line."""

import json
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from unified_cli import hints, os_limits
from unified_cli.cli.choices import meant_value
from unified_cli.config import address
from unified_cli.config.file import PROFILE_NAME, RESERVED, exists, expand
from unified_cli.config.keys import KEYS, Key, yes_or_no
from unified_cli.errors import ConfigError, UsageError
from unified_cli.masking import visible
from unified_cli.output import formats
from unified_cli.runtime import Runtime
from unified_cli.values import Toml, TomlTable

SETTABLE: Mapping[str, Key] = {
    name: key for name, key in KEYS.items() if "p" in key.at and name != "token"
}
"""The keys that a command line can set.

The token is not among them, because every user of the machine can read command lines.
"""


def new_name(text: str) -> str:
    """Return the name for a profile. Raises UsageError if it is not allowed."""
    if text == RESERVED:
        raise UsageError(f'the profile "{RESERVED}" is built in; choose another name')
    if not PROFILE_NAME.fullmatch(text):
        if "://" in text:
            what = f'"{visible(text[:100])}" is an address, not a profile name'
            raise UsageError(what, hint=hints.add_profile(text))
        meant = re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII).strip("-._")
        raise UsageError(
            f'"{visible(text[:100])}" is not a profile name',
            hint="1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first"
            + (f": {meant}" if PROFILE_NAME.fullmatch(meant) else ""),
        )
    return text


def read_assignments(texts: Iterable[str]) -> dict[str, Toml]:
    """Return the values of `KEY=VALUE` texts. An empty value becomes None, which unsets
    the key.

    Raises UsageError if an assignment is invalid.
    """
    values: dict[str, Toml] = {}
    after = iter(texts)
    for text in after:
        name, equals, value = text.partition("=")
        if not equals:
            following = next(after, None)
            raise UsageError(
                f'"{visible(text)}" must look like KEY=VALUE',
                hint=visible(_suggest(name, following, values)),
            )
        if name in values:
            raise UsageError(f"{name} is given twice")
        # Without a value, any key can be unset, even an unknown key in the file.
        values[name] = parse(name, value) if value else None
    return values


def _suggest(text: str, following: str | None, values: Mapping[str, Toml]) -> str:
    """Return the likely KEY=VALUE for a word without "="."""
    if text in SETTABLE:
        value = following if following and "=" not in following else "VALUE"
        return f"{text}={value}"
    if (key := text.replace("-", "_")) in SETTABLE:
        return f"{key}={'true' if SETTABLE[key].parse is yes_or_no else 'VALUE'}"
    tags = values.get("tags")
    if isinstance(tags, list):
        return f"tags={','.join(map(str, (*tags, text)))}"
    if "://" in text:
        return f"base_url={text}"
    if "." in text and (host := hints.with_scheme(text)).endswith(text):
        return f"base_url={host}"
    looks_like_id = any(map(str.isdigit, text))
    return f"account_id={text}" if looks_like_id else "unified profile set --help"


def parse(name: str, value: Any) -> Any:
    """Return the value of a key as the file stores it.

    Raises UsageError if there is no such key, or if the value is invalid.
    """
    if name == "token":
        raise UsageError(
            "a token on a command line can be seen by others (unified profile login asks for it)"
        )
    if name == "profile":
        raise UsageError('no key "profile"', hint=f"unified profile use {hints.quoted(str(value))}")
    try:
        found = known(name).parse(_listed(value) if name == "token_command" else value)
    except ValueError as error:
        hint = None if value.strip() else hints.EMPTY
        raise UsageError(f"{name} {error}", hint=hint) from None
    if isinstance(found, str) and not found.isprintable():
        raise UsageError(f'{name} "{visible(found)}" contains a character that is not printable')
    if name == "base_url":
        try:
            address.parse(found, name)
        except ConfigError as error:
            raise UsageError(error.message) from None
        base, prefix, _ = f"{found}/".partition("/unified/")
        if prefix:
            raise UsageError(
                f"base_url ends before {prefix.rstrip('/')}, which each path begins with",
                hint=f"base_url={hints.quoted(base)}",
            )
    if name in {"token_file", "ca_bundle"} and not found.startswith("~"):
        # Store an absolute path, because a later call may run in another folder.
        found = str(os_limits.absolute(Path(found)))
    if name == "output" and found not in formats.SETTINGS:
        meant = meant_value(found, formats.SETTINGS)
        hint = f'did you mean "{meant}"?' if meant else f"choose from {', '.join(formats.SETTINGS)}"
        raise UsageError(f'no output format "{visible(found)}"', hint=hint)
    return int(found) if isinstance(found, float) and found.is_integer() else found


def missing_file(values: TomlTable, runtime: Runtime) -> str | None:
    """Return the warning about a missing token file, or None."""
    name = values.get("token_file")
    path = expand(name, runtime.environ) if name else None
    if path and path.is_dir():
        return f"{name} is a folder, but token_file must be a file"
    return (
        None
        if path is None or exists(path)
        else (f"the file {name} does not exist yet; its only line will be the token")
    )


def known(name: str) -> Key:
    """Return the key of that name.

    Raises UsageError with a suggestion if a profile has no such key.
    """
    if name not in SETTABLE and name != "token":
        close = get_close_matches(name, SETTABLE, 1)
        hint = f'did you mean "{close[0]}"?' if close else f"choose from {', '.join(SETTABLE)}"
        raise UsageError(f'no key "{visible(name)}" ({hint})')
    return KEYS[name]


def _listed(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value
