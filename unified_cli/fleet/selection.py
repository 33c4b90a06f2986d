"""Select the connections of `-p` for commands that accept several.

They are checked before anything is sent.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from unified_cli.cli.option_parts import ConnectionOptions
from unified_cli.cli.options import overrides
from unified_cli.config import profiles
from unified_cli.config.file import Config
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError, UnsafeError, UsageError
from unified_cli.fleet import own_account
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime

Selected = Mapping[str, Settings]
"""The settings of each connection, by profile name."""


def for_writes(runtime: Runtime, config: Config, options: ConnectionOptions) -> Selected:
    """Return the selected connections for a write, each only once.

    Raises ConfigError if a connection has no address or no account, UsageError if two
    profiles lead to the same connection, and UnsafeError if a profile is read-only.
    """
    selected = _resolved(runtime, config, options)
    if same := same_connection(selected):
        hint = f"-p '!{same[0][-1]}' excludes one of them"
        raise UsageError(f"nothing was sent: {_same_in_words(same)}", hint=hint)
    if closed := [name for name, settings in selected.items() if settings.read_only]:
        what = (
            f"{counted(len(closed), 'profile')} of {len(selected)}"
            f" {'is' if len(closed) == 1 else 'are'} read-only"
        )
        hint = f"-p '!{closed[0]}' excludes this profile"
        raise UnsafeError(f"nothing was sent: {what}: {', '.join(closed)}", hint=hint)
    return selected


def for_reads(runtime: Runtime, config: Config, options: ConnectionOptions) -> Selected:
    """Return the selected connections.

    Prints a note about profiles of the same connection. Raises ConfigError if a
    connection has no address or no account, and UsageError if `-a` is given.
    """
    selected = _resolved(runtime, config, options)
    note_same(runtime, selected)
    return selected


def _resolved(runtime: Runtime, config: Config, options: ConnectionOptions) -> Selected:
    check_account(options.account_id)
    # Copy the environment, because each access to a variable decodes it again.
    runtime = runtime._replace(environ={**runtime.environ})
    names = profiles.select(config, options.profile)
    selected = {
        name: own_account.resolved(overrides(options, name), runtime, config) for name in names
    }
    for settings in selected.values():
        settings.reachable()
    return selected


def check_account(account: str | None) -> None:
    """Raise UsageError if an account is given for several connections."""
    if account:
        raise UsageError("-a names one connection, but -p names several (leave out -a or -p)")


def note_same_of(
    runtime: Runtime, config: Config, options: ConnectionOptions, names: Sequence[str]
) -> None:
    """Print a note about profiles of the same connection.

    The connection will be read once for each profile.
    """
    # Connections that cannot be resolved are reported when they are called.
    selected, _ = resolve_each(runtime, config, options, names)
    note_same(runtime, selected)


def read_once(
    runtime: Runtime, config: Config, options: ConnectionOptions, names: Sequence[str]
) -> list[str]:
    """Return one profile for each connection.

    Prints a note about profiles of the same connection.
    """
    selected, _ = resolve_each(runtime, config, options, names)
    for same in same_connection(selected):
        runtime.stderr.note(
            f"{named(same)} are the same connection, which is read once, as {same[0]}"
        )
        names = [name for name in names if name not in same[1:]]
    return [*names]


def resolve_each(
    runtime: Runtime, config: Config, options: ConnectionOptions, names: Sequence[str]
) -> tuple[Selected, Mapping[str, UnifiedError]]:
    """Return the settings of the usable profiles, and the errors of the others."""
    runtime = runtime._replace(environ={**runtime.environ})
    selected: dict[str, Settings] = {}
    wrong: dict[str, UnifiedError] = {}
    for name in names:
        try:
            settings = own_account.resolved(overrides(options, name), runtime, config)
            settings.reachable()
        except UnifiedError as error:
            wrong[name] = error
        else:
            selected[name] = settings
    return selected, wrong


def note_same(runtime: Runtime, selected: Selected) -> None:
    """Print one note about selected profiles of the same connection.

    The connection will be read once for each profile.
    """
    if same := same_connection(selected):
        runtime.stderr.note_once(_same_in_words(same))


def same_connection(selected: Selected) -> list[list[str]]:
    """Return the groups of profiles with the same origin and account."""
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for name, settings in selected.items():
        if settings.address and settings.account_id:
            found[settings.address.origin, settings.account_id].append(name)
    return [names for names in found.values() if len(names) > 1]


def _same_in_words(same: Sequence[Sequence[str]]) -> str:
    return "; ".join(f"{named(names)} are the same connection" for names in same)
