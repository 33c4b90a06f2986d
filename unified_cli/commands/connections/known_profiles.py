"""Which profiles lead to which connections of a service."""

from collections import defaultdict

from unified_cli.config import file, resolution
from unified_cli.config.overrides import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError
from unified_cli.runtime import Runtime


def profiles_by_account(runtime: Runtime, service: Settings) -> defaultdict[str, list[str]]:
    """The names of the profiles by account id, of those with the origin of these settings."""
    config = file.read(runtime)
    # The process's environment decodes a variable at each access.
    runtime = runtime._replace(environ={**runtime.environ})
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in config.profiles:
        try:
            one = resolution.resolve(Overrides(name), runtime, config)
        except UnifiedError:
            # `profile list` says what is wrong with it; it leads nowhere.
            continue
        if one.account_id and one.address and service.address and one.address.origin == service.address.origin:
            found[one.account_id].append(name)
    return found
