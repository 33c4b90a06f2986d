"""`unified profile add`, `use` and `remove`: change the configuration."""

from unified_cli.cli import prompt
from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.profile import guide
from unified_cli.commands.profile.options import AddOptions, RemoveOptions, UseOptions, existing, may_ask
from unified_cli.commands.profile.profile_values import missing_file, new_name, parse, read_assignments
from unified_cli.config import edit, file
from unified_cli.config.credentials import login
from unified_cli.config.credentials.token import TokenSource
from unified_cli.config.draft import Draft
from unified_cli.errors import UsageError


def add(context: CommandContext, options: AddOptions) -> None:
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
            values = guide.values(runtime, config.top)
    path = edit.change(runtime, lambda draft: draft.add(name, values), touched=[name])
    runtime.stderr.note(f'added profile "{name}" to {path}')
    if warning := missing_file(values, runtime):
        runtime.stderr.note(f"warning: {warning}")
    if guided:
        guide.sign_in(runtime, name)


def use(context: CommandContext, options: UseOptions) -> None:
    """Choose the default profile."""
    runtime, name = context.runtime, options.name
    if (name is None) is not options.none:
        raise UsageError("unified profile use NAME chooses a profile, unified profile use --none chooses none")

    def alter(draft: Draft) -> None:
        if name not in (None, file.RESERVED):
            draft.table(name)
        draft.set(None, {"profile": name})

    path = edit.change(runtime, alter)
    what = f'profile "{name}" is' if name else "no profile is"
    runtime.stderr.note(f"{what} the default from now on ({path})")


def remove(context: CommandContext, options: RemoveOptions) -> None:
    """Remove a profile, and its token where it is kept here."""
    runtime, name = context.runtime, existing(options.name)
    if not options.yes and may_ask(runtime, options) and not prompt.ask(runtime, f'remove profile "{name}"?'):
        raise UsageError("not removed")

    def alter(draft: Draft) -> None:
        if draft.data.get("profile") == name:
            raise UsageError(f'"{name}" is the default profile (run unified profile use OTHER, or --none, first)')
        stored[:] = login.traces(runtime, name, draft.table(name), draft.data)
        draft.remove(name)

    stored: list[TokenSource] = []
    path = edit.change(runtime, alter)
    runtime.stderr.note(f'removed profile "{name}" from {path}')
    for token in stored:
        login.forget_or_warn(runtime, token, "its token")
