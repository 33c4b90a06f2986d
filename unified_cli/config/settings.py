"""Everything a call is made with, and where each value came from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from unified_cli.config.address import Address
from unified_cli.config.credentials.token import TokenSource
from unified_cli.config.keys import KEYS
from unified_cli.errors import ConfigError

WAYS_ON = (
    "set UNIFIED_BASE_URL, UNIFIED_ACCOUNT_ID and UNIFIED_TOKEN, or make a profile: unified profile add NAME; "
    "to try things out: unified -p sandbox …"
)


class Value(NamedTuple):
    """A setting's value, its source in words, and the sources it won over with what they said."""

    value: Any
    source: str
    overrode: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """The resolved settings of one connection; `token` says where to get it, not what it is.

    `named_by` is what named the profile; `tokens_left` says where else a token is, and why it is not that one.
    """

    profile: str | None
    address: Address | None
    account_id: str | None
    token: TokenSource | None
    values: Mapping[str, Value]
    named_by: str
    tokens_left: tuple[str, ...]

    @property
    def output(self) -> str:
        """The format of the result."""
        return str(self.values["output"].value)

    @property
    def timeout(self) -> float:
        """Seconds for one request with all its retries."""
        return float(self.values["timeout"].value)

    @property
    def retries(self) -> int:
        """Repeats after the first attempt."""
        return int(self.values["retries"].value)

    @property
    def rate(self) -> float:
        """Sends per 10 seconds and connection, 0 for no limit."""
        return float(self.values["rate"].value)

    @property
    def ca_bundle(self) -> str | None:
        """A file of further certificate authorities."""
        found: str | None = self.values["ca_bundle"].value
        return found

    @property
    def page_size(self) -> int | None:
        """Records per page, None for as many as the service sends by itself."""
        found: int | None = self.values["page_size"].value
        return found

    @property
    def no_input(self) -> bool:
        """Whether nobody may be asked."""
        return bool(self.values["no_input"].value)

    @property
    def quiet(self) -> bool:
        """Whether only errors are printed on stderr."""
        return bool(self.values["quiet"].value)

    @property
    def read_only(self) -> bool:
        """Whether writes are refused."""
        return bool(self.values["read_only"].value)

    @property
    def idempotency_window(self) -> float:
        """Seconds for which the service honours an idempotency key, 0 where it does not."""
        return float(self.values["idempotency_window"].value)

    def limited_to(self, *, timeout: float, retries: int) -> "Settings":
        """The same with this timeout and so many retries."""
        merged = {**self.values, "timeout": Value(timeout, "here"), "retries": Value(retries, "here")}
        return replace(self, values=merged)

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
