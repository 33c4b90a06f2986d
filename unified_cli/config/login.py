"""Store and remove the token of a profile, or the shared token of profiles without
their own.
"""

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unified_cli import hints, os_limits
from unified_cli.config import address, edit, file, keyring, profiles, resolution
from unified_cli.config.edit import Draft
from unified_cli.config.file import Config, exists, expand
from unified_cli.config.keys import KEYS, TOKEN_SOURCES
from unified_cli.config.token import TokenSource, keyring_user
from unified_cli.errors import ConfigError, UnsafeError, UsageError
from unified_cli.runtime import Runtime
from unified_cli.storage import private_file
from unified_cli.values import TomlTable

STORES: Mapping[str, str] = {"keyring": "keyring", "file": "token_file", "config": "token"}
"""The values of `--store`, with the keys that declare such a token."""


@dataclass(frozen=True, slots=True)
class TokenPlace:
    """Where to store the token of a profile, or of all profiles (None).

    `declared` says whether the config file already names this place.
    """

    profile: str | None
    store: str
    origin: str | None
    path: Path
    declared: bool = False
    base_url: str | None = None
    """The base URL to store with the token, if the config file does not have it."""

    @property
    def token_file(self) -> Path:
        """The file for the token, beside the config file.

        Its name is unique on any file system.
        """
        name = self.profile or ""
        mark = hashlib.sha256(name.encode()).hexdigest()[:8]
        return self.path.with_name(f"{self.path.name}.tokens") / f"{name or 'shared'}-{mark}"


def is_of_sandbox(config: Config, profile: str) -> bool:
    """Return whether the profile uses this process's sandbox.

    That sandbox has its own token.
    """
    table = config.profiles.get(profile, {})
    return (table.get("base_url") or config.top.get("base_url")) == address.SANDBOX


def choose(runtime: Runtime, profile: str | None, wanted: str | None) -> TokenPlace:
    """Return where to store the profile's token: the `wanted` place, or the declared
    place, or the keyring.

    Raises UsageError if the profile has another token source, and ConfigError if the
    profile or its base URL is missing.
    """
    config = file.read(runtime)
    if config.path is None:
        raise ConfigError("no home directory for the config file", hint=hints.SET_HOME)
    if profile is not None and profile not in config.profiles:
        raise profiles.unknown_error(config.profiles, profile)
    table = config.top if profile is None else config.profiles[profile]
    declared = next((name for name in TOKEN_SOURCES if table.get(name)), None)
    if wanted is None and declared == "token_command":
        raise UsageError(
            f"{_token_of(profile)} comes from a command",
            hint="--store PLACE stores a token here instead",
        )
    chosen = wanted or next((word for word, key in STORES.items() if key == declared), "keyring")
    url = (
        table.get("base_url")
        or config.top.get("base_url")
        or runtime.environ.get(KEYS["base_url"].variable)
    )
    lacking = None if url else _common_address(config, of_profile=profile is not None)
    url = url or lacking
    if not url:
        raise ConfigError(f"{_token_of(profile)} needs a base URL", hint=_remedy(profile))
    source = f"{config.path}"
    origin = address.parse(resolution.parsed(KEYS["base_url"], url, source), source).origin
    return TokenPlace(profile, chosen, origin, config.path, declared is not None, lacking)


def _common_address(config: Config, *, of_profile: bool) -> str | None:
    """Return the base URL that all profiles share, or None.

    For a shared token, only considers profiles without their own token.
    """
    found = {
        str(table["base_url"])
        for table in config.profiles.values()
        if table.get("base_url") not in (None, "", address.SANDBOX)
        and (of_profile or not any(table.get(name) for name in TOKEN_SOURCES))
    }
    return found.pop() if len(found) == 1 else None


def store(runtime: Runtime, place: TokenPlace, token: str) -> str:
    """Store the token, declare it in the config file, and return its place in words.

    Stores nothing if the config file cannot be changed. Removes the previous token if
    it was elsewhere, or prints a warning.
    """
    stored_in: list[str] = []
    config = file.read(runtime)
    before = config.top if place.profile is None else config.profiles.get(place.profile, {})
    value: Any = token
    if place.store == "keyring":
        value = True
    elif place.store == "file":
        value = str(_own_file(runtime, place))
    address_of = {"base_url": place.base_url} if place.base_url else {}
    values = dict.fromkeys(TOKEN_SOURCES) | {STORES[place.store]: value} | address_of
    edit.change(
        runtime,
        lambda draft: draft.set(place.profile, values),
        touched=[place.profile] if place.profile else [],
        first=lambda: stored_in.append(_put(place, token, value)),
    )
    for trace in stored_tokens(runtime, place.profile, before, config.top):
        if trace.kind != STORES[place.store] or (
            trace.kind == "token_file" and trace.detail != value
        ):
            forget_or_warn(runtime, trace, "the previous token")
    return stored_in[0]


