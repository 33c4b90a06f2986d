"""`unified connections add`: add a profile for each connection that has none. If any is
invalid, no profile is added.
"""

import re
import shlex
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from unified_cli import os_limits
from unified_cli.call.connection_record import ConnectionRecord
from unified_cli.cli import prompt
from unified_cli.cli.command import CommandContext
from unified_cli.cli.result_table import TerminalTable, show
from unified_cli.commands.connections import listed
from unified_cli.commands.connections.command import AddConnectionsOptions
from unified_cli.config import edit, file, resolution
from unified_cli.config.address import SANDBOX
from unified_cli.config.edit import Draft
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import OWN_ACCOUNT, Settings
from unified_cli.errors import IncompleteError, UsageError
from unified_cli.masking import excerpt, is_harmless, masked, visible
from unified_cli.output import stdout
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime
from unified_cli.values import Toml, TomlTable

_MOST_PRINTED, _MOST_ASKED = 10, 3
# Sources of a token that several profiles may name.
_COPIED = ("keyring", "token_file", "token_command")
_EVERY = "'*'"
_LONGEST_NAME = 64
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_ID = re.compile(r"""[^\s/\\?#%{}\[\]"]{1,255}""")
# `me` means the token's own connection. The other words are folders in a path.
_NO_IDS = (OWN_ACCOUNT, ".", "..")
_HEADS = ("profile", "id", "product", "tenant", "status")


def run(context: CommandContext, options: AddConnectionsOptions) -> None:
    """Add a profile for each connection that has none.

    Raises UsageError if two profiles would have the same name, and IncompleteError for
    connections that jq cannot represent.
    """
    runtime, service = context.runtime, context.catalogue.service
    settings = listed.settings(context, options, may_be_new=True)
    connections = listed.list_connections(context, settings, options)
    listed.save_facts(context, settings, connections)
    known = listed.profiles_by_account(runtime, settings, may_be_new=True)
    wanted, missing = listed.filter_with_jq(context, connections, options.where)
    new = [record for record in wanted if record.id and record.id not in known]
    _check_ids(new)
    names = _named(new, options.prefix, file.read(runtime, may_be_new=True))
    rows = [
        [*map(visible, (name, item.id, item.product, item.tenant, item.state.in_words(service)))]
        for name, item in names.items()
    ]
    present = {connection.id for connection in connections}
    asked = listed.profiles_by_account(runtime, settings, same_token=True, may_be_new=True)
    gone = [name for account, of_it in asked.items() if account not in present for name in of_it]
    if gone and not options.query:
        runtime.stderr.note(f"no longer listed: {_first_names(gone)} (unified profile remove NAME)")
    if not names:
        runtime.stderr.note(
            f"nothing to add: {counted(len(wanted), 'connection')}, all with a profile"
        )
    asks = bool(rows) and not (options.dry_run or options.yes)
    if asks and prompt.at_terminal(runtime, no_input=settings.no_input):
        # A pager would hide the question.
        stdout.bypass_pager(runtime)
        _show(runtime, rows)
    if names and not options.dry_run:
        common = _common(runtime, settings)
        number = counted(len(names), "profile")
        what = f"add {number}{common.token_name}: {named([*names], _MOST_ASKED)}"
        prompt.confirm(runtime, what, "nothing added", yes=options.yes, no_input=settings.no_input)
        _write(runtime, common, names, options)
    if rows and not asks:
        _show(runtime, rows)
    if missing:
        raise IncompleteError("; ".join(missing))


def _show(runtime: Runtime, rows: list[list[str]]) -> None:
    # Leave out product and tenant, because the profile names contain them.
    table = TerminalTable(
        ("PROFILE", "STATUS", "ID"), [[*map(masked, (row[0], row[4], row[1]))] for row in rows]
    )
    show(runtime, None, _HEADS, rows, None, apart=2, on_terminal=table)


def _check_ids(connections: list[ConnectionRecord]) -> None:
    """Raise UsageError for ids that cannot be sent."""
    odd = [
        connection.id
        for connection in connections
        if connection.id in _NO_IDS
        or not (_ID.fullmatch(connection.id) and is_harmless(connection.id))
    ]
    if odd:
        shown = named([excerpt(name, _LONGEST_NAME) for name in odd], _MOST_PRINTED)
        raise UsageError(
            f"nothing added: no profile can name the connection with the id {shown}",
            hint="select other connections with --where",
        )


