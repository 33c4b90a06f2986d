"""Turn the calls of a run into requests.

A profile must still name the connection that it named when the run began.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.config.file import RESERVED, Config
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import StateError, UnifiedError, UnsafeError, UsageError
from unified_cli.fleet import own_account
from unified_cli.http import request as requests
from unified_cli.http.request import Content, Request
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes import renewal, selection as run_selection
from unified_cli.writes.entry import JournalEntry, RunCall
from unified_cli.writes.run import StoredRun

# Cache only a limited number of settings: the settings of one connection need
# kilobytes, and a run may have thousands of connections.
_MOST_SETTINGS = 256


class RunConnections:
    """Resolves the settings of profiles, unless they are `known`, and creates the
    requests of calls.
    """

    def __init__(
        self,
        runtime: Runtime,
        catalogue: Catalogue,
        config: Config,
        flags: Overrides,
        known: Mapping[str | None, Settings] | None = None,
    ) -> None:
        self.catalogue = catalogue
        known = known or {}
        self._profiles = config.profiles
        self._renamed: dict[str, str] = {}

        def resolved(profile: str | None) -> Settings:
            if profile in known:
                return known[profile]
            return own_account.resolved(
                flags._replace(profile=profile and self.current_name(profile)), runtime, config
            )

        self.settings = lru_cache(_MOST_SETTINGS)(resolved)

    def current_name(self, profile: str) -> str:
        """Return the current name of a profile that may have been renamed since the run
        began.
        """
        return self._renamed.get(profile, profile)

    def find_renamed(self, run: StoredRun) -> None:
        """Find the new names of profiles that were renamed since the run began."""
        gone = {
            call.profile: call
            for _, _, call in run.calls()
            if call.profile and call.profile not in {*self._profiles, RESERVED}
        }
        for name in self._profiles if gone else ():
            # Ignore an incomplete profile, which is reported when it is used.
            with suppress(UnifiedError):
                settings = self.settings(name)
                self._renamed |= {
                    old: name for old, call in gone.items() if run_selection.is_for(call, settings)
                }
        self.settings.cache_clear()

    def call(self, profile: str, operation: Operation, identifier: str | None) -> RunCall:
        """Return a call of the operation on the profile's connection, without a
        body.
        """
        address, account = self.settings(profile).reachable()
        return RunCall(profile, str(address), account, operation.command, identifier)

    def request(self, call: RunCall, body: bytes | None, key: str) -> Request:
        """Return the request for a call.

        `body` is for a call without a body of its own. Raises StateError if the profile
        now names another connection, and UsageError if the request is invalid.
        """
        settings = self.settings(call.profile)
        address, account = settings.reachable()
        if (str(address), account) != (call.base_url, call.account):
            raise run_selection.moved_error(call, settings)
        content = Content(
            call.query, body if call.body is None else call.body.encode("utf-8"), key or None
        )
        if call.operation == renewal.COMMAND:
            return renewal.request(settings, self.catalogue.service, content)
        scope = requests.scope_of(settings, self.catalogue.service)
        return requests.for_operation(scope, self.operation(call.operation), call.id, content)

    def operation(self, command: str) -> Operation:
        """Return the operation of a call.

        Raises StateError if the catalogue no longer has the operation.
        """
        if command == renewal.COMMAND:
            return renewal.operation(self.catalogue.service)
        api, resource, name = (*command.split(" "), "", "", "")[:3]
        known = self.catalogue.apis.get(api)
        found = known.resources.get(resource) if known else None
        operation = found.operations.get(name) if found else None
        if operation is None:
            raise StateError(f"the run calls {command!r}, but there is no such operation now")
        return operation

    def check(self, run: StoredRun, numbers: Iterable[int]) -> None:
        """Check these calls of a run before sending any of them.

        Raises StateError if a profile now names another connection, UnsafeError if
        profiles are read-only, and ConfigError if a profile cannot be used.
        """
        profiles: dict[str | None, Operation] = {}
        for number in numbers:
            entry: JournalEntry = run.journal.call(number)
            if entry.call is not None and entry.call.profile not in profiles:
                self._request_again(entry, run.body)
                profiles[entry.call.profile] = self.operation(entry.call.operation)
        writing = [name for name, operation in profiles.items() if operation.changes]
        forbidden = [name or "the environment" for name in writing if self.settings(name).read_only]
        if forbidden:
            verb = "is" if len(forbidden) == 1 else "are"
            raise UnsafeError(
                f"{counted(len(forbidden), 'profile')} {verb} read-only: {', '.join(forbidden)};"
                " nothing was sent",
                hint=f"leave {'it' if len(forbidden) == 1 else 'them'} out with -p '!NAME'",
            )

    def _request_again(self, entry: JournalEntry, body: bytes | None) -> None:
        if entry.call is None:
            return
        try:
            self.request(entry.call, body, entry.k)
        except UsageError as error:
            # No command writes values that cannot be sent, so the journal is wrong.
            raise StateError(f"call {entry.n} of the run cannot be made: {error.message}") from None
