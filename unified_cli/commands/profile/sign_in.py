"""`unified profile login` and `logout`: put a token where it is safe, and take it away again."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from unified_cli.cli import terminal_input, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import PROFILE, Flag
from unified_cli.cli.shared_options import MessageOptions, TokenStdin
from unified_cli.commands.profile.profile_options import OptionalName, build, may_ask, page
from unified_cli.config import edit, file
from unified_cli.config.credentials import login, token as secrets
from unified_cli.config.credentials.token import TokenSource
from unified_cli.config.draft import Draft
from unified_cli.errors import UsageError
from unified_cli.runtime import Runtime

Store = Literal["keyring", "file", "config"]
Shared = Annotated[bool, Flag(("--shared",), PROFILE, "the token of every profile that has none of its own")]


@dataclass(frozen=True, kw_only=True)
class LoginOptions(MessageOptions):
    """Whose token, where it is to be kept, and where it is read from."""

    name: OptionalName = None
    store: Annotated[Store | None, Flag(("--store",), PROFILE, "where to keep it", "PLACE")] = None
    shared: Shared = False
    token_stdin: TokenStdin = False


@dataclass(frozen=True, kw_only=True)
class LogoutOptions(MessageOptions):
    """Whose token is to be removed."""

    name: OptionalName = None
    shared: Shared = False


def login_command(about: str, context: CommandContext) -> Any:
    """`profile login`."""
    more = [
        "Asks for the token without showing it, or reads it from standard input.",
        "It goes where the profile says, else to the keyring; config is plain text in the config file.",
    ]
    return build(
        context,
        tree.CommandSpec(
            "login",
            LoginOptions,
            lambda options: _login(context.runtime, options),
            lambda: page(about, "NAME|--shared", "unified profile login acme", more),
        ),
    )


def logout_command(about: str, context: CommandContext) -> Any:
    """`profile logout`."""
    more = ["A profile whose token was in the keyring or in a file goes on looking there, and nowhere else."]
    return build(
        context,
        tree.CommandSpec(
            "logout",
            LogoutOptions,
            lambda options: _logout(context.runtime, options),
            lambda: page(about, "NAME|--shared", "unified profile logout acme", more),
        ),
    )


def _login(runtime: Runtime, options: LoginOptions) -> None:
    name = _whom(options.name, shared=options.shared)
    place = login.choose(runtime, name, options.store)
    login.check(place)
    token = secrets.checked(_typed(runtime, options, name), "the token", runtime)
    if place.store == "config":
        runtime.stderr.note("warning: the config file keeps the token in plain text (--store keyring is safer)")
    where = login.keep(runtime, place, token)
    runtime.stderr.note(f"the {_of(name)} is {where}")


def _typed(runtime: Runtime, options: LoginOptions, name: str | None) -> bytes:
    if options.token_stdin:
        return secrets.read_whole(runtime)
    if not may_ask(runtime, options):
        raise UsageError("there is no terminal to ask at (--token-stdin reads the token from standard input)")
    return terminal_input.hidden(runtime, f"{_of(name)} (it is not shown): ")


def _logout(runtime: Runtime, options: LogoutOptions) -> None:
    name = _whom(options.name, shared=options.shared)
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


def _whom(name: str | None, *, shared: bool) -> str | None:
    if (name is None) is not shared:
        raise UsageError("whose token? (a profile's name, or --shared for those that have none of their own)")
    if name == file.RESERVED:
        raise UsageError("the sandbox has a token of its own")
    return name


def _of(name: str | None) -> str:
    return f'token of profile "{name}"' if name else "shared token"
