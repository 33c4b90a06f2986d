"""The config file as it is read: private, checked, never repaired silently."""

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from unified_cli.config.keys import KEYS, TOKEN_SOURCES
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime

NAME = "config.toml"
RESERVED = "sandbox"
_LARGEST = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Config:
    """What the file says: `top` for all connections, then a table for each profile. Values are not yet parsed."""

    path: Path | None
    top: Mapping[str, Any] = field(default_factory=dict)
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def locate(runtime: Runtime) -> Path | None:
    """Where the config file is, or would be; None where this user has no home."""
    if named := runtime.environ.get(KEYS["config"].variable):
        return Path(named)
    folder = runtime.folder("config")
    return folder / NAME if folder else None


def read(runtime: Runtime) -> Config:
    """The config file, empty where there is none.

    Raises ConfigError for a file that cannot be read, is not private enough, is broken, or holds what is not known.
    """
    path = locate(runtime)
    if path is None:
        return Config(None)
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            content = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return Config(path)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    if len(content) > _LARGEST:
        raise ConfigError(f"{path} is larger than 8 MiB; that is no config file")
    config = parse(path, content)
    _check_private(
        path, status, holds_token="token" in config.top or any("token" in p for p in config.profiles.values())
    )
    return config


def parse(path: Path, content: bytes) -> Config:
    """The config that the file's content means; ConfigError names the path and the place."""
    try:
        data = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from None
    profiles = data.pop("profiles", {})
    if not isinstance(profiles, dict) or not all(isinstance(table, dict) for table in profiles.values()):
        raise ConfigError(f"{path}: profiles must be tables, like [profiles.acme]")
    _check_keys(path, "", data, "t")
    for name, table in profiles.items():
        _check_keys(path, f"profiles.{name}: ", table, "p")
    if RESERVED in profiles:
        raise ConfigError(f"{path}: the profile {RESERVED!r} is built in; give yours another name")
    return Config(path, data, profiles)


def _check_keys(path: Path, place: str, table: Mapping[str, Any], at: str) -> None:
    for name in table:
        key = KEYS.get(name)
        if key is None or at not in key.at:
            allowed = [other.name for other in KEYS.values() if at in other.at]
            close = get_close_matches(name, allowed, 1)
            raise ConfigError(
                f"{path}: {place}unknown key {name!r}" + (f" (did you mean {close[0]!r}?)" if close else "")
            )
    sources = [name for name in TOKEN_SOURCES if table.get(name)]
    if len(sources) > 1:
        raise ConfigError(f"{path}: {place}says twice where the token is ({' and '.join(sources)}); keep one")


def _check_private(path: Path, status: os.stat_result, *, holds_token: bool) -> None:
    if os.name != "posix":
        return
    if status.st_uid not in (os.geteuid(), 0):
        raise ConfigError(f"{path} belongs to another user (chown {os.geteuid()} {path})")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ConfigError(f"others can write {path} (chmod go-w {path})")
    if holds_token and status.st_mode & (stat.S_IRGRP | stat.S_IROTH):
        raise ConfigError(f"{path} holds a token and others can read it (chmod 600 {path})")
    folder = path.parent.stat().st_mode
    if folder & stat.S_IWOTH and not folder & stat.S_ISVTX:
        raise ConfigError(f"anybody can replace files in {path.parent} (chmod go-w {path.parent})")
