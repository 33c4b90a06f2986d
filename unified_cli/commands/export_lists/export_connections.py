"""The connections of an export: which there are, where each leads, and how it is opened."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from unified_cli.bulk.export.export_terms import Connection
from unified_cli.call import Call, builder
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.options import OperationOptions, overrides
from unified_cli.commands.export_lists.export_options import ExportOptions
from unified_cli.config import file, profiles
from unified_cli.config.settings import Settings
from unified_cli.fleet import own_account, run_settings, selection
from unified_cli.fleet.read import FairReaders
from unified_cli.http.client import Client
from unified_cli.http.rate_limit import Patience

Resolve = Callable[[str], Settings]
"""Gives the settings of a connection by its name. Raises ConfigError, UnsafeError."""


class ExportConnections(NamedTuple):
    """The connections by their `names`; without a profile there is one, called by its account."""

    names: Sequence[str]
    resolve: Resolve

    def shared_by(self, runs: int) -> "ExportConnections":
        """The same for one of so many runs at the same time, which share the limits that nobody set."""
        return self._replace(resolve=lambda name: self.resolve(name).shared_by(runs))


def selected(context: CommandContext, options: ExportOptions) -> ExportConnections:
    """The connections that the options select. Raises ConfigError, UsageError."""
    runtime, patterns = context.runtime, options.profile
    config = file.read(runtime)
    flags = overrides(options)._replace(output=None)
    if patterns:
        names = profiles.select(config, patterns)
        # A format of files is none of output.
        run_settings.shared(runtime, config, flags)
        if profiles.is_several(patterns):
            selection.check_account(options.account_id)
        selection.note_same_of(runtime, config, options.replaced(output=None), names)
    else:
        only = own_account.resolved(flags, runtime, config)
        names = [only.profile or only.reachable()[1]]

    @cache
    def resolve(name: str) -> Settings:
        return own_account.resolved(flags._replace(profile=name if patterns else None), runtime, config)

    return ExportConnections(names, resolve)


def opener(
    context: CommandContext, options: ExportOptions, found: ExportConnections, readers: FairReaders
) -> Callable[[str], Connection]:
    """A function that gives each connection. It raises what `resolve` raises, and ConfigError without a token."""

    @cache
    def connect(name: str) -> Connection:
        resolved = found.resolve(name)
        readers.clients.token(resolved)
        call = Call(context.runtime, context.catalogue, resolved, OperationOptions(query=options.query))

        def open_client() -> Client:
            return readers.clients.open(
                resolved, name=name if len(found.names) > 1 else None, patience=Patience.ENDLESS
            )

        return Connection(name, lambda operation: builder.operation_request(call, operation), open_client)

    return connect
