"""`unified profile add`: from options, from KEY=VALUE, or from answers at a terminal, if only a name is given."""

from collections.abc import Callable
from functools import partial
from typing import Any

from unified_cli.cli import terminal_input
from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.profile.options import AddOptions, may_ask
from unified_cli.commands.profile.sign_in import places_for
from unified_cli.commands.profile.values import missing_file, new_name, parse, read_assignments
from unified_cli.config import edit, file, login, token as secrets
from unified_cli.config.keys import TOKEN_SOURCES
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.json_text.values import Toml, TomlTable
from unified_cli.runtime import Runtime

_TRIES = 3


def run(context: CommandContext, options: AddOptions) -> None:
    """Add a profile."""
    runtime = context.runtime
    name = new_name(options.name)
    values = {key: parse(key, value) for key, value in options.values().items()}
    for key, value in read_assignments(options.assignments).items():
        if key in values:
            raise UsageError(f"{key} is given twice, as an option and as {key}=…")
        if value is not None:
            values[key] = value
    guided = not values and may_ask(runtime, options)
    if guided:
        config = file.read(runtime)
        if name not in config.profiles:
            values = _asked(runtime, config.top)
    path = edit.change(runtime, lambda draft: draft.add(name, values), touched=[name])
    runtime.stderr.note(f'added profile "{name}" to {path}')
    if warning := missing_file(values, runtime):
        runtime.stderr.note(f"warning: {warning}")
    if guided:
        _sign_in(runtime, name)


def _asked(runtime: Runtime, top: TomlTable) -> dict[str, Toml]:
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


def _sign_in(runtime: Runtime, name: str) -> None:
    """Ask for the token of the new profile and store it, unless the answer is empty."""
    config = file.read(runtime)
    if any(config.top.get(key) for key in TOKEN_SOURCES) or not _has_origin(runtime, name):
        return
    typed = terminal_input.hidden(runtime, "token (not shown; leave empty to do this later): ")
    if not typed:
        runtime.stderr.note(f"no token stored (unified profile login {name})")
        return
    token = secrets.checked(typed, "the token")
    chosen = places_for(runtime, [name], None, ask=True)
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
