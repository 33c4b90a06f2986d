"""Print requests instead of sending them, as JSON or as a curl command, and print
skeletons of bodies.
"""

import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from unified_cli.call import Call, builder
from unified_cli.catalogue import Operation
from unified_cli.catalogue.known import KnownField
from unified_cli.catalogue.model import FILE_RESOURCES
from unified_cli.cli.flags import part
from unified_cli.cli.options import ReadOptions
from unified_cli.config import known_methods
from unified_cli.config.known_methods import KnownMethod
from unified_cli.errors import UsageError
from unified_cli.http import pagination
from unified_cli.http.request import Request
from unified_cli.masking import visible
from unified_cli.output import stdout, terminal
from unified_cli.runtime import Runtime
from unified_cli.values import JsonObject

if TYPE_CHECKING:
    from unified_cli.http.upload import UploadFacts

_TOKEN = "$UNIFIED_TOKEN"  # noqa: S105  the name of the variable, not a token


# Linux limits an argument of a program to 128 KiB. The shell's built-in printf has no
# limit.
_LONGEST_WORD = 100_000
_TIME = "2026-01-31T12:00:00Z"
_FORMS = (
    "send a file as base64 in a field (-F data=@base64:FILE), in a form (--upload FILE) or"
    " unchanged (-d @FILE --content-type TYPE); which of these works depends on the product"
)
_EMPTY: JsonObject = {"number": 0, "boolean": False, "array": [], "object": {}}


def show(call: Call, request: Request) -> None:
    """Print the request as JSON or as a curl command, without reading the token."""
    since = part(call.options, ReadOptions).since
    request = pagination.filtered(
        request, builder.change_filter(call.runtime, since, call.options.query)
    )
    if call.mode.shown == "json":
        stdout.write_json(call.runtime, msgspec.json.encode(as_json(request)))
        return
    if request.address.is_sandbox:
        raise UsageError(
            "the sandbox in this process has no address for curl (unified sandbox serve gives it"
            " one)"
        )
    if call.runtime.stdout_is_terminal and request.body is not None:
        # Escape invisible characters, so that the JSON can be copied from the terminal.
        request = request._replace(
            body=terminal.json_visible(request.body.decode("utf-8")).encode("utf-8")
        )
    text = curl(request, ca_bundle=call.settings.ca_bundle) + "\n"
    stdout.write(call.runtime, [text.encode("utf-8", "surrogateescape")])


def show_one_of_many(call: Call, request: Request) -> None:
    """Print one of many requests. JSON is printed on one line."""
    if call.mode.shown == "json":
        print_line(call.runtime, request)
    else:
        show(call, request)


def as_json(request: Request) -> JsonObject:
    """Return the request as JSON, without its token."""
    return {
        "method": request.method,
        "url": request.url,
        "headers": {**request.headers, "Authorization": "Bearer ***"},
        "body": msgspec.Raw(request.body) if request.body is not None else None,
        **({"upload": _displayable(request.upload.facts)} if request.upload is not None else {}),
    }


def _displayable(facts: "UploadFacts") -> JsonObject:
    """Return the options of an upload, ready to print.

    File names that are not UTF-8 are escaped.
    """
    return facts.as_json() | {"file": visible(facts.file)}


def curl(request: Request, *, ca_bundle: str | None = None) -> str:
    """Return the request as a curl command for a POSIX shell.

    The command takes the token from UNIFIED_TOKEN.
    """
    # By default curl expands brackets in a URL and normalises its path.
    words = ["curl", "--fail-with-body", "-sS", "--globoff", "--path-as-is", "-X", request.method]
    words += [shlex.quote(request.url), "-H", f'"Authorization: Bearer {_TOKEN}"']
    upload = request.upload
    for name, value in request.headers.items():
        # curl chooses the boundary of a form itself.
        if not (name == "Content-Type" and upload and upload.facts.field is not None):
            words += ["-H", shlex.quote(f"{name}: {value}")]
    if ca_bundle:
        words += ["--cacert", shlex.quote(ca_bundle)]
    if upload is not None:
        words += map(shlex.quote, _curl_file_words(upload.facts))
    if request.body is None:
        return " ".join(words)
    body = shlex.quote(request.body.decode("utf-8"))
    if len(request.body) > _LONGEST_WORD:
        return f"printf %s {body} | {' '.join([*words, '--data-binary', '@-'])}"
    return " ".join([*words, "--data-binary", body])


def _curl_file_words(facts: "UploadFacts") -> Iterator[str]:
    # curl reads standard input if the file is `-`.
    path = "./-" if facts.file == "-" else facts.file
    if facts.field is None:
        yield from ("--data-binary", f"@{path}")
        return
    for name, value in facts.fields:
        yield from ("--form-string", f"{name}={value}")
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    yield from ("-F", f'{facts.field}=@"{quoted}";type={facts.content_type}')


def print_line(runtime: Runtime, request: Request) -> None:
    """Print one of many requests as a line of JSON."""
    document = msgspec.json.encode(as_json(request)) + b"\n"
    if runtime.stdout_is_terminal:
        stdout.show(runtime, [terminal.json_visible(document.decode("utf-8"))])
    else:
        stdout.write(runtime, [document])


def show_skeleton(runtime: Runtime, operation: Operation, described: KnownMethod | None) -> None:
    """Print the skeleton of the operation's body.

    The skeleton also has the fields in `described`, the description that the connection
    gave of this operation.
    """
    fields = operation.accepted_fields
    if described is not None:
        fields = known_methods.with_known(fields, described.body)
    stdout.write_json(runtime, msgspec.json.encode(skeleton(fields, operation.facts.members)))
    if operation.kind == "write" and operation.resource in FILE_RESOURCES:
        runtime.stderr.note(_FORMS)


def skeleton(fields: Iterable[KnownField], members: Iterable[KnownField] = ()) -> JsonObject:
    """Return every field with an empty value, and the known members of objects.

    A field with known values has all of them, separated by `|`. A time field has an
    example, because services refuse an empty time.
    """
    result: JsonObject = {field.name: _empty(field) for field in fields}
    for member in members:
        field, _, name = member.name.partition(".")
        if isinstance(result.get(field), dict):
            result[field] = {**result[field], name: _empty(member)}
    return result


def _empty(field: KnownField) -> Any:
    if field.values:
        return "|".join(field.values)
    return _TIME if field.is_time else _EMPTY.get(field.type, "")
