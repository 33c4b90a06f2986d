"""Resolve every setting from flags, the environment, the profile and the config file,
in that order.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from unified_cli.config import address, file, profiles
from unified_cli.config.address import Address
from unified_cli.config.file import Config
from unified_cli.config.keys import IDENTITY, KEYS, TOKEN_SOURCES, Key, Overrides
from unified_cli.config.settings import DEFAULT, OWN_ACCOUNT, Settings, Value
from unified_cli.config.token import TokenSource
from unified_cli.errors import ConfigError, UnifiedError, UnsafeError, UsageError
from unified_cli.hints import EMPTY, quoted
from unified_cli.output import formats
from unified_cli.runtime import Runtime
from unified_cli.values import TomlTable

# The built-in profile: the sandbox's connection with many records, without a rate
# limit.
SANDBOX_PROFILE: TomlTable = {"base_url": address.SANDBOX, "account_id": "full", "rate": 0}


def resolve(flags: Overrides, runtime: Runtime, config: Config) -> Settings:
    """Resolve the settings: flag, environment, profile, top of the file, default.

    If a profile is named, the environment comes after the file for the base URL, the
    account and the token: it only sets what the file lacks.
    """
    name, named_by = _profile(flags, runtime, config)
    # The sandbox never uses the environment's identity, even as the default profile.
    unit = named_by in _NAMING or name == file.RESERVED
    tables = (f"profile {name}", _table(name, named_by, config)), (f"{config.path}", config.top)
    layers = _Layers(flags, runtime.environ, config, name, tables, unit)
    values = {key.name: layers.value(key) for key in _PLAIN}
    where = values["base_url"]
    reached = address.parse(where.value, where.source) if where.value else None
    if (name == file.RESERVED or (reached and reached.is_sandbox)) and any(
        getattr(flags, flag) for flag in _FOREIGN
    ):
        raise UsageError(
            "the sandbox has an address and a token of its own",
            hint="leave out --base-url and --token-…",
        )
    token, left = _token_of_replay(layers, reached) if runtime.replays else layers.token(reached)
    on_terminal = runtime.stdout_is_terminal and flags.out in _STDOUT and flags.jq is None
    rate, token_rate = values["rate"].value, values["token_rate"].value
    return Settings(
        profile=name,
        named_by=named_by,
        address=reached,
        is_own=values["account_id"].value == OWN_ACCOUNT,
        token=token,
        tokens_left=left,
        # `own_account` reports an unknown name.
        output=formats.named(values["output"].value, terminal=on_terminal) or formats.JSON,
        token_rate=rate * _TOKEN_FACTOR if token_rate is None else token_rate,
        **{field: values[field].value for field in _AS_FOUND},
        values=values,
        profiles=config.profiles,
    )


_AS_FOUND = (
    "account_id",
    "timeout",
    "retries",
    "rate",
    "ca_bundle",
    "page_size",
    "no_input",
    "quiet",
    "read_only",
    "idempotency_window",
)
# Assumption: a token's limit is ten times a connection's limit, as the service
# documents.
_TOKEN_FACTOR = 10
_REPLAYED = TokenSource("replay", "", "--replay")
_NAMING = ("-p", KEYS["profile"].variable)
_STDOUT = (None, "-")
_FOREIGN = ("base_url", "token_file", "token_stdin")
_PLAIN = tuple(
    key for key in KEYS.values() if key.name not in {*TOKEN_SOURCES, "config", "profile"}
)
_OPEN = {key.name: (key.variable, Value(key.default, DEFAULT)) for key in _PLAIN}


def _token_of_replay(
    layers: "_Layers", reached: Address | None
) -> tuple[TokenSource, tuple[str, ...]]:
    try:
        token, left = layers.token(reached)
    except UnifiedError:
        return _REPLAYED, ()
    return token or _REPLAYED, left


def _profile(flags: Overrides, runtime: Runtime, config: Config) -> tuple[str | None, str]:
    name = flags.profile
    if name is not None:
        if not name:
            raise UsageError(
                "-p needs the name of a profile", hint="unified profile list shows them"
            )
        return name, _NAMING[0]
    if name := runtime.environ.get(_NAMING[1]):
        return name, _NAMING[1]
    name = config.top.get("profile")
    return (
        (None, "nowhere")
        if name is None
        else (parsed(KEYS["profile"], name, f"{config.path}"), f"{config.path}")
    )


def _table(name: str | None, source: str, config: Config) -> TomlTable:
    if name is None:
        return {}
    if name == file.RESERVED:
        return SANDBOX_PROFILE
    if name not in config.profiles:
        if source == _NAMING[0]:
            raise profiles.unknown_error(config.profiles, name)
        if profiles.is_several([name]):
            raise ConfigError(
                f'{source} must name one profile, not "{name}"', hint=f"-p {quoted(name)}"
            )
        error = profiles.unknown_error(config.profiles, name)
        raise ConfigError(f"{error.reason}, which {source} names", hint=error.hint)
    return config.profiles[name]


class _Layers(NamedTuple):
    """The sources of values. With `unit`, the environment comes after the file for the
    base URL, the account and the token.

    `tables` are the profile and the top of the config file, with their names for
    messages.
    """

    flags: Overrides
    environ: Mapping[str, str]
    config: Config
    profile: str | None
    tables: tuple[tuple[str, TomlTable], tuple[str, TomlTable]]
    unit: bool

    def value(self, key: Key) -> Value:
        name, variable, default = key.name, *_OPEN[key.name]
        given = getattr(self.flags, name, None)
        in_file = [(source, table[name]) for source, table in self.tables if name in table]
        # Fast path: most keys are not set, and a thousand profiles look up all keys.
        if not in_file and given is None and variable not in self.environ:
            return default
        identity = name in IDENTITY
        if identity and self.profile == file.RESERVED:
            # The sandbox does not use the identity at the top of the file.
            in_file = in_file[:1]
        value = self.environ.get(variable) if key.env else None
        flag = [] if given is None else [("--" + name.replace("_", "-"), given)]
        environment = [(variable, value)] if value else []
        found = (
            [*flag, *in_file, *environment]
            if identity and self.unit
            else [*flag, *environment, *in_file]
        )
        if not found:
            return default
        source, value = found[0]
        return Value(parsed(key, value, source), source, tuple(found[1:]))

    def token(self, reached: Address | None) -> tuple[TokenSource | None, tuple[str, ...]]:
        """Return the source of the token, and the unused sources.

        Raises UnsafeError if the stored token belongs to another origin.
        """
        flags, found = self.flags, []
        if flags.token_file and flags.token_stdin:
            raise UsageError("--token-file and --token-stdin are both given", hint="use one")
        if flags.token_file:
            found.append(TokenSource("token_file", flags.token_file, "--token-file"))
        if flags.token_stdin:
            found.append(TokenSource("token_stdin", "", "--token-stdin"))
        if reached and reached.is_sandbox:
            found.append(TokenSource("sandbox", "", "built in"))
        stored = [
            *self._token_in_file(*self.tables[0], self.profile, reached),
            *self._token_in_file(*self.tables[1], None, reached),
        ]
        environment, refused = self._token_in_environment(reached)
        found += [*stored, *environment] if self.unit else [*environment, *stored]
        if not found:
            if refused and self.profile is None and reached:
                raise _wrong_origin(
                    KEYS["token"].variable, " or ".join(self._token_origins()), reached
                )
            return None, refused
        chosen = found[0]
        if reached and chosen.origin and reached.origin != chosen.origin:
            raise _wrong_origin(f"the token of {chosen.source}", chosen.origin, reached)
        return chosen, (*(other.source for other in found[1:]), *refused)

    def _token_in_environment(
        self, reached: Address | None
    ) -> tuple[list[TokenSource], tuple[str, ...]]:
        """Return the environment's token, or why it is not used for this address."""
        key = KEYS["token"]
        value = self.environ.get(key.variable)
        if not value:
            return [], ()
        origins = self._token_origins()
        # If no profile is used and the environment names no address, the environment's
        # token is for any address.
        if reached and (self.profile or origins) and reached.origin not in origins:
            if origins:
                return [], (
                    (
                        f"{key.variable}, which is for {' or '.join(origins)}, not for"
                        f" {reached.origin}"
                    ),
                )
            only_if = f"only if {KEYS['base_url'].variable} names this address"
            return [], (f"{key.variable}, which is used for {reached.origin} {only_if}",)
        return [TokenSource("environment", value, key.variable)], ()

    def _token_origins(self) -> list[str]:
        urls = [self.environ.get(KEYS["base_url"].variable), self.config.top.get("base_url")]
        return [address.origin_of(url) or "an invalid address" for url in urls if url]

    def _token_in_file(
        self, source: str, table: TomlTable, profile: str | None, reached: Address | None
    ) -> Iterator[TokenSource]:
        for name in TOKEN_SOURCES:
            value = parsed(KEYS[name], table[name], source) if name in table else None
            if value:
                base = table.get("base_url") or self.config.top.get("base_url")
                origin = (
                    address.parse(parsed(KEYS["base_url"], base, source), source).origin
                    if base
                    else None
                )
                if name == "keyring" and origin is None and reached:
                    # The entry of the keyring is stored under the origin, so other
                    # origins do not find it.
                    origin = reached.origin
                # The entry of the keyring may belong to another profile.
                owner = value if name == "keyring" and isinstance(value, str) else profile
                yield TokenSource(name, value, source, origin=origin, profile=owner)


def _wrong_origin(token: str, origin: str, reached: Address) -> UnsafeError:
    if reached.scheme == "http" and f"{origin}:".startswith(f"https://{reached.host}:"):
        return UnsafeError(
            f"{token} belongs to {origin}, but the call would go to {reached.origin}",
            hint="the address must begin with https://",
        )
    return UnsafeError(
        f"{token} belongs to {origin}, but the call would go to {reached.origin}",
        hint="use another token: --token-file or --token-stdin",
    )


def parsed(key: Key, value: object, source: str) -> Any:
    """Parse the value of a key from `source`.

    Raises UsageError or ConfigError with the problem and the source.
    """
    try:
        return key.parse(value)
    except ValueError as error:
        shown = "" if key.name in TOKEN_SOURCES else f", not {_in_file(value)}"
        if source.startswith("--"):
            hint = None if value else EMPTY
            raise UsageError(f"{source} {error}{shown}", hint=hint) from None
        if source == key.variable:
            raise ConfigError(f"the environment: {source} {error}{shown}") from None
        raise ConfigError(f"{source}: {key.name} {error}{shown}") from None


def _in_file(value: object) -> str:
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a table"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, str) else str(value)
