"""`unified profile set`: change the keys of a profile, of several, or of the top of the config file."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import PROFILE, Argument, Flag
from unified_cli.cli.shared_options import MessageOptions
from unified_cli.commands.profile.profile_options import build, existing, page
from unified_cli.commands.profile.profile_values import SETTABLE, known, missing_file, read_assignments
from unified_cli.config import edit, profiles
from unified_cli.config.credentials import origin_check
from unified_cli.config.draft import Draft
from unified_cli.config.file import Config
from unified_cli.config.keys import KEYS
from unified_cli.errors import UsageError
from unified_cli.json_text.values import Toml, TomlTable
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_KEYS = [(key.name, key.about) for key in SETTABLE.values()]
_USAGE = "NAME|GLOB|tag:NAME|--default KEY=VALUE…"
_HELP = (
    "An empty value unsets the key. With a glob or a tag, all of these profiles are changed, or none.",
    "--default changes what holds for profiles that do not set the key themselves.",
    "A base URL of another origin is refused while login has the token stored in a file: log out first.",
    "If the token is in a file of your own or in the keyring, there is a warning.",
)


class SetOptions(MessageOptions):
    """Whose keys to change, and how."""

    words: Annotated[
        tuple[str, ...],
        Argument(metavar="[NAME|GLOB|tag:NAME] KEY=VALUE…", takes=("profile", "|".join(f"{key}=" for key in SETTABLE))),
    ]
    default: Annotated[bool, Flag(("--default",), PROFILE, "the values for all profiles without their own")] = False


def set_command(about: str, context: CommandContext) -> Any:
    """`profile set`."""
    examples = "unified profile set acme tags=prod,eu read_only=true timeout=\nunified profile set --default base_url=https://api.example.com"
    return build(
        context,
        tree.CommandSpec(
            "set",
            SetOptions,
            lambda options: _set(context.runtime, options),
            lambda: page(about, _USAGE, examples, _HELP, _KEYS),
        ),
    )


def _set(runtime: Runtime, options: SetOptions) -> None:
    pattern, texts = (None, options.words) if options.default else (options.words[0], options.words[1:])
    values = _values(pattern, texts)
    changed: list[str] = []
    warnings: list[str] = []

    def alter(draft: Draft) -> None:
        before = {name: {**table} for name, table in draft.profiles.items()}
        top = {**draft.data}
        changed[:] = _change(draft, pattern, values)
        warnings[:] = _warnings(runtime, (top, before), (draft.data, draft.profiles))

    path = edit.change(runtime, alter, touched=changed)
    named = f'profile "{changed[0]}"' if len(changed) == 1 else counted(len(changed), "profile")
    runtime.stderr.note(f"changed {named if pattern else 'the top'} {'in' if pattern else 'of'} {path}")
    for warning in filter(None, (*warnings, missing_file(values, runtime))):
        runtime.stderr.note(f"warning: {warning}")


def _values(pattern: str | None, texts: tuple[str, ...]) -> Mapping[str, Toml]:
    if pattern and "=" in pattern:
        raise UsageError(f"whose {pattern.partition('=')[0]}?", hint="name a profile, or use --default")
    if not texts:
        raise UsageError("nothing to set", hint="KEY=VALUE; unified profile set --help lists the keys")
    values = read_assignments(texts)
    for key in values:
        if pattern is None and key in KEYS and "t" not in KEYS[key].at:
            raise UsageError(f"{key} can be set for profiles only")
    return values


def _change(draft: Draft, pattern: str | None, values: Mapping[str, Toml]) -> list[str]:
    """Set the values in the draft, and return the names of the profiles that were changed."""
    if pattern is None:
        names: list[str] = []
        _set_table(draft, None, values)
    elif profiles.is_several([pattern]):
        names = profiles.select(Config(None, {}, draft.profiles), [pattern])
    else:
        names = [existing(pattern)]
    for name in names:
        _set_table(draft, name, values)
    return names


def _set_table(draft: Draft, name: str | None, values: Mapping[str, Toml]) -> None:
    table = draft.data if name is None else draft.table(name)
    for key, value in values.items():
        if value is None and key not in table:
            known(key)
    draft.set(name, values)


def _warnings(
    runtime: Runtime,
    before: tuple[TomlTable, Mapping[str, TomlTable]],
    after: tuple[TomlTable, Mapping[str, TomlTable]],
) -> Iterator[str]:
    """What the change means for the tokens of the profiles, and for the shared one."""
    tables = [(None, before[0], after[0]), *((name, before[1][name], table) for name, table in after[1].items())]
    for name, was, now in tables:
        inherited = [{key: top[key] for key in ("base_url",) if key in top} for top in (before[0], after[0])]
        if {**inherited[0], **was} != {**inherited[1], **now}:
            warning = origin_check.check(runtime, name, {**inherited[0], **was}, {**inherited[1], **now}, {})
            if warning:
                yield warning
