"""`unified profile add`: add one profile, with prompts if possible. `unified profile
import`: add or change many profiles at once, or none.
"""

import csv
import io
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from typing import Any

from unified_cli.cli import prompt
from unified_cli.cli.command import CommandContext
from unified_cli.commands.profile.options import AddOptions, ProfileFileOptions, may_ask
from unified_cli.commands.profile.sign_in import agreed, places_for, typed_token
from unified_cli.commands.profile.values import (
    SETTABLE,
    missing_file,
    new_name,
    parse,
    read_assignments,
)
from unified_cli.config import edit, file, login
from unified_cli.config.edit import Draft
from unified_cli.config.keys import TOKEN_SOURCES
from unified_cli.errors import StorageError, UnifiedError, UsageError
from unified_cli.masking import masked, visible
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime
from unified_cli.storage import input_bounds
from unified_cli.values import Toml, TomlTable

_LARGEST = 16 * 1024 * 1024
_COLUMNS = ("name", *SETTABLE)
_MEANT = {"account": "account_id", "id": "account_id", "tag": "tags"}
_EXAMPLE = "such as name,account_id,tags"
_DELIMITERS = ",;\t"
"""The possible delimiters of a CSV file."""


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
            with _saying("nothing was added"):
                values = _keys_from_terminal(runtime, config.top)
    path = edit.change(runtime, lambda draft: draft.add(name, values), touched=[name])
    runtime.stderr.note(f'added profile "{name}" to {path}')
    if warning := missing_file(values, runtime):
        runtime.stderr.note(f"warning: {warning}")
    if guided:
        with _saying(f"no token stored (unified profile login {name})"):
            _ask_for_token(runtime, name)


@contextmanager
def _saying(words: str) -> Iterator[None]:
    """If the user interrupts a prompt, add `words` to the final message."""
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.add_note(words)
        raise


def _keys_from_terminal(runtime: Runtime, top: TomlTable) -> dict[str, Toml]:
    result: dict[str, Toml] = {}
    questions = [
        ("account_id", "account id of the connection: "),
        ("tags", "tags, separated by commas (optional): "),
    ]
    if "base_url" not in top:
        questions.insert(0, ("base_url", "base URL of the service, like https://api.example.com: "))
    for key, question in questions:
        typed = partial(prompt.line, runtime, question)
        answer = prompt.until_valid(runtime, typed, partial(_read, key))
        if answer is not None:
            result[key] = answer
    return result


def _read(key: str, text: str) -> Any:
    return parse(key, text) if text else None


def _ask_for_token(runtime: Runtime, name: str) -> None:
    config = file.read(runtime)
    if any(config.top.get(key) for key in TOKEN_SOURCES) or not _has_origin(runtime, name):
        return
    found = places_for(runtime, [name], None)
    token = typed_token(runtime, "token (not shown; leave empty to do this later): ", optional=True)
    chosen = agreed(runtime, found, None, ask=True) if token else []
    if not token or not chosen:
        runtime.stderr.note(f"no token stored (unified profile login {name})")
        return
    runtime.stderr.note(
        f'the token of profile "{name}" is {login.store(runtime, chosen[0], token)}'
    )


def _has_origin(runtime: Runtime, name: str) -> bool:
    try:
        return login.choose(runtime, name, None).origin is not None
    except UnifiedError:
        return False


def import_file(context: CommandContext, options: ProfileFileOptions) -> None:
    """Add the profiles of a CSV file, or change them."""
    runtime = context.runtime
    rows = dict(_profile_rows(_text(runtime, options.file)))
    if not rows:
        raise UsageError(f"no profiles in {options.file}")
    update = options.update
    again = f"unified profile import {shlex.quote(options.file)} --update"

    def alter(draft: Draft) -> None:
        for name, values in rows.items():
            if update and name in draft.profiles:
                before = {**draft.profiles[name]}
                draft.set(name, values)
                warnings[name] = login.check_origin(
                    runtime, name, before, draft.profiles[name], draft.data
                )
            else:
                if name in draft.profiles:
                    existing = [name for name in rows if name in draft.profiles]
                    raise UsageError(
                        f"{_existing_in_words(existing)}, so nothing was added",
                        hint=f"{again} changes existing profiles",
                    )
                draft.add(name, {key: value for key, value in values.items() if value is not None})

    warnings: dict[str, str | None] = {}
    path = edit.change(runtime, alter, touched=rows)
    runtime.stderr.note(
        f"{'wrote' if update else 'added'} {counted(len(rows), 'profile')}"
        f" {'in' if update else 'to'} {path}"
    )
    for warning in filter(None, warnings.values()):
        runtime.stderr.note(f"warning: {warning}")


def _existing_in_words(names: Sequence[str]) -> str:
    one = len(names) == 1
    return (
        f"{'a profile' if one else 'profiles'} named {named(names)} already"
        f" exist{'s' if one else ''}"
    )


def _text(runtime: Runtime, name: str) -> str:
    if name == "-":
        if runtime.stdin is None:
            raise UsageError("cannot read - because standard input is closed")
        content = runtime.stdin.read(_LARGEST + 1)
    else:
        try:
            with input_bounds.reader(name) as file:
                content = file.read(_LARGEST + 1)
        except OSError as error:
            raise StorageError(f"cannot read {name}: {error.strerror}") from None
    if len(content) > _LARGEST:
        raise UsageError(f"{name} is larger than {_LARGEST >> 20} MiB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}: line {line} is not UTF-8") from None


def _profile_rows(text: str) -> Iterator[tuple[str, dict[str, Toml]]]:
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    lines: dict[str, int] = {}
    try:
        heads = [_MEANT.get(head.strip(), head.strip()) for head in next(reader, [])]
        _check_heads(heads)
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            line = f"line {reader.line_num}"
            if len(cells) != len(heads):
                raise UsageError(
                    f"{line} has {counted(len(cells), 'cell')} for {counted(len(heads), 'column')}"
                )
            name, values = _profile(dict(zip(heads, map(str.strip, cells), strict=True)), line)
            if name in lines:
                raise UsageError(f'{line} repeats the profile "{name}" of line {lines[name]}')
            lines[name] = reader.line_num
            yield name, values
    except csv.Error as error:
        hint = f"the first line must name the columns, {_EXAMPLE}" if reader.line_num == 1 else None
        reason = f"line {reader.line_num} is not CSV: {error}"
        raise UsageError(reason, hint=hint) from None


def _check_heads(heads: list[str]) -> None:
    if "name" not in heads:
        raise UsageError("the first line must name the columns, including name", hint=_EXAMPLE)
    for head in heads:
        if head == "token":
            hint = "use a column token_file"
            raise UsageError("tokens are not read from a CSV file", hint=hint)
        if head not in _COLUMNS:
            close = get_close_matches(head, _COLUMNS, 1)
            hint = f'did you mean "{close[0]}"?' if close else f"choose from {', '.join(_COLUMNS)}"
            raise UsageError(f'no column "{visible(head)}" ({hint})')
        if heads.count(head) > 1:
            raise UsageError(f'the column "{head}" is repeated')


def _profile(cells: Mapping[str, str], line: str) -> tuple[str, dict[str, Toml]]:
    try:
        values = {
            head: _value(head, cell) if cell else None
            for head, cell in cells.items()
            if head != "name"
        }
        return new_name(cells["name"]), values
    except UnifiedError as error:
        error.message = masked(f"{line}: {error.message}")
        raise


def _value(head: str, cell: str) -> Any:
    if head == "tags":
        return cell.replace(";", " ").replace(",", " ").split()
    return parse(head, cell)
