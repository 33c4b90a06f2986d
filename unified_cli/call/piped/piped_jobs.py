"""The requests for the ids, or records with an id, on standard input, all made before the first is sent."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from unified_cli.bulk.import_ import input_file
from unified_cli.bulk.import_.import_items import ImportItem, ItemRules, items
from unified_cli.call import Call, builder
from unified_cli.catalogue import Operation
from unified_cli.cli.flags import part
from unified_cli.cli.options import OperationOptions, SendOptions
from unified_cli.config.file import RESERVED
from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.http import request as requests, request_body as bodies
from unified_cli.http.request import Content, Request
from unified_cli.http.request_body import BodyField
from unified_cli.storage import input_bounds

_STDIN = "standard input"
_LARGE_INPUT = "split it; unified import takes files of any size, with --operation update or delete"

Targets = Mapping[str | None, Settings]
"""The connections that records may go to by their names, which the records give; or one alone, of the name None."""


@dataclass(frozen=True, slots=True)
class PipedJob:
    """The request for a line of the input, to the connection of this name; or `wrong`, why there is none."""

    line: int
    profile: str | None
    request: Request | None
    wrong: str = ""
    identifier: str | None = None
    sent: float = 0
    """When it was first sent, in seconds since 1970, where it was in doubt before."""


def read(call: Call, operation: Operation, targets: Targets) -> list[PipedJob]:
    """The jobs, in the order of the lines.

    Raises UsageError for input that cannot be used. Where there are several targets, a line that cannot be used is one
    that failed, and no reason to leave out the others.
    """
    sent = part(call.options, SendOptions)
    fields = bodies.fields(sent.raw_field, sent.field)
    piped = _input(call, fields)
    # What is wrong with an option is not wrong with each line.
    bodies.compose(sent.data, fields, call.runtime)
    query = builder.pairs(call.options.query)
    lines = input_file.ids_or_records(
        piped, _STDIN, call.catalogue.service.items, part(call.options, OperationOptions).format
    )
    alone = None in targets
    names = None if alone else {name for name in targets if name is not None and name != RESERVED}
    jobs: list[PipedJob] = []
    for item in items(lines, ItemRules(operation, call.catalogue.service, profiles=names)):
        if len(jobs) >= input_bounds.MOST_REQUESTS:
            raise UsageError(f"{_STDIN} holds more than {input_bounds.MOST_REQUESTS:,} lines", hint=_LARGE_INPUT)
        request, wrong = None, item.wrong
        if not wrong:
            try:
                content = Content(query, _body(call, item, operation, fields), _key(item, operation))
                request = _request(call, operation, item, content, targets[item.profile])
            except UsageError as error:
                wrong = error.message
        if wrong and alone:
            raise UsageError(f"{_STDIN}, line {item.number}{' ' if item.wrong else ': '}{wrong}")
        before = item.mark.sent if item.mark else 0
        jobs.append(PipedJob(item.number, item.profile, request, wrong, item.identifier, before))
    if not jobs:
        raise UsageError(f"no ids on {_STDIN}", hint="one id, or one record with an id, on each line")
    return jobs


def _input(call: Call, fields: list[BodyField]) -> bytes:
    runtime = call.runtime
    if bodies.reads_stdin(part(call.options, SendOptions).data, fields) or call.options.token_stdin:
        raise UsageError("the ids come from standard input, so nothing else can be read from it")
    if runtime.stdin is None:
        raise UsageError("standard input is closed, so there are no ids")
    if runtime.stdin_is_terminal:
        runtime.stderr.note("reading ids, one per line; end with Ctrl-D")
    return input_bounds.whole(runtime.stdin, _STDIN, hint=_LARGE_INPUT)


def _request(call: Call, operation: Operation, item: ImportItem, content: Content, settings: Settings) -> Request:
    made = requests.for_operation(builder.scope(settings, call.catalogue), operation, item.identifier, content)
    return made._replace(honoured=settings.idempotency_window > 0, in_doubt=item.in_doubt)


def _key(item: ImportItem, operation: Operation) -> str | None:
    return (item.key or str(uuid.uuid4())) if operation.method == "PATCH" else None


def _body(call: Call, item: ImportItem, operation: Operation, fields: list[BodyField]) -> bytes | None:
    """The record without its id, or `-d`, with the fields of `-f` and `-F`."""
    if not operation.takes_body:
        return None
    own, data = item.body if item.body not in (None, b"{}") else None, part(call.options, SendOptions).data
    if own is not None and data is not None:
        raise UsageError("the record is the body, so -d cannot be used (-f and -F change its fields)")
    text = own.decode("utf-8") if own is not None else data
    found = bodies.compose(text, fields, call.runtime)
    if found is None and operation.name == "update":
        raise UsageError("nothing to change (use records with fields, or -d, -f, -F)")
    return found
