"""`unified profile set`, `use` and `remove`: change keys of profiles or of the top of
the file, choose the default profile, and remove a profile.
"""

import shlex
from collections.abc import Iterator, Sequence
from itertools import takewhile

from unified_cli.cli import prompt
from unified_cli.cli.command import CommandContext
from unified_cli.commands.profile.options import (
    RemoveOptions,
    SetOptions,
    UseOptions,
    existing,
    may_ask,
)
from unified_cli.commands.profile.values import known, missing_file, read_assignments
from unified_cli.config import edit, file, login, profiles
from unified_cli.config.edit import Draft
from unified_cli.config.file import Config
from unified_cli.config.keys import KEYS
from unified_cli.config.token import TokenSource
from unified_cli.errors import UsageError
from unified_cli.hints import quoted
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime
from unified_cli.values import TomlTable


def set_keys(context: CommandContext, options: SetOptions) -> None:
    """Change profiles, or the top of the file."""
    runtime = context.runtime
    pattern, texts = (
        (None, options.words) if options.default else (options.words[0], options.words[1:])
    )
    _check_single(runtime, options.words)
    values = _values(pattern, texts)
    changed: list[str] = []
    warnings: list[str] = []

    def alter(draft: Draft) -> None:
        changed[:] = _profiles_to_change(draft, pattern)
        _check_known(draft, pattern, changed, values)
        warnings[:] = _token_warnings(
            runtime, draft, changed if pattern else [None, *draft.profiles], values
        )
        for name in changed if pattern else [None]:
            draft.set(name, values)

    path = edit.change(runtime, alter, touched=changed)
    named = f'profile "{changed[0]}"' if len(changed) == 1 else counted(len(changed), "profile")
    runtime.stderr.note(
        f"changed {named if pattern else 'the top'} {'in' if pattern else 'of'} {path}"
    )
    for warning in filter(None, (*warnings, missing_file(values, runtime))):
        runtime.stderr.note(f"warning: {warning}")


def _check_single(runtime: Runtime, words: Sequence[str]) -> None:
    """Raise UsageError if the words begin with the names of several profiles.

    The error has a command for each profile.
    """
    names = [*takewhile(lambda word: "=" not in word, words)]
    if len(names) > 1 and {*names} <= {*file.read(runtime).profiles}:
        error = UsageError(
            "profile set takes one profile, a glob or tag:NAME",
            hint="or run the command for each profile",
        )
        rest = shlex.join(words[len(names) :]) or "KEY=VALUE"
        error.next_command = "\n".join(f"unified profile set {name} {rest}" for name in names)
        raise error


def _values(pattern: str | None, texts: tuple[str, ...]) -> TomlTable:
    if pattern and "=" in pattern:
        raise UsageError(
            "no profile is given", hint="name a profile, or use --default for all profiles"
        )
    if not texts:
        raise UsageError(
            "nothing to set", hint="give KEY=VALUE; unified profile set --help lists the keys"
        )
    values = read_assignments(texts)
    for key in values:
        if pattern is None and key in KEYS and "t" not in KEYS[key].at:
            raise UsageError(f"{key} can be set for profiles only")
    return values


def _profiles_to_change(draft: Draft, pattern: str | None) -> list[str]:
    if pattern is None:
        return []
    if profiles.is_several([pattern]):
        return profiles.select(Config(None, {}, draft.profiles), [pattern], for_calls=False)
    return [existing(pattern)]


def _check_known(
    draft: Draft, pattern: str | None, names: Sequence[str], values: TomlTable
) -> None:
    for table in [draft.table(name) for name in names] if pattern else [draft.data]:
        for key, value in values.items():
            if value is None and key not in table:
                known(key)


def _token_warnings(
    runtime: Runtime, draft: Draft, names: Sequence[str | None], values: TomlTable
) -> Iterator[str]:
    top = {**draft.data}
    new_top = _changed(top, values) if None in names else top
    for name in names:
        table = top if name is None else draft.table(name)
        new = table if None in names and name else _changed(table, values)
        before, after = (
            {**_address(keys), **other} for keys, other in ((top, table), (new_top, new))
        )
        if warning := login.check_origin(runtime, name, before, after, {}):
            yield warning


def _changed(table: TomlTable, values: TomlTable) -> TomlTable:
    return {key: value for key, value in {**table, **values}.items() if value is not None}


def _address(top: TomlTable) -> TomlTable:
    return {"base_url": top["base_url"]} if "base_url" in top else {}


def use(context: CommandContext, options: UseOptions) -> None:
    """Choose the default profile."""
    runtime, name = context.runtime, options.name
    if (name is None) is not options.none:
        raise UsageError(
            "profile use needs either the NAME of the default profile, or --none for no default"
        )

    if name and profiles.is_several([name]):
        raise UsageError(
            f'the default must be one profile, not "{name}"',
            hint=f"give -p {quoted(name)} to each command instead",
        )

    def alter(draft: Draft) -> None:
        if name not in (None, file.RESERVED):
            draft.table(name)
        draft.set(None, {"profile": name})

    path = edit.change(runtime, alter)
    what = f'profile "{name}" is' if name else "no profile is"
    runtime.stderr.note(f"{what} the default from now on ({path})")


def _check_unused(runtime: Runtime, name: str, tokens: Sequence[TokenSource], draft: Draft) -> None:
    """Raise UsageError if another profile uses one of these tokens of the profile."""
    users = [
        user
        for token in tokens
        if login.is_stored_here(runtime, token)
        for user in login.declaring(runtime, token, draft)
        if user != name
    ]
    if users:
        named_users = named([user or "the top of the file" for user in users])
        use = "uses" if len(users) == 1 else "use"
        raise UsageError(
            f'not removed: {counted(len(users), "profile")} {use} the token of profile "{name}":'
            f" {named_users}",
            hint=f"first run unified profile logout {name}, which removes the token from all",
        )


def remove(context: CommandContext, options: RemoveOptions) -> None:
    """Remove a profile, and its token if it is stored on this machine."""
    runtime, name = context.runtime, existing(options.name)
    if (
        not options.yes
        and may_ask(runtime, options)
        and not prompt.ask(runtime, f'remove profile "{name}"?')
    ):
        raise UsageError("not removed")

    def alter(draft: Draft) -> None:
        if draft.data.get("profile") == name:
            raise UsageError(
                f'"{name}" is the default profile (run unified profile use OTHER first, or --none)'
            )
        stored[:] = login.stored_tokens(runtime, name, draft.table(name), draft.data)
        _check_unused(runtime, name, stored, draft)
        draft.remove(name)

    stored: list[TokenSource] = []
    path = edit.change(runtime, alter)
    runtime.stderr.note(f'removed profile "{name}" from {path}')
    for token in stored:
        login.forget_or_warn(runtime, token, "its token")
