"""`update ID --edit`: edit the record in an editor, and send only the changes."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from pathlib import Path

from unified_cli.call import Call, Mode, builder, single
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.catalogue.model import NOT_SENT
from unified_cli.cli import prompt
from unified_cli.cli.flags import part
from unified_cli.cli.options import OperationOptions
from unified_cli.cli.write_options import WriteOptions
from unified_cli.config import other_program
from unified_cli.errors import (
    ConfigError,
    RefusedError,
    ServiceError,
    StorageError,
    UnifiedError,
    UsageError,
)
from unified_cli.fleet.clients import Clients
from unified_cli.http import request_body
from unified_cli.http.request import Request
from unified_cli.json_text import difference
from unified_cli.json_text.difference import PathRules, member_differences
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import Parts, join, keys, one_line, parts
from unified_cli.json_text.record_label import LABEL
from unified_cli.output.stdout import pretty
from unified_cli.runtime import Runtime
from unified_cli.writes import outcome

_NULL = b"null"
_RULES = PathRules()
_LONGEST_CHANGE = 2000


def run(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    options: OperationOptions,
    mode: Mode,
) -> None:
    """Let the user edit the record, and send the changes.

    Raises UsageError without a terminal, for several records, for `--dry-run` and
    `--as`, and if the resource has no operation to read a record.
    """
    if mode.several or builder.identifier(options) == "-":
        raise UsageError(
            "--edit changes one record of one connection", hint="give one ID, and one name to -p"
        )
    if mode.shown:
        raise UsageError(
            "--edit already shows the request, and asks before it sends",
            hint="leave out --dry-run and --as",
        )
    get = catalogue.apis[operation.api].resources[operation.resource].operations.get("get")
    if get is None:
        raise UsageError(
            f"{operation.api} {operation.resource} has no get, so --edit cannot read the record"
        )
    call = builder.resolve(runtime, catalogue, options, mode, operation)
    if (
        not prompt.at_terminal(runtime, no_input=call.settings.no_input)
        or not runtime.stdout_is_terminal
    ):
        raise UsageError(
            "--edit needs a terminal, because it asks before it sends",
            hint="-d, -f and -F change fields without a terminal",
        )
    editor = _editor_words(runtime)
    # The same request is sent later, with the changes as its body.
    writes = part(options, WriteOptions)
    started = builder.operation_request(
        call._replace(options=replace(writes, bodies=("{}",))), operation
    )
    single.send(call, started, partial(_edit, editor, get))


def _editor_words(runtime: Runtime) -> Sequence[str]:
    name = next(
        (
            variable
            for variable in ("VISUAL", "EDITOR")
            if runtime.environ.get(variable, "").strip()
        ),
        None,
    )
    if name is None:
        raise ConfigError(
            "--edit needs an editor", hint="set the variable EDITOR, such as EDITOR=vi"
        )
    try:
        return other_program.words(runtime.environ[name], runtime.environ)
    except ValueError as error:
        raise ConfigError(f"{name}: {error}") from None


def _edit(
    editor: Sequence[str], get: Operation, call: Call, clients: Clients, request: Request
) -> None:
    """Show the record in the editor, and send the changes.

    Sends nothing if the record has been changed at the service since it was read.
    """
    runtime, _, settings, options, *_ = call
    identifier = builder.identifier(options) or ""
    read_request = builder.record_request(call, get, identifier)
    assert request.operation is not None  # noqa: S101  it is an update
    what = f"{get.api} {get.resource} {identifier}"
    seen = _record(call, clients, read_request)
    shown = _editable_members(call, request.operation, seen)
    with _text_file(get.resource, _indented_json(shown)) as path:
        edited = _edited(runtime, editor, path, seen)
        _tell_removed(runtime, shown, edited)
        changed = _changed_members(seen, edited)
        if not changed:
            runtime.stderr.note("nothing was changed, so nothing was sent")
            return
        _show_changes(runtime, what, seen, changed)
        prompt.confirm_change(
            runtime, settings, "update", what, yes=part(options, WriteOptions).yes
        )
        before = {name: seen.get(name, _NULL) for name in changed}
        if _is_already(identifier, before, changed, partial(_record, call, clients, read_request)):
            runtime.stderr.note(f"{what} already has these values, so nothing was sent")
            return
        single.send_once(call, clients, request._replace(body=join(changed)))


def _record(call: Call, clients: Clients, request: Request) -> Parts:
    """Return the current record.

    Raises ServiceError if the response is not a record.
    """
    with closing(clients.open(call.settings)) as client:
        result = outcome.record_in(client.send(request).body or b"", call.catalogue.service)
    if not result:
        raise ServiceError(
            f"the answer to {request.method} {request.path} is not a record", retryable=False
        )
    return result


def _editable_members(call: Call, operation: Operation, record: Parts) -> Parts:
    known = {field.name for field in operation.accepted_fields}
    if description := builder.described(call.runtime, call.options, operation):
        known |= {field.name for field in description.body}
    chosen = {name: value for name, value in record.items() if name in known - {"id"}}
    return chosen or {name: value for name, value in record.items() if name not in NOT_SENT}


def _indented_json(members: Parts) -> bytes:
    lines = (
        b"  " + dump(name).encode() + b": " + _indented(value) for name, value in members.items()
    )
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _indented(value: bytes) -> bytes:
    # JSON strings contain no raw line breaks, so every line can be indented.
    return pretty(value).replace(b"\n", b"\n  ")


@contextmanager
def _text_file(name: str, text: bytes) -> Iterator[Path]:
    """Yield a file with the text. Only this user can read it.

    The file is removed, unless it was edited and an error ended the edit.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="unified-edit-"))
        path = folder / f"{name}.json"
        path.touch(0o600)
        path.write_bytes(text)
    except OSError as error:
        raise StorageError(f"cannot write {error.filename}: {error.strerror}") from None
    try:
        yield path
    except BaseException as error:
        if _has_content(path, text):
            shutil.rmtree(folder, ignore_errors=True)
            raise
        note = f"the edited text is in {path}"
        if isinstance(error, UnifiedError):
            error.add_hint(note)
        else:
            error.add_note(note)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _has_content(path: Path, text: bytes) -> bool:
    try:
        return path.read_bytes() == text
    except OSError:
        return not path.exists()


