"""The checks before an action that a connection's owner notices."""

from unified_cli import hints
from unified_cli.cli.options import overrides
from unified_cli.commands.connections.command import LinkOptions, RefreshOptions
from unified_cli.config import file, profiles, resolution
from unified_cli.errors import UnsafeError, UsageError
from unified_cli.plural import named
from unified_cli.runtime import Runtime


def check(runtime: Runtime, options: LinkOptions | RefreshOptions) -> None:
    """Raise UsageError if no profile is named.

    Raises UnsafeError if a profile has a connection's own token, because the service
    then refuses these actions.
    """
    if not options.profile:
        raise UsageError("no connection was given", hint="-p NAME")
    config = file.read(runtime)
    own = [
        name
        for name in profiles.select(config, options.profile)
        if resolution.resolve(overrides(options, name), runtime, config).is_own
    ]
    if own:
        raise UnsafeError(f"nothing was sent: {named(own)}", hint=hints.OWN_TOKEN)
