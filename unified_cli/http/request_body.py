"""Compose a body from the command line: `-d` is the template, and `-f` and `-F` set its
fields.
"""

import base64
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from unified_cli import hints
from unified_cli.errors import StorageError, UsageError
from unified_cli.json_text import json_check
from unified_cli.masking import visible
from unified_cli.runtime import Runtime, as_typed
from unified_cli.storage import input_bounds

_NAME = re.compile(r"[^\[\]]+")
_STEP = re.compile(r"\[([^\[\]]*)\]")
_BARE_ITEMS = re.compile(r"\[\s*\w[\w -]*(,\s*\w[\w -]*)*\]")
_BYTE = re.compile(r"\(byte (\d+)\)")
_UNQUOTED = re.compile(r"\{\w+:[^\"']*\}")
_WORDS = re.compile(r"[+-]?[\d.]|[\[{\"]|(true|false|null)$")
_BASE64 = "@base64:"
_STDIN = ("-", "@-")
_PIPED = ("@-", f"{_BASE64}-")

# msgspec.Raw keeps JSON text unchanged, so that 1.10 stays 1.10.
Json = Any


@dataclass(frozen=True, slots=True)
class BodyField:
    """A field of a body, from `-f` or `-F`.

    The value of `-f` is always a string (`raw`). The value of `-F` is JSON if it is
    valid JSON, or the content of a file for `@FILE`. `needed` are the names of the
    fields that the body must have.
    """

    text: str
    raw: bool
    needed: Sequence[str] = ()


class _Step(NamedTuple):
    """One name in a field such as `a[b][]`, and its position. An empty name means a new
    item of an array.
    """

    name: str
    column: int


def fields(raw: Sequence[str], typed: Sequence[str], needed: Sequence[str] = ()) -> list[BodyField]:
    """Return the fields of the options `-f` and `-F`.

    `needed` are the names of the fields that the body must have.
    """
    return [
        *(BodyField(text, raw=True, needed=needed) for text in raw),
        *(BodyField(text, raw=False, needed=needed) for text in typed),
    ]


def compose(data: str | None, fields: Sequence[BodyField], runtime: Runtime) -> bytes | None:
    """Return the body as JSON, or None if there are neither `data` nor fields. Numbers
    keep their digits.

    Raises UsageError with the position if the input is invalid, and StorageError if a
    file cannot be read.
    """
    if data is None and not fields:
        return None
    if reads_stdin(data, fields) > 1:
        raise UsageError(
            "standard input can be read only once", hint="use @FILE for the other options"
        )
    template = _read_json(data, runtime) if data is not None else None
    if not fields:
        return template
    tree = {} if template is None else _open(template)
    if not isinstance(tree, dict):
        raise UsageError(
            "-f and -F set fields of an object, but the body given with -d is not an object"
        )
    _check_once(fields)
    for field in fields:
        _set(tree, field, runtime)
    return msgspec.json.encode(tree)


def _check_once(fields: Sequence[BodyField]) -> None:
    names = [name for one in fields if "[]" not in (name := one.text.partition("=")[0])]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(
            f'the field "{visible(twice)}" is given {names.count(twice)} times',
            hint=f"give the field once; {shlex.quote(f'{visible(twice)}[]=VALUE')} adds to a list",
        )


def check_id(typed: str, name: str, value: Json, *, hint: str) -> None:
    """Raise UsageError if the value of an id is empty, usually because of an unset
    shell variable.

    `typed` is the option as the user typed it, for the message.
    """
    if value == "" and (name == "id" or name.endswith("_id")):
        raise UsageError(f"{typed}: the id is empty", hint=hint)


def reads_stdin(data: str | None, fields: Sequence[BodyField]) -> int:
    """Count the options that read standard input."""
    piped = [not field.raw and field.text.partition("=")[2] in _PIPED for field in fields]
    return sum(piped) + (data in _STDIN)


