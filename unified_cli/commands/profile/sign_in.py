"""`unified profile login` and `logout`: store a token, and remove it."""

from typing import Annotated, Any, Literal

from unified_cli.cli import terminal_input, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import PROFILE, Argument, Flag
from unified_cli.cli.shared_options import MessageOptions, TokenStdin
from unified_cli.commands.profile.profile_options import OptionalName, build, may_ask, page
from unified_cli.config import edit, file
from unified_cli.config.credentials import login, token as secrets
from unified_cli.config.credentials.token import TokenSource
from unified_cli.config.draft import Draft
from unified_cli.errors import UsageError
from unified_cli.masking import hide
from unified_cli.runtime import Runtime

Store = Literal["keyring", "file", "config"]
Shared = Annotated[bool, Flag(("--shared",), PROFILE, "the token of all profiles without their own")]


class LoginOptions(MessageOptions):
    """Whose token, where to store it, and where to read it from."""

    name: OptionalName = None
    words: Annotated[tuple[str, ...], Argument()] = ()
    store: Annotated[Store | None, Flag(("--store",), PROFILE, "where to store it", "PLACE")] = None
    shared: Shared = False
    token_stdin: TokenStdin = False


class LogoutOptions(MessageOptions):
    """Whose token to remove."""

    name: OptionalName = None
    shared: Shared = False


def login_command(about: str, context: CommandContext) -> Any:
    """`profile login`."""
    more = [
        "Asks for the token without showing it, or reads it from standard input.",
        "The token is stored where the profile says, else in the keyring; config means plain text in the config file.",
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
    more = ["A profile whose token was in the keyring or in a file still looks there, and nowhere else."]
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
    for word in options.words:
        hide(word)
    if options.words:
        raise UsageError(
            "a token is not typed as an argument, where other processes can see it",
            hint="it is asked for, or --token-stdin reads it; the shell's history may contain it now",
        )
    name = _owner(options.name, shared=options.shared)
    place = login.choose(runtime, name, options.store)
    login.check(place)
    token = secrets.checked(_typed(runtime, options, name), "the token")
    if place.store == "config":
        runtime.stderr.note("warning: the token is stored as plain text in the config file (--store keyring is safer)")
    where = login.keep(runtime, place, token)
    runtime.stderr.note(f"the {_of(name)} is {where}")


def _typed(runtime: Runtime, options: LoginOptions, name: str | None) -> bytes:
    if options.token_stdin:
        return secrets.read_whole(runtime)
    if not may_ask(runtime, options):
        raise UsageError("no terminal to ask for the token (--token-stdin reads it from standard input)")
    return terminal_input.hidden(runtime, f"{_of(name)} (not shown): ")


def _logout(runtime: Runtime, options: LogoutOptions) -> None:
    name = _owner(options.name, shared=options.shared)
    config = file.read(runtime)
    table = Draft({"profiles": config.profiles}).table(name) if name else config.top
    tokens = [*login.traces(runtime, name, table, config.top)]
    if not tokens:
        raise UsageError(f"no {_of(name)} is stored here (unified profile show says where it comes from)")
    for token in tokens:
        runtime.stderr.note(f"the {_of(name)} is {_forget(runtime, token)}")


def _forget(runtime: Runtime, token: TokenSource) -> str:
    if token.kind == "token":
        edit.change(runtime, lambda draft: draft.set(token.profile, {"token": None}))
    return login.forget(runtime, token)


def _owner(name: str | None, *, shared: bool) -> str | None:
    if (name is None) is not shared:
        raise UsageError("whose token? (name a profile, or use --shared for the profiles without their own)")
    if name == file.RESERVED:
        raise UsageError("the sandbox has a token of its own")
    return name


def _of(name: str | None) -> str:
    return f'token of profile "{name}"' if name else "shared token"
