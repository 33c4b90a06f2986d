"""`unified profile rename`: rename a profile throughout the config file."""

import re
from typing import Any

from unified_cli.cli.command import CommandContext
from unified_cli.commands.profile.options import RenameOptions, existing
from unified_cli.commands.profile.values import new_name
from unified_cli.config import edit, file, login
from unified_cli.config.edit import Draft
from unified_cli.config.token import TokenSource
from unified_cli.errors import UsageError
from unified_cli.runtime import Runtime
from unified_cli.values import TomlTable

_BEFORE_PROFILE = r"""(?<!\S)((?:(?:-p|--profile|--from|--to)(?:\s+|=)|-p)['"]?!?)"""


def run(context: CommandContext, options: RenameOptions) -> None:
    """Rename a profile. Raises UsageError if the new name is taken."""
    runtime = context.runtime
    old, new = existing(options.name), new_name(options.new_name)
    config = file.read(runtime)
    token = _own_token(runtime, old, config.profiles.get(old, {}), config.top)

    def copy() -> None:
        if token is not None:
            login.copy(runtime, token, new)

    def alter(draft: Draft) -> None:
        if new in draft.profiles:
            raise UsageError(f'a profile named "{new}" already exists', hint="choose another name")
        users = login.declaring(runtime, token, draft) if token else []
        draft.rename(old, new)
        if token is not None and token.kind == "token_file":
            path = str(login.token_file(runtime, new))
            for user in users:
                draft.set(new if user == old else user, {"token_file": path})
        _rename_elsewhere(draft, old, new)

    path = edit.change(runtime, alter, touched=[new], first=copy)
    if token is not None:
        login.forget(runtime, token)
    runtime.stderr.note(f'profile "{old}" is "{new}" from now on ({path})')


def _rename_elsewhere(draft: Draft, old: str, new: str) -> None:
    if draft.data.get("profile") == old:
        draft.set(None, {"profile": new})
    for name, table in draft.profiles.items():
        if table.get("keyring") == old:
            draft.set(name, {"keyring": new})
    aliases = draft.data.get("alias", {})
    for name, text in {**aliases}.items():
        aliases[name] = _alias_with_new_name(text, old, new)


def _own_token(runtime: Runtime, name: str, table: TomlTable, top: TomlTable) -> TokenSource | None:
    if login.borrowed_key(runtime, name, table):
        return None
    token = login.stored(name, table, top)
    named = token and token.kind != "token" and login.is_stored_here(runtime, token)
    return token if named else None


def _alias_with_new_name(alias: Any, old: str, new: str) -> Any:
    if not isinstance(alias, str):
        return alias
    named = rf"{_BEFORE_PROFILE}{re.escape(old)}(?=['\"]?(?:\s|$))"
    return re.sub(named, lambda match: f"{match[1]}{new}", alias)
