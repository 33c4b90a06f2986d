"""Everything a call is made with, and where each value came from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from unified_cli.config import address, file
from unified_cli.config.address import Address
from unified_cli.config.file import Config
from unified_cli.config.keys import IDENTITY, KEYS, TOKEN_SOURCES, Key
from unified_cli.config.secrets import TokenSource
from unified_cli.errors import ConfigError, UnsafeError, UsageError
from unified_cli.runtime import Runtime

# The profile that needs no file. Its connection is the sandbox's well-filled one, and nothing there needs pacing.
SANDBOX_PROFILE: Mapping[str, Any] = {"base_url": address.SANDBOX, "account_id": "full", "rate": 0}

WAYS_ON = (
    "set UNIFIED_BASE_URL, UNIFIED_ACCOUNT_ID and UNIFIED_TOKEN, or make a profile: unified profile add NAME; "
    "to try things out: unified -p sandbox …"
)


@dataclass(frozen=True, slots=True)
class Value:
    """A setting's value, its source in words, and the sources it won over with what they said."""

    value: Any
    source: str
    overrode: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """The resolved settings of one connection; `token` says where to get it, not what it is."""

    profile: str | None
    address: Address | None
    account_id: str | None
    token: TokenSource | None
    values: Mapping[str, Value] = field(repr=False)

    def __getitem__(self, key: str) -> Any:
        """The value of one of the other keys, such as `timeout`."""
        return self.values[key].value

    def reachable(self) -> tuple[Address, str]:
        """The address and the connection; ConfigError with the ways on where one is missing."""
        name = f'profile "{self.profile}"' if self.profile else None
        if self.address is None and self.account_id is None and name is None:
            raise ConfigError(f"no connection to call: {WAYS_ON}")
        if self.address is None:
            mend = f"unified profile set {self.profile} base_url=URL" if name else f"set {KEYS['base_url'].variable}"
            raise ConfigError(f"{name or 'the environment'} says no base URL ({mend})")
        if self.account_id is None:
            mend = f"unified profile set {self.profile} account_id=ID" if name else f"set {KEYS['account_id'].variable}"
            raise ConfigError(f"{name or 'the environment'} says no account id, so no connection ({mend}, or -a ID)")
        return self.address, self.account_id


def resolve(flags: Mapping[str, Any], runtime: Runtime, config: Config) -> Settings:
    """The settings that the flags (by key, parsed, None where not given), the environment and the file amount to.

    Order: flag, environment, profile, top of the file, default. Where a profile is named, its identity (base URL,
    account, token) is a unit: the environment only fills what the profile and the top of the file leave open.
    """
    name, named = _profile(flags, runtime, config)
    table = _table(name, config)
    layers = _Layers(flags, runtime.environ, config, name, table)
    values = {key.name: layers.value(key, environment_last=named and key.name in IDENTITY) for key in _plain_keys()}
    where = values["base_url"]
    reached = address.parse(where.value, where.source) if where.value else None
    if name == file.RESERVED and any(flags.get(flag) for flag in ("base_url", "token_file", "token_stdin")):
        raise UsageError("the sandbox has an address and a token of its own (leave out --base-url and --token-…)")
    if reached and reached.is_sandbox:
        token: TokenSource | None = TokenSource("sandbox", "", "built in")
    else:
        token = layers.token(reached, named=named)
    return Settings(name, reached, values["account_id"].value, token, values)


def _plain_keys() -> Iterator[Key]:
    return (key for key in KEYS.values() if key.name not in {*TOKEN_SOURCES, "config", "profile"})


def _profile(flags: Mapping[str, Any], runtime: Runtime, config: Config) -> tuple[str | None, bool]:
    if name := flags.get("profile"):
        return name, True
    if name := runtime.environ.get(KEYS["profile"].variable):
        return name, True
    name = config.top.get("profile")
    return (_parse(KEYS["profile"], name, f"{config.path}") if name is not None else None), False