def read_argument(text: str, runtime: Runtime, flag: str) -> bytes:
    """Return the bytes of `TEXT`, `@FILE`, or standard input (`-` or `@-`).

    Raises UsageError if standard input is closed or there are more than 64 MiB, and
    StorageError if a file cannot be read.
    """
    if text in _STDIN:
        if runtime.stdin is None:
            raise UsageError(f"{flag} {text} reads standard input, which is closed")
        if runtime.stdin_is_terminal:
            runtime.stderr.note("reading standard input; end it with Ctrl-D")
        return input_bounds.whole(runtime.stdin, f"what {flag} {text} reads from standard input")
    if text.startswith("@"):
        return read_file(text[1:])
    return text.encode("utf-8", "surrogateescape")


def read_file(name: str) -> bytes:
    """Return the bytes of a file.

    Raises UsageError if there are more than 64 MiB, and StorageError if it cannot be
    read.
    """
    try:
        with input_bounds.reader(name) as file:
            return input_bounds.whole(file, name)
    except (OSError, ValueError) as error:
        raise StorageError(
            f"cannot read {name}: {getattr(error, 'strerror', None) or error}"
        ) from None


class LinesError(UsageError):
    """The body has several records, one on each line."""


def check_json(text: bytes, what: str, *, hint: str | None = None) -> bytes:
    """Return the text unchanged. Raises UsageError if it is not exactly one JSON value.
    The error names the position of the mistake, or its line if the text has several
    lines.
    """
    if wrong := json_check.flaw(text):
        if b"\n" in text and (place := _BYTE.search(wrong)):
            line = text.count(b"\n", 0, int(place[1])) + 1
            wrong = wrong.replace(place[0], f"(line {line})")
        raise UsageError(f"{what} {wrong}", hint=hint)
    return text


def _read_json(data: str, runtime: Runtime) -> bytes:
    text = read_argument(data, runtime, "-d").removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        raise UsageError(
            "the body given with -d is empty, but must be JSON",
            hint="-d '{}' sends an empty object",
        )
    if _are_records(text):
        raise LinesError(
            "the body given with -d must be one record, but it has several lines of JSON",
            hint="unified import API/RESOURCE FILE sends a record for each line",
        )
    hint = (
        _meant(data)
        or "-f NAME=STRING and -F NAME=JSON build a body, -d @FILE reads a body from a file"
    )
    from_file = data.startswith("@") and data not in _STDIN
    what = f"{data[1:]}, given with -d," if from_file else "the body given with -d"
    return check_json(text, what, hint=hint)


def _are_records(text: bytes) -> bool:
    first, _, rest = text.partition(b"\n")
    second = rest.lstrip().partition(b"\n")[0]
    return bool(second) and not any(map(json_check.flaw, (first, second)))


def _meant(data: str) -> str | None:
    """Return a suggestion for a `-d` that is not JSON, for example because it has
    single quotes.

    Returns None if no suggestion is known.
    """
    if data[0] not in "@-{[":
        return hints.meant_body(data)
    if _UNQUOTED.fullmatch(data):
        return hints.JSON_IN_QUOTES
    quoted = data.replace("'", '"') if data[1:2] == "'" else ""
    return hints.meant_body(quoted) if quoted and not json_check.flaw(quoted.encode()) else None


def _quoted_items(name: str, text: str) -> str | None:
    """Return a suggestion for a list of bare words, such as `[red,blue]`."""
    if not _BARE_ITEMS.fullmatch(text):
        return None
    items = ",".join(f'"{word.strip()}"' for word in text[1:-1].split(","))
    return f"-F '{name}=[{items}]'"


def _open(value: Json) -> Json:
    if not isinstance(value, (bytes, msgspec.Raw)):
        return value
    text = bytes(value).lstrip()
    try:
        if text.startswith(b"{"):
            return msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        if text.startswith(b"["):
            return msgspec.json.decode(text, type=list[msgspec.Raw])
    except msgspec.DecodeError:
        raise UsageError(
            "the body given with -d holds half a surrogate pair, so -f and -F cannot change it"
        ) from None
    return msgspec.Raw(text)


