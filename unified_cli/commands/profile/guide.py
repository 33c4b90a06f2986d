"""The prompts of `profile add` on a terminal, if only a name is given."""

from collections.abc import Callable
from functools import partial
from typing import Any

from unified_cli.cli import terminal_input
from unified_cli.commands.profile import store_choice
from unified_cli.commands.profile.profile_values import parse
from unified_cli.config import file
from unified_cli.config.credentials import login, token as secrets
from unified_cli.config.keys import TOKEN_SOURCES
from unified_cli.errors import UnifiedError
from unified_cli.json_text.values import Toml, TomlTable
from unified_cli.runtime import Runtime

_TRIES = 3


def values(runtime: Runtime, top: TomlTable) -> dict[str, Toml]:
    """The keys of a new profile, as typed at the terminal; an empty answer leaves a key unset."""
    found: dict[str, Toml] = {}
    questions = [
        ("account_id", "account id of the connection: "),
        ("tags", "tags, separated by commas (optional): "),
    ]
    if "base_url" not in top:
        questions.insert(0, ("base_url", "base URL of the service, like https://api.example.com: "))
    for key, question in questions:
        answer = _until_valid(runtime, question, partial(_read, key))
        if answer is not None:
            found[key] = answer
    return found


def _read(key: str, text: str) -> Any:
    return parse(key, text) if text else None


def sign_in(runtime: Runtime, name: str) -> None:
    """Ask for the token of the new profile and store it, unless the answer is empty."""
    config = file.read(runtime)
    if any(config.top.get(key) for key in TOKEN_SOURCES) or not _has_origin(runtime, name):
        return
    typed = terminal_input.hidden(runtime, "token (not shown; leave empty to do this later): ")
    if not typed:
        runtime.stderr.note(f"no token stored (unified profile login {name})")
        return
    token = secrets.checked(typed, "the token")
    chosen = store_choice.places(runtime, [name], None, ask=True)
    if not chosen:
        runtime.stderr.note(f"no token stored (unified profile login {name})")
        return
    runtime.stderr.note(f'the token of profile "{name}" is {login.keep(runtime, chosen[0], token)}')


def _has_origin(runtime: Runtime, name: str) -> bool:
    try:
        return login.choose(runtime, name, None).origin is not None
    except UnifiedError:
        return False


def _until_valid(runtime: Runtime, question: str, read: Callable[[str], Any]) -> Any:
    for tries in range(_TRIES):
        try:
            return read(terminal_input.line(runtime, question))
        except UnifiedError as error:
            if tries == _TRIES - 1:
                raise
            runtime.stderr.line(error.message)
    return None
