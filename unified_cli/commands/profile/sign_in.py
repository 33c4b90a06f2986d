"""`unified profile login` and `logout`: put a token where it is safe, and take it away again."""

from typing import Any

from unified_cli.cli import terminal_input
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.options import FLAGS, Flag, argument
from unified_cli.commands.profile.profile_options import build, may_ask
from unified_cli.config import edit, file
from unified_cli.config.credentials import login, token as secrets
from unified_cli.config.credentials.token import TokenSource
from unified_cli.config.draft import Draft
from unified_cli.errors import UsageError
from unified_cli.runtime import Runtime

_GROUP = "Profile"
_STORES = tuple(login.STORES)
_STORE = Flag("store", ("--store",), str, _GROUP, "where to keep it", "PLACE", choices=_STORES)
_SHARED = Flag("shared", ("--shared",), bool, _GROUP, "the token of every profile that has none of its own")
_NAME = argument("name", "the profile's name", required=False)


def login_command(about: str, context: CommandContext) -> Any:
    """`profile login`."""
    runtime, complete = context.runtime, context.complete
    return build(
        "login",
        about,
        lambda given: _login(runtime, given),
        runtime=runtime,
        complete=complete,
        usage="NAME|--shared",
        example="unified profile login acme",
        takes=("profile",),
        arguments=[_NAME],
        flags=[_STORE, _SHARED, FLAGS["token_stdin"]],
        more=[
            "Asks for the token without showing it, or reads it from standard input.",
            "It goes where the profile says, else to the keyring; config is plain text in the config file.",
        ],
    )


def logout_command(about: str, context: CommandContext) -> Any:
    """`profile logout`."""
    runtime, complete = context.runtime, context.complete
    return build(
        "logout",
        about,
        lambda given: _logout(runtime, given),
        runtime=runtime,
        complete=complete,
        usage="NAME|--shared",
        example="unified profile logout acme",
        takes=("profile",),
        arguments=[_NAME],
        flags=[_SHARED],
        more=["A profile whose token was in the keyring or in a file goes on looking there, and nowhere else."],
    )


def _login(runtime: Runtime, given: dict[str, Any]) -> None:
    name, wanted = _whom(given), given.get("store")
    if wanted is not None and wanted not in _STORES:
        raise UsageError(f"no place {wanted!r} for a token (--store takes {', '.join(_STORES)})")
    place = login.choose(runtime, name, wanted)
    login.check(place)
    token = secrets.checked(_typed(runtime, given, name), "the token", runtime)
    if place.store == "config":
        runtime.stderr.note("warning: the config file keeps the token in plain text (--store keyring is safer)")
    where = login.keep(runtime, place, token)
    runtime.stderr.note(f"the {_of(name)} is {where}")


def _typed(runtime: Runtime, given: dict[str, Any], name: str | None) -> bytes:
    if given.get("token_stdin"):
        return secrets.read_whole(runtime)
    if not may_ask(runtime, given):
        raise UsageError("there is no terminal to ask at (--token-stdin reads the token from standard input)")
    return terminal_input.hidden(runtime, f"{_of(name)} (it is not shown): ")


def _logout(runtime: Runtime, given: dict[str, Any]) -> None:
    name = _whom(given)
    config = file.read(runtime)
    table = Draft({"profiles": config.profiles}).table(name) if name else config.top
    tokens = [*login.traces(runtime, name, table, config.top)]
    if not tokens:
        raise UsageError(f"nothing is kept here as {_of(name)} (unified profile show tells where it comes from)")
    for token in tokens:
        runtime.stderr.note(f"the {_of(name)} is {_forget(runtime, token)}")


def _forget(runtime: Runtime, token: TokenSource) -> str:
    if token.kind == "token":
        edit.change(runtime, lambda draft: draft.set(token.profile, {"token": None}))
    return login.forget(runtime, token)


def _whom(given: dict[str, Any]) -> str | None:
    name: str | None = given.get("name")
    if (name is None) is not bool(given.get("shared")):
        raise UsageError("whose token? (a profile's name, or --shared for those that have none of their own)")
    if name == file.RESERVED:
        raise UsageError("the sandbox has a token of its own")
    return name


def _of(name: str | None) -> str:
    return f'token of profile "{name}"' if name else "shared token"