def _set(tree: dict[str, Json], field: BodyField, runtime: Runtime) -> None:
    path, value = _split(field)
    leaf = _string(value) if field.raw else _value(path[0].name, value, runtime)
    name = field.text.partition("=")[0]
    cleared, empty = (shlex.quote(f"{name}={json}") for json in ("null", '""'))
    check_id(
        f"-{'f' if field.raw else 'F'} {field.text}",
        path[-1].name,
        leaf,
        hint=(
            f"is a shell variable unset? -F {cleared} clears the field, -F {empty} sends an"
            " empty text"
        ),
    )
    at: Json = tree
    for step, following in pairwise(path):
        at = _descend(at, step, following.name, field)
    if isinstance(at, list):
        at.append(leaf)
    else:
        at[path[-1].name] = leaf


def _descend(at: Json, step: _Step, following: str, field: BodyField) -> Json:
    empty: Json = [] if following == "" else {}
    if isinstance(at, list):
        # `a[][b]=1 a[][c]=2` fills one object until a name repeats, as in other tools.
        last = _open(at[-1]) if at else None
        if not (isinstance(last, dict) and isinstance(empty, dict) and following not in last):
            at.append(empty)
            return empty
        at[-1] = last
        return last
    inner = _open(at[step.name]) if step.name in at else empty
    if type(inner) is not type(empty):
        raise _misplaced(
            field,
            step.column,
            "this name already has a value of another type",
            "leave out one of the two",
        )
    at[step.name] = inner
    return inner


def _split(field: BodyField) -> tuple[list[_Step], str]:
    flag = "-f" if field.raw else "-F"
    name, equals, value = field.text.partition("=")
    if not equals:
        hint = hints.meant_body(field.text) or hints.with_equals(flag, field.text)
        if not hint and len(field.needed) == 1:
            hint = f"{flag} {shlex.quote(f'{field.needed[0]}={field.text}')}"
        raise UsageError(
            f"{flag} {field.text!r} needs a value",
            hint=hint or f"{flag} NAME=VALUE sets a field, -d @FILE sends a file",
        )
    name = _string(name)
    match = _NAME.match(name)
    if match is None:
        raise _misplaced(field, 0, "a name is missing here")
    path, at = [_Step(match[0], 0)], match.end()
    while at < len(name):
        step = _STEP.match(name, at)
        if step is None:
            raise _misplaced(
                field,
                at,
                "this bracket is not closed" if name[at] == "[" else "only [name] may follow",
            )
        path.append(_Step(step[1], at))
        at = step.end()
    if len(path) > json_check.DEEPEST:
        raise UsageError(f"{flag} {name[:40]}…: deeper than {json_check.DEEPEST} levels")
    return path, value


def _misplaced(field: BodyField, at: int, message: str, hint: str | None = None) -> UsageError:
    flag = "-f" if field.raw else "-F"
    return UsageError(
        f"{flag} {field.text}: {message}",
        hint=hint,
        caret=(f"{flag} {field.text}", len(flag) + 1 + at),
    )


def _value(name: str, value: str, runtime: Runtime) -> Json:
    if value.startswith(_BASE64):
        content = read_argument(f"@{value.removeprefix(_BASE64)}", runtime, "-F")
        return base64.b64encode(content).decode("ascii")
    if value.startswith("@"):
        content = read_argument(value, runtime, "-F")
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{value[1:]} is not UTF-8 at byte {error.start}", hint="@base64:FILE sends bytes"
            ) from None
    text = _string(value)
    if not _WORDS.match(text):
        return text
    wrong = json_check.flaw(text.encode())
    if wrong and text[0] in '{["':
        raise UsageError(
            f"-F {name} {wrong}",
            hint=_quoted_items(name, text) or "use -f for text that only looks like JSON",
        )
    return text if wrong else msgspec.Raw(text.encode())


def _string(value: str) -> str:
    text = as_typed(value)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"a field is not UTF-8: {value!r}") from None
    return text
