"""Resolve the settings of a connection, or of a whole command.

A connection's own token does not name its connection, so the account id is requested
from the service.
"""

from contextlib import closing

from unified_cli import hints
from unified_cli.catalogue import load
from unified_cli.cli.choices import meant_value
from unified_cli.config import resolution
from unified_cli.config.file import Config
from unified_cli.config.keys import KEYS, Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, ServiceError, UnifiedError
from unified_cli.fleet.clients import Clients
from unified_cli.http import request as requests
from unified_cli.json_text import members
from unified_cli.output import formats
from unified_cli.runtime import Runtime

# These status codes may mean that the token does not belong to a single connection.
_NOT_OWN = (400, 403, 404)


def common_settings(runtime: Runtime, config: Config, flags: Overrides) -> Settings:
    """Return the settings that several connections share.

    They are from flags, the environment and the top of the config file. Also applies
    the settings for messages. Raises the same errors as `apply_to_messages`.
    """
    top = {name: value for name, value in config.top.items() if name != "profile"}
    environ = {
        name: value for name, value in runtime.environ.items() if name != KEYS["profile"].variable
    }
    result = resolution.resolve(flags, runtime._replace(environ=environ), Config(config.path, top))
    apply_to_messages(runtime, result)
    return result


def apply_to_messages(runtime: Runtime, settings: Settings) -> None:
    """Apply the settings for messages. Raises ConfigError if the output format is
    unknown.
    """
    output = settings.values["output"]
    if output.value not in formats.SETTINGS:
        meant = meant_value(str(output.value), formats.SETTINGS)
        hint = f'did you mean "{meant}"?' if meant else f"there are {', '.join(formats.SETTINGS)}"
        raise ConfigError(f"{output.source}: no output format {output.value!r}", hint=hint)
    runtime.stderr.quiet = settings.quiet
    # main has already checked the command line for JSON, but the profile may also
    # select it.
    if settings.output.json and output.source != "default" and not runtime.stderr_is_terminal:
        runtime.stderr.machine = True


def resolved(flags: Overrides, runtime: Runtime, config: Config) -> Settings:
    """Return the settings of a connection, including its account id."""
    return identified(resolution.resolve(flags, runtime, config), flags, runtime)


def identified(found: Settings, flags: Overrides, runtime: Runtime) -> Settings:
    """Return the settings with the account id of the connection.

    If the token is the connection's own, requests the id from the service. Caches,
    journals and exports need it, because `me` means a different connection for each
    token. In a dry run, the id stays `me`. Raises the errors of a request.
    """
    address = found.address
    if not found.is_own or flags.shown or address is None:
        return found

    catalogue = load()
    path = catalogue.service.connections.own
    with Clients(runtime, catalogue) as clients:
        token = clients.token(found)
        if source := found.token:
            # Keep the token: some sources, such as standard input, can be read only
            # once.
            found = found._replace(
                token=source._replace(kind="environment", detail=token, source=source.words)
            )
        with closing(clients.open(found, token)) as client:
            try:
                body = client.send(requests.for_service(address, path, ())).body or b""
            except UnifiedError as error:
                if error.status in _NOT_OWN:
                    error.add_hint(hints.ONLY_OWN)
                raise
    account = members.text((members.parts(body.strip()) or {}).get("id"))
    if not account:
        raise ServiceError(
            f"the answer does not say which connection it is (GET {path})", retryable=False
        )
    return found._replace(account_id=account)
