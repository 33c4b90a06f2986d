"""The connections that a server reaches: the profiles that `-p` selects, and no others."""

import contextlib
from collections.abc import Sequence

from unified_cli.cli.options import overrides
from unified_cli.cli.shared_options import NetworkOptions
from unified_cli.commands.mcp.options import PermissionOptions
from unified_cli.config import file, profiles
from unified_cli.config.file import Config
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, UnifiedError, UnsafeError, UsageError
from unified_cli.fleet import own_account
from unified_cli.runtime import Runtime

_MOST_NAMED = 20


class ServedProfiles:
    """The profiles, as they are when the server starts; raises ConfigError where there are none."""

    def __init__(self, runtime: Runtime, chosen: PermissionOptions, network: NetworkOptions) -> None:
        self._runtime = runtime
        self._config = file.read(runtime)
        self._overrides = overrides(network)
        self.names = profiles.select(self._config, chosen.profile) if chosen.profile else [*self._config.profiles]
        if not self.names:
            raise ConfigError(
                "there is no profile to serve", hint="unified profile add NAME; to try things out: -p sandbox"
            )
        tables = {name: self._config.profiles[name] for name in self.names if name in self._config.profiles}
        self._identities: dict[str, tuple[str, str | None, str | None]] = {}
        self._fenced = Config(self._config.path, self._config.top, tables)

    @property
    def words(self) -> str:
        """The names, the first of them if there are many."""
        shown = ", ".join(self.names[:_MOST_NAMED])
        return f"{shown} and {len(self.names) - _MOST_NAMED} more" if len(self.names) > _MOST_NAMED else shown

    def select(self, patterns: Sequence[str]) -> list[str]:
        """The names that names, globs and tags select within the fence.

        Raises UsageError for none, UnsafeError for a profile outside of it.
        """
        if not patterns:
            raise UsageError(f"profile is missing; this server reaches {self.words}")
        for name in patterns:
            self._check(name)
        try:
            found = profiles.select(self._fenced, patterns)
        except ConfigError as error:
            raise UnsafeError(f"{error.reason}: this server reaches {self.words}") from None
        return found

    def one(self, name: str) -> str:
        """The name of one connection. Raises UsageError for what may select several, UnsafeError as `select` does."""
        if profiles.is_several([name]):
            raise UsageError(f"profile {name!r} may be several connections, and a write is for one: {self.words}")
        return self.select([name])[0]

    def settings(self, name: str) -> Settings:
        """The settings of a connection. Raises UnifiedError where they do not lead to one."""
        found = own_account.resolved(self._overrides._replace(profile=name), self._runtime, self._config)
        found.reachable()
        return found

    def identity(self, name: str) -> tuple[str, str | None, str | None]:
        """What makes a connection the one it is: its name, its address and its account, as far as they are known."""
        if name not in self._identities:
            address = account = None
            with contextlib.suppress(UnifiedError):
                address, account = self.settings(name).reachable()
            self._identities[name] = (name, str(address) if address else None, account)
        return self._identities[name]

    def _check(self, name: str) -> None:
        if not profiles.is_several([name]) and name not in self.names:
            raise UnsafeError(f'profile "{name}" is not one that this server reaches: {self.words}')


def usable(served: ServedProfiles) -> UnifiedError | None:
    """Why none of the connections can be called; None if one can."""
    failed: UnifiedError | None = None
    for name in served.names:
        try:
            served.settings(name)
        except UnifiedError as error:
            failed = failed or error
        else:
            return None
    return failed
