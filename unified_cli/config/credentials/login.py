"""Where a token is kept for a profile, or for all that have none of their own: put it there, and take it away."""

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unified_cli.config import address, edit, file, resolution
from unified_cli.config.credentials import keyring
from unified_cli.config.credentials.token import TokenSource, keyring_user
from unified_cli.config.keys import KEYS, TOKEN_SOURCES
from unified_cli.config.paths import exists, expand
from unified_cli.errors import ConfigError, UsageError
from unified_cli.json_text.values import TomlTable
from unified_cli.runtime import Runtime
from unified_cli.storage import private_file

STORES: Mapping[str, str] = {"keyring": "keyring", "file": "token_file", "config": "token"}
"""What a person calls the places for a token, with the keys that declare them."""


@dataclass(frozen=True, slots=True)
class TokenPlace:
    """Where the token of a profile, or of the top of the file where `profile` is None, is to be kept."""

    profile: str | None
    store: str
    origin: str | None
    path: Path

    @property
    def token_file(self) -> Path:
        """The file for the token: private, beside the config file, and like no other profile's on any file system."""
        name = self.profile or ""
        mark = hashlib.sha256(name.encode()).hexdigest()[:8]
        return self.path.with_name(f"{self.path.name}.tokens") / f"{name or 'shared'}-{mark}"


def choose(runtime: Runtime, profile: str | None, wanted: str | None) -> TokenPlace:
    """The place that was asked for, else the one that the profile declares, else the keyring.

    Raises UsageError where the profile's token comes from elsewhere, ConfigError where there is no such profile or
    nothing says whom the token is for.
    """
    config = file.read(runtime)
    if config.path is None:
        raise ConfigError("there is no home to keep a config file in (set HOME, or name a file with UNIFIED_CONFIG)")
    if profile is not None and profile not in config.profiles:
        raise ConfigError(f'no profile named "{profile}" (unified profile list shows {len(config.profiles)})')
    table = config.top if profile is None else config.profiles[profile]
    declared = next((name for name in TOKEN_SOURCES if table.get(name)), None)
    if wanted is None and declared == "token_command":
        raise UsageError(f"{_whose(profile)} token comes from a command; say --store to keep one here instead")
    chosen = wanted or next((word for word, key in STORES.items() if key == declared), "keyring")
    url = table.get("base_url") or config.top.get("base_url") or runtime.environ.get(KEYS["base_url"].variable)
    if not url:
        raise ConfigError(f"nothing says where {_whose(profile)} token may be sent ({_mend(profile)})")
    source = f"{config.path}"
    origin = address.parse(resolution.parsed(KEYS["base_url"], url, source), source).origin
    return TokenPlace(profile, chosen, origin, config.path)


def keep(runtime: Runtime, place: TokenPlace, token: str) -> str:
    """Put the token there and say in the config file that it is there; where it is, in words.

    The config file never promises a token that is not there, and where it cannot be changed no token is put anywhere.
    The one before it is removed if it was elsewhere, and the person told what became of it.
    """
    said: list[str] = []
    config = file.read(runtime)
    before = config.top if place.profile is None else config.profiles.get(place.profile, {})
    value: Any = token
    if place.store == "keyring":
        value = True
    elif place.store == "file":
        value = str(_own_file(runtime, place))
    values = dict.fromkeys(TOKEN_SOURCES) | {STORES[place.store]: value}
    edit.change(
        runtime,
        lambda draft: draft.set(place.profile, values),
        touched=[place.profile] if place.profile else [],
        first=lambda: said.append(_put(place, token, value)),
    )
    for trace in traces(runtime, place.profile, before, config.top):
        if trace.kind != STORES[place.store] or (trace.kind == "token_file" and trace.detail != value):
            forget_and_tell(runtime, trace, "the token before it")
    return said[0]


def _put(place: TokenPlace, token: str, value: Any) -> str:
    if place.store == "keyring":
        user = keyring_user(place.profile, place.origin)
        with _advised():
            backend = keyring.put(user, token)
        return f"in the keyring ({backend}: service {keyring.SERVICE}, user {user})"
    if place.store == "file":
        with private_file.locked(Path(value)) as target:
            private_file.replace(target, token.encode("ascii") + b"\n")
        return f"in {value}"
    return f"in {place.path}, in plain text"


