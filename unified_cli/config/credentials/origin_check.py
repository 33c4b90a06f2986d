"""Check that a change of a profile's base URL does not send its token to another origin."""

from unified_cli.config.credentials import login
from unified_cli.config.credentials.token import keyring_user
from unified_cli.config.paths import exists, expand
from unified_cli.errors import UnsafeError
from unified_cli.json_text.values import TomlTable
from unified_cli.runtime import Runtime


def check(runtime: Runtime, name: str | None, before: TomlTable, after: TomlTable, top: TomlTable) -> str | None:
    """The warning about a changed profile's table, or that of the shared token if `name` is None; None without one.

    Raises UnsafeError if login stored the token in a file of ours or in the config file: it would be sent to another
    origin without the user's consent.
    """
    token = login.stored(name, after, top)
    was = login.stored(name, before, top)
    if token is None or was is None or (token.kind, token.detail) != (was.kind, was.detail):
        return None
    if was.origin is None or was.origin == token.origin:
        return None
    whose = f"the token of profile {name}" if name else "the shared token"
    command = f"unified profile {{}} {name or '--shared'}"
    login_command = command.format("login")
    if token.kind == "keyring":
        entry = keyring_user(name, was.origin)
        return f"the keyring has the token for {was.origin} only (entry {entry}; {login_command} stores another)"
    path = expand(token.detail, runtime.environ) if token.kind == "token_file" else None
    if path is not None and not exists(path):
        return None
    if path is None or login.is_ours(runtime, name, path):
        raise UnsafeError(
            f"{whose} was stored for {was.origin} and would be sent elsewhere",
            hint=f"{command.format('logout')}, then set it, then {login_command}",
        )
    target = token.origin or "whatever UNIFIED_BASE_URL says"
    return f"the token in {path} was for {was.origin} and goes to {target} from now on ({login_command} replaces it)"
