"""`unified profile add`, `use` and `remove`: change the configuration."""

from typing import Annotated, Any

from unified_cli.cli import prompt, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import PROFILE, Argument, Flag, by_name
from unified_cli.cli.options import OperationOptions
from unified_cli.cli.shared_options import MessageOptions
from unified_cli.commands.profile import guide
from unified_cli.commands.profile.profile_options import (
    ExistingName,
    Name,
    OptionalName,
    build,
    existing,
    may_ask,
    page,
)
from unified_cli.commands.profile.profile_values import SETTABLE, missing_file, new_name, parse, read_assignments
from unified_cli.config import edit, file
from unified_cli.config.credentials import login
from unified_cli.config.credentials.token import TokenSource
from unified_cli.config.draft import Draft
from unified_cli.config.keys import KEYS
from unified_cli.errors import UsageError
from unified_cli.json_text.values import Toml
from unified_cli.runtime import Runtime


def _of_profile(name: str) -> Flag:
    """The option of that name, for a key of a profile."""
    return by_name(OperationOptions)[name]._replace(group=PROFILE, about=KEYS[name].about)


class AddOptions(MessageOptions):
    """A profile's name and its keys, as options or as KEY=VALUE."""

    name: Name
    assignments: Annotated[tuple[str, ...], Argument(metavar="[KEY=VALUE…]")] = ()
    account_id: Annotated[str | None, _of_profile("account_id")] = None
    base_url: Annotated[str | None, _of_profile("base_url")] = None
    token_file: Annotated[str | None, _of_profile("token_file")] = None
    ca_bundle: Annotated[str | None, _of_profile("ca_bundle")] = None
    timeout: Annotated[float | None, _of_profile("timeout")] = None
    retries: Annotated[int | None, _of_profile("retries")] = None
    rate: Annotated[float | None, _of_profile("rate")] = None
    token_command: Annotated[
        str | None, Flag(("--token-command",), PROFILE, "the program that prints the token", '\'["…", "…"]\'')
    ] = None
    keyring: Annotated[bool, Flag(("--keyring",), PROFILE, "the token is in this machine's keyring")] = False
    tags: Annotated[tuple[str, ...], Flag(("--tag",), PROFILE, "add a tag, for -p tag:NAME", "NAME")] = ()
    read_only: Annotated[bool, Flag(("--read-only",), PROFILE, "refuse every write")] = False

    def values(self) -> dict[str, Toml]:
        """The values of the given options, by key."""
        # --quiet and --no-input are about this command.
        names = [name for name in SETTABLE if hasattr(self, name) and name not in by_name(MessageOptions)]
        found = {name: getattr(self, name) for name in names}
        return {
            name: [*value] if name == "tags" else value
            for name, value in found.items()
            if value not in (None, False, ())
        }


class UseOptions(MessageOptions):
    """The new default profile."""

    name: OptionalName = None
    none: Annotated[bool, Flag(("--none",), PROFILE, "use no default profile")] = False


class RemoveOptions(MessageOptions):
    """The profile to remove."""

    name: ExistingName
    yes: Annotated[
        bool, by_name(OperationOptions)["yes"]._replace(group=PROFILE, about="do not ask before removing")
    ] = False


def add_command(about: str, context: CommandContext) -> Any:
    """`profile add`."""
    more = [
        "Keys that the profile does not set come from the top of the file. The default profile does not change.",
        "On a terminal, a name alone prompts for the rest.",
    ]
    example = "unified profile add acme -a 62f44730-dd91-461e-bd6a-aedd9e0ad79d --tag prod"
    return build(
        context,
        tree.CommandSpec(
            "add",
            AddOptions,
            lambda options: _add(context.runtime, options),
            lambda: page(about, "NAME [KEY=VALUE…]", example, more),
        ),
    )


def use_command(about: str, context: CommandContext) -> Any:
    """`profile use`."""
    more = ["For one call use -p NAME, for one shell UNIFIED_PROFILE."]
    return build(
        context,
        tree.CommandSpec(
            "use",
            UseOptions,
            lambda options: _use(context.runtime, options),
            lambda: page(about, "NAME", "unified profile use acme", more),
        ),
    )


def remove_command(about: str, context: CommandContext) -> Any:
    """`profile remove`."""
    return build(
        context,
        tree.CommandSpec(
            "remove",
            RemoveOptions,
            lambda options: _remove(context.runtime, options),
            lambda: page(about, "NAME", "unified profile remove acme"),
        ),
    )


def _add(runtime: Runtime, options: AddOptions) -> None:
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


def _use(runtime: Runtime, options: UseOptions) -> None:
    name = options.name
    if (name is None) is not options.none:
        raise UsageError("unified profile use NAME chooses a profile, unified profile use --none chooses none")

    def alter(draft: Draft) -> None:
        if name not in (None, file.RESERVED):
            draft.table(name)
        draft.set(None, {"profile": name})

    path = edit.change(runtime, alter)
    what = f'profile "{name}" is' if name else "no profile is"
    runtime.stderr.note(f"{what} the default from now on ({path})")


def _remove(runtime: Runtime, options: RemoveOptions) -> None:
    name = existing(options.name)
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