def _put(place: TokenPlace, token: str, value: Any) -> str:
    if place.store == "keyring":
        user = keyring_user(place.profile, place.origin)
        with _with_file_store_hint():
            backend = keyring.put(user, token)
        return f"in the keyring ({backend}: service {keyring.SERVICE}, user {user})"
    if place.store == "file":
        with private_file.locked(Path(value)) as target:
            private_file.replace(target, token.encode("ascii") + b"\n")
        return f"in {value}"
    return f"in {place.path}, in plain text"


def check(place: TokenPlace) -> None:
    """Raise ConfigError if the place cannot store a token. Call it before asking for a
    token.
    """
    if place.store == "keyring":
        with _with_file_store_hint():
            keyring.backend_name()


@contextlib.contextmanager
def _with_file_store_hint() -> Iterator[None]:
    try:
        yield
    except ConfigError as error:
        also = f"; or {error.hint}" if error.hint else ""
        hint = f"--store file stores the token in a file only you can read{also}"
        raise type(error)(error.reason, hint=hint) from None


def _own_file(runtime: Runtime, place: TokenPlace) -> Path:
    config = file.read(runtime)
    table = config.top if place.profile is None else config.profiles.get(place.profile, {})
    declared = table.get("token_file")
    if isinstance(declared, str) and declared and not _is_borrowed(runtime, place.profile, table):
        return os_limits.absolute(expand(declared, runtime.environ))
    return os_limits.absolute(place.token_file)


def stored(profile: str | None, table: TomlTable, top: TomlTable) -> TokenSource | None:
    """Return the source of the stored token that a profile declares, or None."""
    kind = next((name for name in STORES.values() if table.get(name)), None)
    if kind is None or (kind == "token_file" and not isinstance(table[kind], str)):
        return None
    source = f"profile {profile}" if profile else "the top of the file"
    owner = table[kind] if kind == "keyring" and isinstance(table[kind], str) else profile
    origin = address.origin_of(table.get("base_url") or top.get("base_url"))
    return TokenSource(kind, table[kind], source, origin=origin, profile=owner)


def borrowed_key(runtime: Runtime, profile: str | None, table: TomlTable) -> str | None:
    """Return the key that declares another profile's token, or None."""
    token = stored(profile, table, {})
    return token.kind if token and _is_borrowed(runtime, profile, table) else None


def _is_borrowed(runtime: Runtime, profile: str | None, table: TomlTable) -> bool:
    token = stored(profile, table, {})
    if token is None or token.kind != "token_file":
        return token is not None and token.profile != profile
    path = os_limits.absolute(expand(token.detail, runtime.environ))
    return _is_in_token_folder(runtime, path) and not is_ours(runtime, profile, path)


def declaring(runtime: Runtime, token: TokenSource, draft: Draft) -> list[str | None]:
    """Return the profiles that use this stored token. The name None means the top of
    the file.
    """
    tables: list[tuple[str | None, TomlTable]] = [(None, draft.data), *draft.profiles.items()]
    found = ((name, stored(name, table, draft.data)) for name, table in tables)
    wanted = _place(runtime, token)
    return [name for name, source in found if source and _place(runtime, source) == wanted]


def _place(runtime: Runtime, token: TokenSource) -> tuple[object, ...]:
    if token.kind == "token_file":
        return token.kind, os_limits.absolute(expand(token.detail, runtime.environ))
    origin = token.origin or _origin(runtime)
    return token.kind, token.profile, origin if token.kind == "keyring" else None


def copy(runtime: Runtime, token: TokenSource, profile: str) -> None:
    """Copy a token in the keyring or a file for another profile."""
    if token.kind == "keyring":
        origin = token.origin or _origin(runtime)
        if (found := keyring.get(keyring_user(token.profile, origin))) is not None:
            keyring.put(keyring_user(profile, origin), found)
        return
    target = token_file(runtime, profile)
    source = os_limits.absolute(expand(token.detail, runtime.environ))
    if target is not None and exists(source):
        with private_file.locked(target) as held:
            private_file.replace(held, source.read_bytes())


