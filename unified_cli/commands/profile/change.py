"""`unified profile add`, `set`, `use` and `remove`: what changes the configuration."""

import inspect
from typing import Annotated, Any

import typer

from unified_cli.cli import prompt
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.options import FLAGS, Flag, argument
from unified_cli.commands.profile import guide
from unified_cli.commands.profile.profile_options import build, may_ask
from unified_cli.commands.profile.profile_values import SETTABLE, known, missing_file, new_name, parse, read_assignments
from unified_cli.config import edit, file
from unified_cli.config.credentials import login, origin_check
from unified_cli.config.credentials.token import TokenSource
from unified_cli.config.draft import Draft
from unified_cli.config.keys import KEYS
from unified_cli.errors import UsageError
from unified_cli.runtime import Runtime

PROFILE = "Profile"
_BORROWED = ("account_id", "base_url", "token_file", "ca_bundle", "timeout", "retries", "rate")
_LENT = [FLAGS[name]._replace(group=PROFILE, help=KEYS[name].about) for name in _BORROWED]
_OWN = (
    Flag("token_command", ("--token-command",), str, PROFILE, "the program that prints the token", '\'["…", "…"]\''),
    Flag("keyring", ("--keyring",), bool, PROFILE, "the token is in this machine's keyring"),
    Flag("tags", ("--tag",), list[str], PROFILE, "put it into a group, for -p tag:NAME", "NAME"),
    Flag("read_only", ("--read-only",), bool, PROFILE, "refuse every write"),
)
_ADD = (*_LENT, *_OWN)
_NAME = argument("name", "the profile's name")
_YES = Flag("yes", ("-y", "--yes"), bool, PROFILE, "do not ask before removing")
_NONE = Flag("none", ("--none",), bool, PROFILE, "use no profile when none is named")
_KEYS = ("Keys", [(key.name, key.about) for key in SETTABLE.values()])


def _assignments(*, required: bool) -> inspect.Parameter:
    metavar = "KEY=VALUE…" if required else "[KEY=VALUE…]"
    kind: Any = list[str] if required else list[str] | None
    annotation: Any = Annotated[kind, typer.Argument(metavar=metavar)]
    default = inspect.Parameter.empty if required else None
    return inspect.Parameter("assignments", inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def add_command(about: str, context: CommandContext) -> Any:
    """`profile add`."""
    runtime, complete = context.runtime, context.complete
    return build(
        "add",
        about,
        lambda given: _add(runtime, given),
        runtime=runtime,
        complete=complete,
        usage="NAME [KEY=VALUE…]",
        example="unified profile add acme -a 62f44730-dd91-461e-bd6a-aedd9e0ad79d --tag prod",
        arguments=[_NAME, _assignments(required=False)],
        flags=_ADD,
        more=[
            "Whatever the profile leaves open comes from the top of the file. The default profile stays what it is.",
            "On a terminal, a name alone starts a few questions.",
        ],
    )


def set_command(about: str, context: CommandContext) -> Any:
    """`profile set`."""
    runtime, complete = context.runtime, context.complete
    return build(
        "set",
        about,
        lambda given: _set(runtime, given),
        runtime=runtime,
        complete=complete,
        usage="NAME KEY=VALUE…",
        example="unified profile set acme tags=prod,eu read_only=true timeout=",
        takes=("profile", "|".join(f"{key}=" for key in SETTABLE)),
        arguments=[_NAME, _assignments(required=True)],
        more=[
            "An empty value unsets the key.",
            "A base URL of another origin is refused while login keeps the token in a file: log out first.",
            "If the token is in a file of your own or in the keyring, a warning says so.",
        ],
        sections=[_KEYS],
    )


def use_command(about: str, context: CommandContext) -> Any:
    """`profile use`."""
    runtime, complete = context.runtime, context.complete
    return build(
        "use",
        about,
        lambda given: _use(runtime, given),
        runtime=runtime,
        complete=complete,
        usage="NAME",
        example="unified profile use acme",
        takes=("profile",),
        arguments=[argument("name", "the profile's name", required=False)],
        flags=[_NONE],
        more=["-p NAME and UNIFIED_PROFILE name one for a single call or shell, and change nothing for others."],
    )


def remove_command(about: str, context: CommandContext) -> Any:
    """`profile remove`."""
    runtime, complete = context.runtime, context.complete
    return build(
        "remove",
        about,
        lambda given: _remove(runtime, given),
        runtime=runtime,
        complete=complete,
        usage="NAME",
        example="unified profile remove acme",
        takes=("profile",),
        arguments=[_NAME],
        flags=[_YES],
    )


def _add(runtime: Runtime, given: dict[str, Any]) -> None:
    name = new_name(given["name"])
    flags = {flag.name: given[flag.name] for flag in _ADD if given.get(flag.name)}
    values = {key: parse(key, value) for key, value in flags.items()}
    for key, value in read_assignments(given.get("assignments") or ()).items():
        if key in values:
            raise UsageError(f"{key} is given twice, as an option and as {key}=…")
        if value is not None:
            values[key] = value
    guided = not values and may_ask(runtime, given)
    if guided:
        config = file.read(runtime)
        if name not in config.profiles:
            values = guide.values(runtime, config.top)
    path = edit.change(runtime, lambda draft: draft.add(name, values), touched=[name])
    runtime.stderr.note(f'added profile "{name}" to {path}')
    if told := missing_file(values, runtime):
        runtime.stderr.note(f"warning: {told}")
    if guided:
        guide.sign_in(runtime, name)


def _set(runtime: Runtime, given: dict[str, Any]) -> None:
    name, values = _existing(given["name"]), read_assignments(given["assignments"])

    def alter(draft: Draft) -> None:
        table = draft.table(name)
        for key, value in values.items():
            if value is None and key not in table:
                known(key)
        before = {**table}
        draft.set(name, values)
        warning[:] = [origin_check.check(runtime, name, before, table, draft.data)]

    warning: list[str | None] = []
    path = edit.change(runtime, alter, touched=[name])
    runtime.stderr.note(f'changed profile "{name}" in {path}')
    for told in filter(None, (warning[0], missing_file(values, runtime))):
        runtime.stderr.note(f"warning: {told}")


def _use(runtime: Runtime, given: dict[str, Any]) -> None:
    name = given.get("name")
    if (name is None) is not bool(given.get("none")):
        raise UsageError("unified profile use NAME chooses a profile, unified profile use --none chooses none")

    def alter(draft: Draft) -> None:
        if name not in (None, file.RESERVED):
            draft.table(name)
        draft.set(None, {"profile": name})

    path = edit.change(runtime, alter)
    what = f'profile "{name}" is' if name else "no profile is"
    runtime.stderr.note(f"{what} used from now on when none is named ({path})")


def _remove(runtime: Runtime, given: dict[str, Any]) -> None:
    name = _existing(given["name"])
    if not given.get("yes") and may_ask(runtime, given) and not prompt.ask(runtime, f'remove profile "{name}"?'):
        raise UsageError("not removed")

    def alter(draft: Draft) -> None:
        if draft.data.get("profile") == name:
            raise UsageError(f'"{name}" is the default profile (first unified profile use OTHER, or --none)')
        stored[:] = login.traces(runtime, name, draft.table(name), draft.data)
        draft.remove(name)

    stored: list[TokenSource] = []
    path = edit.change(runtime, alter)
    runtime.stderr.note(f'removed profile "{name}" from {path}')
    for token in stored:
        login.forget_and_tell(runtime, token, "its token")


def _existing(name: str) -> str:
    if name == file.RESERVED:
        raise UsageError(f'the profile "{name}" is built in and cannot be changed')
    return name
