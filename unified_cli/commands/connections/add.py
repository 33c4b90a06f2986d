"""`unified connections add`: a profile for each connection that has none, all at once
or none.
"""

import re
from collections import defaultdict
from collections.abc import Mapping

from unified_cli.call.connection_record import ConnectionRecord
from unified_cli.cli import prompt
from unified_cli.cli.command import CommandContext
from unified_cli.cli.result_table import show
from unified_cli.commands.connections import listed
from unified_cli.commands.connections.command import AddConnectionsOptions
from unified_cli.config import edit, file, resolution
from unified_cli.config.address import SANDBOX
from unified_cli.config.edit import Draft
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import OWN_ACCOUNT, Settings
from unified_cli.errors import IncompleteError, UsageError
from unified_cli.masking import excerpt, is_harmless, visible
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime
from unified_cli.values import Toml

_MOST_TOLD = 10
_LONGEST_NAME = 64
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_ID = re.compile(r"""[^\s/\\?#%{}\[\]"]{1,255}""")
# The name of a token's own connection, and the names of folders in paths.
_NO_IDS = (OWN_ACCOUNT, ".", "..")
_HEADS = ("profile", "id", "product", "tenant", "status")


def run(context: CommandContext, options: AddConnectionsOptions) -> None:
    """Add a profile for each connection without one.

    Raises UsageError if names would be the same, IncompleteError for connections that
    jq cannot hold.
    """
    runtime, service = context.runtime, context.catalogue.service
    settings = listed.settings(context, options)
    found = listed.listed(context, settings, options)
    listed.keep(context, settings, found)
    known = listed.profiles_by_account(runtime, settings)
    wanted, missing = listed.chosen(context, found, options.where)
    new = [one for one in wanted if one.id and one.id not in known]
    _check_ids(new)
    names = _named(new, options.prefix, file.read(runtime))
    rows = [
        [*map(visible, (name, one.id, one.product, one.tenant, one.state.in_words(service)))]
        for name, one in names.items()
    ]
    if rows:
        show(runtime, None, _HEADS, rows, None, apart=1)
    present = {one.id for one in found}
    asked = listed.profiles_by_account(runtime, settings, same_token=True)
    gone = [name for account, of_it in asked.items() if account not in present for name in of_it]
    if gone and not options.query:
        runtime.stderr.note(f"not listed any more: {_some(gone)} (unified profile remove NAME)")
    if not names:
        runtime.stderr.note(
            f"nothing to add: {counted(len(wanted), 'connection')}, each with a profile"
        )
    elif not options.dry_run:
        what = f"add {counted(len(names), 'profile')}"
        prompt.confirm(runtime, what, "nothing added", yes=options.yes, no_input=settings.no_input)
        _write(runtime, settings, names, options.tag)
    if missing:
        raise IncompleteError("; ".join(missing))


def _check_ids(found: list[ConnectionRecord]) -> None:
    """Raise UsageError, naming them, for ids that no request may be sent with."""
    odd = [
        one.id
        for one in found
        if one.id in _NO_IDS or not (_ID.fullmatch(one.id) and is_harmless(one.id))
    ]
    if odd:
        shown = named([excerpt(one, _LONGEST_NAME) for one in odd], _MOST_TOLD)
        raise UsageError(
            f"nothing added: no profile can name the connection with the id {shown}",
            hint="--where selects others",
        )


def _named(
    found: list[ConnectionRecord], prefix: str, config: Config
) -> Mapping[str, ConnectionRecord]:
    """Return a name for each connection.

    Raises UsageError, naming them, where two would have the same.
    """
    named: defaultdict[str, list[ConnectionRecord]] = defaultdict(list)
    for one in found:
        named[_name(one, prefix)].append(one)
    taken = {
        name: of_it for name, of_it in named.items() if len(of_it) > 1 or name in config.profiles
    }
    if taken:
        first = next(iter(taken.values()))[0]
        said = "; ".join(_collision(name, of_it, config) for name, of_it in taken.items())
        apart = f"unified profile add NAME -a {visible(first.id)}"
        raise UsageError(
            f"nothing added: {said}",
            hint=(
                f"{apart} gives one another name; run this again after it, or select others with"
                " --where"
            ),
        )
    return {name: of_it[0] for name, of_it in named.items()}


def _collision(name: str, of_it: list[ConnectionRecord], config: Config) -> str:
    who = (
        "a profile has this name already"
        if name in config.profiles
        else f"of {_some([one.id for one in of_it])}"
    )
    return f'the name "{name}" would not be the only one, {who}'


def _name(one: ConnectionRecord, prefix: str) -> str:
    words = "-".join(filter(None, (one.tenant, one.product))) or one.id
    safe = _UNSAFE.sub("-", f"{prefix}{words}").lstrip("._-")[:_LONGEST_NAME]
    if not safe:
        raise UsageError(
            f'no profile name can be made of connection "{visible(one.id)}"', hint="--prefix NAME"
        )
    return safe


def _write(
    runtime: Runtime,
    settings: Settings,
    names: Mapping[str, ConnectionRecord],
    tags: tuple[str, ...],
) -> None:
    inherited = resolution.resolve(
        Overrides(), runtime._replace(environ={}), file.read(runtime)._replace(profiles={})
    )
    values: dict[str, Toml] = {"tags": [*tags]} if tags else {}
    address = settings.address
    if address and inherited.address != address:
        values["base_url"] = SANDBOX if address.is_sandbox else str(address)

    def alter(draft: Draft) -> None:
        for name, one in names.items():
            draft.add(name, {"account_id": one.id, **values})

    path = edit.change(runtime, alter, touched=names)
    runtime.stderr.note(f"added {counted(len(names), 'profile')} to {path}")
    first = next(iter(names))
    token = resolution.resolve(Overrides(first), runtime, file.read(runtime)).token
    if token is None or token.kind == "environment":
        whose = f"profile login {first}" if "base_url" in values else "profile login --shared"
        state = (
            "they have no token yet" if token is None else f"they have no token but {token.source}"
        )
        runtime.stderr.note(
            f"{state} (unified {whose} stores one{'' if 'base_url' in values else ' for all'})"
        )


def _some(names: list[str]) -> str:
    return named([*map(visible, names)], _MOST_TOLD)
