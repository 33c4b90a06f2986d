"""The resolved settings of a call, with the source of each value."""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from unified_cli import hints
from unified_cli.config import address
from unified_cli.config.address import Address
from unified_cli.config.keys import KEYS
from unified_cli.config.token import TokenSource
from unified_cli.errors import ConfigError
from unified_cli.output.formats import Format
from unified_cli.values import JsonObject

OWN_ACCOUNT = "me"
"""The account id that means a connection's own token. Requests then do not name an
account.
"""
_MOST_NAMED = 3
DEFAULT = "default"
"""The source of a value that was not set."""
SETUP_HINT = (
    "set UNIFIED_BASE_URL, UNIFIED_ACCOUNT_ID and UNIFIED_TOKEN, or create a profile: unified"
    " profile add NAME; to try things out: unified -p sandbox …"
)


class Value(NamedTuple):
    """The value of a setting, its source in words, and the sources and values that it
    overrides.
    """

    value: Any
    source: str
    overrode: tuple[tuple[str, Any], ...] = ()


class Settings(NamedTuple):
    """The resolved settings of a connection.

    `token` is the source of the token. `named_by` is the source of the profile's name,
    and `tokens_left` says which tokens are not used, and why.
    """

    profile: str | None
    named_by: str
    address: Address | None
    account_id: str | None
    is_own: bool
    """Whether the token is the connection's own. The real account id may already be
    known.
    """
    token: TokenSource | None
    tokens_left: tuple[str, ...]
    output: Format
    """The format of the result."""
    timeout: float
    """The timeout of a request with all its retries, in seconds."""
    retries: int
    """Retries after the first attempt."""
    rate: float
    """The most requests per 10 seconds and connection, or 0."""
    token_rate: float
    """The most requests per 10 seconds and token, or 0."""
    ca_bundle: str | None
    """A file of additional certificate authorities."""
    page_size: int | None
    """Records per page, or None for the service's default."""
    no_input: bool
    """Whether prompts are off."""
    quiet: bool
    """Whether only errors are printed to stderr."""
    read_only: bool
    """Whether writes are refused."""
    idempotency_window: float
    """How long the service honours idempotency keys, in seconds, or 0."""
    values: Mapping[str, Value]
    """Every setting with its source."""
    profiles: Collection[str]
    """The names in the config file, for error messages."""

    def without_account(self) -> "Settings":
        """Return the settings for requests without a connection."""
        return self._replace(account_id=self.account_id or "")

    def shared_by(self, runs: int) -> "Settings":
        """Return the settings for one of several concurrent runs.

        The runs share the default limits.
        """
        rate, token_rate = (
            limit / runs if self.values[name].source == DEFAULT else limit
            for name, limit in (("rate", self.rate), ("token_rate", self.token_rate))
        )
        return self._replace(rate=rate, token_rate=token_rate)

    @property
    def identity(self) -> tuple[str, str]:
        """The connection's origin and account.

        Raises the same errors as `reachable`.
        """
        address, account = self.reachable()
        return address.origin, account

    @property
    def digest(self) -> str:
        """A short digest of the identity."""
        return hashlib.sha256(
            "\0".join(self.identity).encode("utf-8", "surrogateescape")
        ).hexdigest()[:16]

    @property
    def is_of_file(self) -> bool:
        """Whether only the config file selects the connection, and no flag or variable
        does.
        """
        foreign = {
            "--base-url",
            "--account-id",
            KEYS["base_url"].variable,
            KEYS["account_id"].variable,
        }
        named = foreign.isdisjoint(self.values[name].source for name in ("base_url", "account_id"))
        return named and not self.is_own

    @property
    def leading_profile(self) -> str | None:
        """The profile that selects this connection without other options, or None."""
        return self.profile if self.is_of_file else None

    def no_token_error(self) -> ConfigError:
        """Return the error for a missing token. It says which tokens are not used, and
        why.
        """
        name = f'profile "{self.profile}" has' if self.profile else "there is"
        remedy = (
            f"unified profile login {self.profile}"
            if self.profile
            else f"set {KEYS['token'].variable}"
        )
        left = f"; not used: {'; '.join(self.tokens_left)}" if self.tokens_left else ""

        hint = f"{remedy}, or --token-file FILE; {hints.WHERE_TOKENS_ARE}"
        return ConfigError(f"{name} no token for this address{left}", hint=hint)

    def explain(self) -> Iterator[JsonObject]:
        """Yield each setting as JSON: its value, source, and overridden values. Scripts
        depend on the names.
        """
        yield {"key": "profile", "value": self.profile, "source": self.named_by, "overrode": []}
        for key, value in self.values.items():
            lost = [
                {"source": source, "value": _shown(key, other)} for source, other in value.overrode
            ]
            yield {
                "key": key,
                "value": _shown(key, value.value),
                "source": value.source,
                "overrode": lost,
            }
        yield {
            "key": "token",
            "value": "set" if self.token else None,
            "source": self.token.words if self.token else "nowhere",
            "overrode": [{"source": source, "value": "set"} for source in self.tokens_left],
        }

    def reachable(self) -> tuple[Address, str]:
        """Return the address and the account id. Raises ConfigError if one is
        missing.
        """
        name = f'profile "{self.profile}"' if self.profile else None
        if (self.address is None or self.account_id is None) and self._is_profile_wanted:
            raise ConfigError("no profile is chosen", hint=_choices(self.profiles))
        if self.address is None and self.account_id is None and name is None:
            raise ConfigError(f"no connection to call: {SETUP_HINT}")
        if self.address is None:
            remedy = (
                f"unified profile set {self.profile} base_url=URL"
                if name
                else f"set {KEYS['base_url'].variable}"
            )
            other = "" if name else "; or create a profile: unified profile add NAME"
            raise ConfigError(
                f"{name or 'the environment'} has no base URL",
                hint=f"{remedy}, {hints.AN_ADDRESS}{other}",
            )
        if self.account_id is None:
            variable = KEYS["account_id"].variable
            remedy = (
                f"unified connections list -p {self.profile} shows the ids; unified profile set"
                f" {self.profile} account_id=ID"
                if name
                else f"set {variable}"
            )
            only = ", so only connections and doctor can use it" if name else ""
            raise ConfigError(
                f"{name or 'the environment'} has no account id{only}",
                hint=f"{remedy}, or -a ID",
            )
        return self.address, self.account_id

    @property
    def _is_profile_wanted(self) -> bool:
        """Whether profiles exist, but neither a flag nor a variable selects a
        connection.
        """
        return self.profile is None and bool(self.profiles) and self.is_of_file


def _choices(names: Collection[str]) -> str:
    if len(names) > _MOST_NAMED:
        return (
            f"-p NAME; unified profile list shows {len(names)}; unified profile use NAME chooses"
            " one for all calls"
        )
    usual = (
        f"unified profile use {next(iter(names))}"
        if len(names) == 1
        else "unified profile use NAME"
    )
    return f"{' or '.join(f'-p {name}' for name in names)}; {usual} chooses it for all calls"


def _shown(key: str, value: object) -> object:
    return address.masked(value) if key == "base_url" and isinstance(value, str) else value