def _edited(runtime: Runtime, editor: Sequence[str], path: Path, seen: Parts) -> Parts:
    """Return the edited record.

    Raises UsageError if the user cancels, and ConfigError if there is no editor.
    """
    while True:
        runtime.stderr.end_line()
        try:
            code = other_program.run_at_terminal([*editor, str(path)], runtime.environ)
        except OSError as error:
            raise ConfigError(f"cannot run {editor[0]}: {error.strerror}") from None
        if code:
            raise UsageError(f"nothing was sent: {editor[0]} {other_program.ending(code)}")
        try:
            edited = _read(path)
            _check_names(_changed_members(seen, edited))
        except UsageError as error:
            runtime.stderr.line(error.message)
        else:
            return edited
        if not prompt.ask(runtime, "edit it again?", default=True):
            raise UsageError("nothing was sent")


def _read(path: Path) -> Parts:
    """Return the members in the file.

    Raises UsageError if the content is not a JSON object.
    """
    text = request_body.read_file(str(path)).removeprefix(b"\xef\xbb\xbf").strip()
    request_body.check_json(text, "the text")
    members = parts(text)
    if members is None:
        raise UsageError("the text must be a JSON object, between { and }")
    if twice := [name for name in members if keys(text).count(name) > 1]:
        raise UsageError(f"the text has {twice[0]} twice")
    return members


def _check_names(changed: Parts) -> None:
    """Raise UsageError if the changes include the id, or name a connection."""
    if "id" in changed:
        raise UsageError("the text changes the id (edit the other record by its own id)")
    if LABEL in changed:
        raise UsageError(f"the text has a {LABEL}, but a body cannot choose the connection")


def _tell_removed(runtime: Runtime, shown: Parts, edited: Parts) -> None:
    for name in shown:
        if name not in edited and shown[name] != _NULL:
            runtime.stderr.line(
                f"{name} was removed from the text, so it is not changed (null clears the field)"
            )


def _changed_members(seen: Parts, edited: Parts) -> Parts:
    return {
        name: one_line(value)
        for name, value in edited.items()
        if any(True for _ in member_differences(name, seen.get(name), value, _RULES))
    }


def _show_changes(runtime: Runtime, what: str, seen: Parts, changed: Parts) -> None:
    runtime.stderr.line(what)
    for name, value in changed.items():
        for change in member_differences(name, seen.get(name), value, _RULES):
            for sign, side in (("-", change.before), ("+", change.after)):
                if side is not None:
                    runtime.stderr.line(f"{sign} {change.path}: {_short(side)}")


def _short(value: bytes) -> str:
    text = one_line(value).decode("utf-8")
    return text if len(text) <= _LONGEST_CHANGE else f"{text[:_LONGEST_CHANGE]}…"


def _is_already(
    identifier: str, seen: Parts, wanted: Parts, read_record: Callable[[], Parts]
) -> bool:
    """Return whether the record already has these changes.

    Raises RefusedError if these members have been changed to other values.
    """
    try:
        now = read_record()
    except UnifiedError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        message = f"{identifier} was deleted after it was read"
        raise RefusedError(message, hint="nothing was sent", origin="local") from None
    if not difference.changes(wanted, now, _RULES):
        return True
    if found := difference.changes(seen, now, _RULES):
        why = f"{identifier} has changed since it was read: {'; '.join(found)}"
        raise RefusedError(
            why,
            hint="nothing was sent; run the command again to edit the current record",
            origin="local",
        )
    return False