def _named(
    connections: list[ConnectionRecord], prefix: str, config: Config
) -> Mapping[str, ConnectionRecord]:
    """Return a profile name for each connection.

    Raises UsageError if the names would not be unique.
    """
    named: defaultdict[str, list[ConnectionRecord]] = defaultdict(list)
    for connection in connections:
        named[_name(connection, prefix)].append(connection)
    used = {
        name: of_it for name, of_it in named.items() if len(of_it) > 1 or name in config.profiles
    }
    if used:
        first = next(iter(used.values()))[0]
        clashes = "; ".join(_collision(name, of_it, config) for name, of_it in used.items())
        apart = f"unified profile add NAME -a {visible(first.id)}"
        raise UsageError(
            f"nothing added: {clashes}",
            hint=(
                f"{apart} gives a connection another name; then run this again. Or select other"
                " connections with --where"
            ),
        )
    return {name: of_it[0] for name, of_it in named.items()}


def _collision(name: str, of_it: list[ConnectionRecord], config: Config) -> str:
    who = (
        "belongs to a profile already"
        if name in config.profiles
        else f"would belong to several connections: {_first_names([item.id for item in of_it])}"
    )
    return f'the name "{name}" {who}'


def _name(connection: ConnectionRecord, prefix: str) -> str:
    words = "-".join(filter(None, (connection.tenant, connection.product))) or connection.id
    safe = _safe(f"{prefix}{words}")[:_LONGEST_NAME]
    if not safe:
        raise UsageError(
            f'no profile name can be made of connection "{visible(connection.id)}"',
            hint="--prefix NAME",
        )
    return safe


class _Common(NamedTuple):
    """The keys of each new profile. `token_name` names the token in the question."""

    keys: TomlTable
    token_name: str


def _common(runtime: Runtime, settings: Settings) -> _Common:
    """Return the keys that each new profile needs besides its account.

    These are the address and the token source that listed the connections, unless they
    are at the top of the config file.
    """
    config = file.read(runtime, may_be_new=True)
    top = {name: value for name, value in config.top.items() if name != "profile"}
    inherited = resolution.resolve(
        Overrides(), runtime._replace(environ={}), Config(config.path, top)
    )
    keys: dict[str, Toml] = {}
    address, token = settings.address, settings.token
    if address and inherited.address != address:
        keys["base_url"] = SANDBOX if address.is_sandbox else str(address)
    is_flag, is_own = (bool(token and token.source.startswith(name)) for name in ("--", "profile "))
    if token is None or token.kind not in _COPIED or not (is_flag or is_own):
        return _Common(keys, "")
    if token.kind == "keyring":
        keys["keyring"] = token.profile or True
    else:
        keys[token.kind] = str(os_limits.absolute(Path(token.detail))) if is_flag else token.detail
    return _Common(keys, f" with the token of {token.source}")


def _safe(text: str) -> str:
    return _UNSAFE.sub("-", text).lstrip("._-")


def _write(
    runtime: Runtime,
    common: _Common,
    names: Mapping[str, ConnectionRecord],
    options: AddConnectionsOptions,
) -> None:
    values = {**({"tags": [*options.tag]} if options.tag else {}), **common.keys}

    def alter(draft: Draft) -> None:
        for name, connection in names.items():
            draft.add(name, {"account_id": connection.id, **values})

    path = edit.change(runtime, alter, touched=names)
    runtime.stderr.note(f"added {counted(len(names), 'profile')} to {path}")
    first, selected = next(iter(names)), _selected(names, options)
    token = resolution.resolve(Overrides(first), runtime, file.read(runtime)).token
    if token is None or token.kind == "environment":
        state = (
            "they have no token yet" if token is None else f"they have no token but {token.source}"
        )
        shared = "base_url" not in values or selected == _EVERY
        whose = "--shared stores one for all" if shared else f"{selected} stores one"
        runtime.stderr.note(f"{state} (unified profile login {whose})")
    runtime.stderr.note(f"try them: unified profile test {selected}")


def _selected(names: Mapping[str, ConnectionRecord], options: AddConnectionsOptions) -> str:
    """Return the words that select the new profiles, for a shell."""
    if len(names) == 1:
        return next(iter(names))
    prefix = _safe(options.prefix)
    return shlex.quote(f"tag:{options.tag[0]}") if options.tag else shlex.quote(f"{prefix}*")


def _first_names(names: list[str]) -> str:
    return named([*map(visible, names)], _MOST_PRINTED)