def _table(name: str | None, config: Config) -> Mapping[str, Any]:
    if name is None:
        return {}
    if name == file.RESERVED:
        return SANDBOX_PROFILE
    if name not in config.profiles:
        shown = f"unified profile list shows {len(config.profiles)}"
        raise ConfigError(f'no profile named "{name}" ({shown})')
    return config.profiles[name]


@dataclass(frozen=True, slots=True)
class _Layers:
    """The places a value may stand in, strongest first."""

    flags: Mapping[str, Any]
    environ: Mapping[str, str]
    config: Config
    profile: str | None
    table: Mapping[str, Any]

    def value(self, key: Key, *, environment_last: bool) -> Value:
        flag, environment = self._flag(key), self._environment(key)
        stored = [*self._stored(key)]
        found = [*flag, *stored, *environment] if environment_last else [*flag, *environment, *stored]
        if not found:
            return Value(key.default, "default")
        source, value = found[0]
        return Value(_parse(key, value, source), source, tuple(found[1:]))

    def _flag(self, key: Key) -> list[tuple[str, Any]]:
        value = self.flags.get(key.name)
        return [] if value is None else [("--" + key.name.replace("_", "-"), value)]

    def _environment(self, key: Key) -> list[tuple[str, Any]]:
        value = self.environ.get(key.variable) if key.env else None
        return [(key.variable, value)] if value else []

    def _stored(self, key: Key) -> Iterator[tuple[str, Any]]:
        if key.name in self.table:
            yield f"profile {self.profile}", self.table[key.name]
        # The sandbox is complete in itself: nothing at the top of the file is meant for it.
        if key.name in self.config.top and not (self.profile == file.RESERVED and key.name in IDENTITY):
            yield f"{self.config.path}", self.config.top[key.name]

    def token(self, reached: Address | None, *, named: bool) -> TokenSource | None:
        """Where the token is; UnsafeError for a stored one that belongs to another origin."""
        if self.flags.get("token_file"):
            return TokenSource("token_file", self.flags["token_file"], "--token-file")
        if self.flags.get("token_stdin"):
            return TokenSource("token_stdin", "", "--token-stdin")
        environment = self._token_in_environment(reached)
        if environment and not named:
            return environment
        stored = self._token_in_file(self.table, f"profile {self.profile}") or self._token_in_file(
            self.config.top, f"{self.config.path}"
        )
        if stored is None:
            return environment
        home = stored.origin
        if reached and home and reached.origin != home:
            raise UnsafeError(
                f"the token of {stored.source} belongs to {home}, and the call would go to {reached.origin} "
                "(give that one its own token: --token-file or --token-stdin)"
            )
        return stored

    def _token_in_environment(self, reached: Address | None) -> TokenSource | None:
        key = KEYS["token"]
        value = self.environ.get(key.variable)
        if not value:
            return None
        if self.profile and reached:
            own = [
                ("the environment", self.environ.get(KEYS["base_url"].variable)),
                ("", self.config.top.get("base_url")),
            ]
            if reached.origin not in [address.parse(url, source).origin for source, url in own if url]:
                return None
        return TokenSource("environment", value, key.variable)

    def _token_in_file(self, table: Mapping[str, Any], source: str) -> TokenSource | None:
        for name in TOKEN_SOURCES:
            value = _parse(KEYS[name], table[name], source) if name in table else None
            if value:
                base = table.get("base_url") or self.config.top.get("base_url")
                origin = address.parse(base, source).origin if base else None
                return TokenSource(name, value, source, origin=origin, profile=self.profile)
        return None


def _parse(key: Key, value: object, source: str) -> Any:
    try:
        return key.parse(value)
    except ValueError as error:
        if source.startswith("--"):
            raise UsageError(f"{source} {error}, not {value!r}") from None
        place = "the environment: " if source == key.variable else f"{source}: {key.name} "
        name = f"{source} " if source == key.variable else ""
        raise ConfigError(f"{place}{name}{error}, not {value!r}") from None