def check(place: TokenPlace) -> None:
    """Look whether the place can keep a token, before anybody is asked for one; ConfigError where it cannot."""
    if place.store == "keyring":
        with _advised():
            keyring.backend_name()


@contextlib.contextmanager
def _advised() -> Iterator[None]:
    """Add to what a keyring says where else a token may be kept; that comes first, for it works at once."""
    try:
        yield
    except ConfigError as error:
        said, _, mend = error.message.removesuffix(")").partition(" (")
        also = f"; for the keyring: {mend}" if mend else ""
        raise ConfigError(f"{said} (--store file keeps the token in a file only you can read{also})") from None


def _own_file(runtime: Runtime, place: TokenPlace) -> Path:
    """The declared token file, or the one beside the config file."""
    config = file.read(runtime)
    table = config.top if place.profile is None else config.profiles.get(place.profile, {})
    declared = table.get("token_file")
    if isinstance(declared, str) and declared:
        return expand(declared, runtime.environ).absolute()
    return place.token_file.absolute()


def stored(profile: str | None, table: TomlTable, top: TomlTable) -> TokenSource | None:
    """The token that this program keeps for a profile's table, as far as the table itself declares one."""
    kind = next((name for name in STORES.values() if table.get(name)), None)
    if kind is None or (kind == "token_file" and not isinstance(table[kind], str)):
        return None
    source = f"profile {profile}" if profile else "the top of the file"
    origin = address.origin_of(table.get("base_url") or top.get("base_url"))
    return TokenSource(kind, table[kind], source, origin=origin, profile=profile)


def forget(runtime: Runtime, token: TokenSource) -> str:
    """Remove a stored token from where it is, but not from the config file; what became of it, in words."""
    if token.kind == "keyring":
        user = keyring_user(token.profile, token.origin or _origin(runtime))
        return f"removed from the keyring ({user})" if keyring.remove(user) else f"not in the keyring ({user})"
    if token.kind == "token_file":
        path = expand(token.detail, runtime.environ)
        if not is_ours(runtime, token.profile, path):
            return f"left in {path}, which is your own file"
        with private_file.locked(path) as held:
            gone = private_file.remove(held)
        return f"removed with {path}" if gone else f"not in {path}"
    return "removed from the config file"


def traces(runtime: Runtime, profile: str | None, table: TomlTable, top: TomlTable) -> Iterator[TokenSource]:
    """Every token that is stored for a profile's table: the declared one, and a file of our own that nothing names."""
    declared = stored(profile, table, top)
    named = None
    if declared:
        if declared.kind == "token_file":
            named = expand(declared.detail, runtime.environ).absolute()
            declared = declared._replace(detail=str(named))
        yield declared
    own = _ours(runtime, profile)
    if own and own != named and exists(own):
        yield TokenSource("token_file", str(own), "", profile=profile)


def forget_and_tell(runtime: Runtime, token: TokenSource, what: str) -> None:
    """Remove a stored token as `forget` does; where it cannot be removed the person is warned, and nothing raised."""
    try:
        runtime.stderr.note(f"{what} is {forget(runtime, token)}")
    except ConfigError as error:
        runtime.stderr.note(f"warning: {what} is still stored: {error.message}")


def is_ours(runtime: Runtime, profile: str | None, path: Path) -> bool:
    """Whether the token file is the one that login makes for the profile."""
    return path == _ours(runtime, profile)


def _ours(runtime: Runtime, profile: str | None) -> Path | None:
    config = file.locate(runtime)
    return TokenPlace(profile, "file", None, config).token_file.absolute() if config else None


def _origin(runtime: Runtime) -> str | None:
    return address.origin_of(runtime.environ.get(KEYS["base_url"].variable))


def _whose(profile: str | None) -> str:
    return f'the profile "{profile}"\'s' if profile else "the shared"


def _mend(profile: str | None) -> str:
    return f"unified profile set {profile} base_url=URL" if profile else "a base_url at the top of the config file"
