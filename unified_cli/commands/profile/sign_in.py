"""`unified profile login` and `logout`: store a token, and remove it."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from unified_cli.cli import terminal_input, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import PROFILE, Argument, Flag
from unified_cli.cli.shared_options import MessageOptions, TokenStdin
from unified_cli.commands.profile import store_choice
from unified_cli.commands.profile.profile_options import OptionalName, OptionalPattern, build, may_ask, page
from unified_cli.config import edit, file, profiles
from unified_cli.config.credentials import login, token as secrets
from unified_cli.config.credentials.token import TokenSource
from unified_cli.config.draft import Draft
from unified_cli.errors import UsageError
from unified_cli.masking import hide
from unified_cli.runtime import Runtime

_MOST_NAMED = 8
Store = Literal["keyring", "file", "config"]
Shared = Annotated[bool, Flag(("--shared",), PROFILE, "the token of all profiles without their own")]


class LoginOptions(MessageOptions):
    """Whose token, where to store it, and where to read it from."""

    name: OptionalPattern = None
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
        "Without a keyring a terminal asks whether to store it in a file only you can read; otherwise that is done.",
        "With a glob or a tag, all of these profiles get the same token.",
    ]
    return build(
        context,
        tree.CommandSpec(
            "login",
            LoginOptions,
            lambda options: _login(context.runtime, options),
            lambda: page(about, "NAME|GLOB|tag:NAME|--shared", "unified profile login acme", more),
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
    names = _owners(runtime, options)
    ask = may_ask(runtime, options)
    if not (options.token_stdin or ask):
        raise UsageError("no terminal to ask for the token", hint="--token-stdin reads it from standard input")
    places = store_choice.places(runtime, names, options.store, ask=ask and not options.token_stdin)
    if not places:
        runtime.stderr.note("no token stored (--store names a place)")
        return
    token = secrets.checked(_typed(runtime, options, names), "the token")
    if any(place.store == "config" for place in places):
        runtime.stderr.note("warning: the token is stored as plain text in the config file (--store keyring is safer)")
    for place in places:
        runtime.stderr.note(f"the {_of(place.profile)} is {login.keep(runtime, place, token)}")


def _owners(runtime: Runtime, options: LoginOptions) -> list[str | None]:
    """The profiles that the token is for; None stands for those without their own."""
    name = _owner(options.name, shared=options.shared)
    return [None] if name is None else [*profiles.select(file.read(runtime), [name])]


def _typed(runtime: Runtime, options: LoginOptions, names: Sequence[str | None]) -> bytes:
    if options.token_stdin:
        return secrets.read_whole(runtime)
    whose = _of(names[0]) if len(names) == 1 else f"token of {len(names)} profiles, {_listed(names)}"
    return terminal_input.hidden(runtime, f"{whose} (not shown): ")


def _listed(names: Sequence[str | None]) -> str:
    shown = [name or "" for name in names[:_MOST_NAMED]]
    return ", ".join(shown) + (f" and {len(names) - len(shown)} more" if len(names) > len(shown) else "")


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