def forget(runtime: Runtime, token: TokenSource) -> str:
    """Remove a stored token, but not its declaration, and return the outcome in
    words.
    """
    if token.kind == "keyring":
        user = keyring_user(token.profile, token.origin or _origin(runtime))
        return (
            f"removed from the keyring ({user})"
            if keyring.remove(user)
            else f"not in the keyring ({user})"
        )
    if token.kind == "token_file":
        path = expand(token.detail, runtime.environ)
        if not is_ours(runtime, token.profile, path):
            return f"left in {path}, which is your own file"
        with private_file.locked(path) as held:
            gone = private_file.remove(held)
        return f"removed together with its file {path}" if gone else f"not in {path}"
    return "removed from the config file"


def stored_tokens(
    runtime: Runtime, profile: str | None, table: TomlTable, top: TomlTable
) -> Iterator[TokenSource]:
    """Yield the tokens stored for a profile: the declared one, and a leftover file."""
    declared = stored(profile, table, top)
    named = None
    if declared and not _is_borrowed(runtime, profile, table):
        if declared.kind == "token_file":
            named = os_limits.absolute(expand(declared.detail, runtime.environ))
            declared = declared._replace(detail=str(named))
        yield declared
    own = token_file(runtime, profile)
    if own and own != named and exists(own):
        yield TokenSource("token_file", str(own), "", profile=profile)


def forget_or_warn(runtime: Runtime, token: TokenSource, what: str) -> None:
    """Remove a stored token like `forget`, or print a warning."""
    try:
        runtime.stderr.note(f"{what} is {forget(runtime, token)}")
    except ConfigError as error:
        runtime.stderr.note(f"warning: {what} is still stored: {error.message}")


def is_ours(runtime: Runtime, profile: str | None, path: Path) -> bool:
    """Return whether `login` created the token file."""
    return path == token_file(runtime, profile)


def is_stored_here(runtime: Runtime, token: TokenSource) -> bool:
    """Return whether `forget` removes the token. It never removes the user's own
    files.
    """
    return token.kind != "token_file" or _is_in_token_folder(
        runtime, os_limits.absolute(expand(token.detail, runtime.environ))
    )


def _is_in_token_folder(runtime: Runtime, path: Path) -> bool:
    own = token_file(runtime, None)
    return own is not None and path.parent == own.parent


def token_file(runtime: Runtime, profile: str | None) -> Path | None:
    """Return the file that `login` creates for the token of a profile."""
    config = file.locate(runtime)
    if config is None:
        return None
    return os_limits.absolute(TokenPlace(profile, "file", None, config).token_file)


def _origin(runtime: Runtime) -> str | None:
    return address.origin_of(runtime.environ.get(KEYS["base_url"].variable))


def _token_of(profile: str | None) -> str:
    return f'the token of profile "{profile}"' if profile else "the shared token"


def _remedy(profile: str | None) -> str:
    return f"unified profile set {profile or '--default'} base_url=URL, {hints.AN_ADDRESS}"


def check_origin(
    runtime: Runtime, name: str | None, before: TomlTable, after: TomlTable, top: TomlTable
) -> str | None:
    """Return a warning if a change sends the token to another origin, or None.

    `name` is None for the shared token. Raises UnsafeError for a file that `login`
    created, because its token is only for the old origin.
    """
    token = stored(name, after, top)
    was = stored(name, before, top)
    if token is None or was is None or (token.kind, token.detail) != (was.kind, was.detail):
        return None
    if was.origin is None or was.origin == token.origin:
        return None
    stored_token = f"the token of profile {name}" if name else "the shared token"
    command = f"unified profile {{}} {name or '--shared'}"
    login_command = command.format("login")
    if token.kind == "keyring":
        entry = keyring_user(token.profile, was.origin)
        return (
            f"the keyring has the token for {was.origin} only (entry {entry}; {login_command}"
            " stores another)"
        )
    path = expand(token.detail, runtime.environ) if token.kind == "token_file" else None
    if path is not None and not exists(path):
        return None
    if path is None or _is_in_token_folder(runtime, path):
        raise UnsafeError(
            f"{stored_token} was stored for {was.origin} and would be sent elsewhere",
            hint=f"run {command.format('logout')}, then set the base URL, then run {login_command}",
        )
    target = token.origin or "the address in UNIFIED_BASE_URL"
    return (
        f"the token in {path} was for {was.origin} and will be sent to {target} from now on"
        f" ({login_command} replaces it)"
    )
