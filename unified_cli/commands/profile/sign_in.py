"""`unified profile login` and `logout`: store a token, and remove it."""

from collections.abc import Sequence

from unified_cli.cli import prompt
from unified_cli.cli.command import CommandContext
from unified_cli.commands.profile.options import LoginOptions, LogoutOptions, may_ask
from unified_cli.config import edit, file, keyring, login, profiles, token as secrets
from unified_cli.config.edit import Draft
from unified_cli.config.keyring import NoKeyringError
from unified_cli.config.login import TokenPlace
from unified_cli.config.token import TokenSource
from unified_cli.errors import ConfigError, UsageError
from unified_cli.masking import hide
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime

_MOST_NAMED = 8


def log_in(context: CommandContext, options: LoginOptions) -> None:
    """Store a token. Raises UsageError if prompts are not possible."""
    runtime = context.runtime
    for word in options.words:
        hide(word)
    if options.words:
        raise UsageError(
            "a token cannot be an argument, because other processes can see it",
            hint=(
                "leave the token out, and the command asks for it, or use --token-stdin; the"
                " shell's history may now contain the token"
            ),
        )
    names = _owners(runtime, options)
    ask = may_ask(runtime, options)
    if not (options.token_stdin or ask):
        raise UsageError(
            "no terminal to ask for the token", hint="--token-stdin reads it from standard input"
        )
    found = places_for(runtime, names, options.store)
    token = _piped_token(runtime) if options.token_stdin else typed_token(runtime, _question(names))
    places = agreed(runtime, found, options.store, ask=ask and not options.token_stdin)
    if not places:
        raise ConfigError("no token stored", hint="choose a place with --store")
    if any(place.store == "config" for place in places):
        runtime.stderr.note(
            "warning: the token is stored as plain text in the config file (--store keyring is"
            " safer)"
        )
    for place in places:
        runtime.stderr.note(
            f"the {_owner_in_words(place.profile)} is {login.store(runtime, place, token)}"
        )


def _owners(runtime: Runtime, options: LoginOptions) -> list[str | None]:
    """Return the profiles that get the token, without those of the sandbox.

    None means the shared token of profiles without their own.
    """
    name = _owner(options.name, shared=options.shared)
    if name is None:
        return [None]
    config = file.read(runtime)
    selected = [*profiles.select(config, [name], for_calls=False)]
    found = [profile for profile in selected if not login.is_of_sandbox(config, profile)]
    if not found:
        raise UsageError(
            f"{_listed(selected)}: no token is needed, because the sandbox has its own token"
        )
    return [*found]


def _question(names: Sequence[str | None]) -> str:
    owner = (
        _owner_in_words(names[0])
        if len(names) == 1
        else f"token of {len(names)} profiles, {_listed(names)}"
    )
    return f"{owner} (not shown): "


def typed_token(runtime: Runtime, question: str, *, optional: bool = False) -> str:
    """Prompt for the token, and return it.

    Returns "" for an empty answer, if allowed. Raises ConfigError after three invalid
    answers.
    """

    def read(typed: bytes) -> str:
        return "" if optional and not typed.strip() else _stripped_token(typed)

    return prompt.until_valid(runtime, lambda: prompt.hidden(runtime, question), read)


def _stripped_token(typed: bytes) -> str:
    return secrets.checked(typed.strip(), "the token")


def _piped_token(runtime: Runtime) -> str:
    typed = secrets.read_whole(runtime)
    if not typed.strip():
        raise ConfigError(
            "the token is empty", hint="it is read from a pipe or a file: --token-stdin < FILE"
        )
    try:
        return _stripped_token(typed)
    except ConfigError as error:
        if error.hint is None:
            error.add_hint("a token is one line: --token-stdin < FILE")
        raise


def _listed(names: Sequence[str | None]) -> str:
    return named([name or "" for name in names], _MOST_NAMED)


def log_out(context: CommandContext, options: LogoutOptions) -> None:
    """Remove a token. Raises UsageError if there is no stored token."""
    runtime = context.runtime
    name = _owner(options.name, shared=options.shared)
    config = file.read(runtime)
    table = Draft({"profiles": config.profiles}).table(name) if name else config.top
    if name and (key := login.borrowed_key(runtime, name, table)):
        edit.change(runtime, lambda draft: draft.set(name, {key: None}))
        runtime.stderr.note(f'profile "{name}" no longer uses the token of another profile')
        return
    tokens = [*login.stored_tokens(runtime, name, table, config.top)]
    if not tokens:
        raise UsageError(
            f"no {_owner_in_words(name)} is stored here"
            " (unified profile show says where it comes from)"
        )
    _forget_tokens(runtime, name, tokens)


def _forget_tokens(runtime: Runtime, name: str | None, tokens: Sequence[TokenSource]) -> None:
    users: list[str | None] = []
    outcomes: list[str] = []

    def alter(draft: Draft) -> None:
        users.clear()
        for token in tokens:
            if login.is_stored_here(runtime, token):
                for user in login.declaring(runtime, token, draft):
                    draft.set(user, {token.kind: None})
                    users.append(user)

    def forget() -> None:
        outcomes.extend(login.forget(runtime, token) for token in tokens)

    edit.change(runtime, alter, first=forget)
    for outcome in outcomes:
        runtime.stderr.note(f"the {_owner_in_words(name)} is {outcome}")
    if others := [user or "the top of the file" for user in users if user != name]:
        runtime.stderr.note(
            f"the token was also used by {counted(len(others), 'profile')}: {named(others)}"
        )


def _owner(name: str | None, *, shared: bool) -> str | None:
    if (name is None) is not shared:
        raise UsageError(
            "no profile is given (name a profile, or use --shared for all profiles without a token)"
        )
    if name == file.RESERVED:
        raise UsageError("the sandbox has a token of its own", hint="-p sandbox needs no login")
    return name


def _owner_in_words(name: str | None) -> str:
    return f'token of profile "{name}"' if name else "shared token"


def places_for(
    runtime: Runtime, names: Sequence[str | None], wanted: str | None
) -> list[TokenPlace]:
    """Return the place of each profile's token.

    The name None means the shared token. If the user did not name a place, `agreed` may
    still change it. Raises the errors of `login.choose` and, for a named place, of
    `login.check`.
    """
    result = [login.choose(runtime, name, wanted) for name in names]
    for place in result:
        if not _undecided(place, wanted):
            login.check(place)
    return result


def agreed(
    runtime: Runtime, places: Sequence[TokenPlace], wanted: str | None, *, ask: bool
) -> Sequence[TokenPlace]:
    """Return the places for the token, or nothing if the user declines.

    Without a keyring, ask whether to store the token in a private file. If prompts are
    not allowed, use the file, with a message.
    """
    missing = _missing_keyring() if any(_undecided(place, wanted) for place in places) else None
    if missing is None:
        return places
    if ask and not prompt.ask(
        runtime, f"{missing}; store the token in a file only you can read?", default=True
    ):
        return []
    if not ask:
        runtime.stderr.note(f"{missing}, so the token is stored in a file only you can read")
    return [
        login.choose(runtime, place.profile, "file") if _undecided(place, wanted) else place
        for place in places
    ]


def _undecided(place: TokenPlace, wanted: str | None) -> bool:
    return wanted is None and not place.declared


def _missing_keyring() -> str | None:
    try:
        keyring.backend_name()
    except NoKeyringError as error:
        return error.reason
    return None
