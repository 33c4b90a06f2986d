"""Turn typed options into settings and a request."""

import shlex
import uuid
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from unified_cli import hints
from unified_cli.call import Call, Mode, delivery
from unified_cli.catalogue import Catalogue, Operation, Service
from unified_cli.catalogue.known_filters import PASSED_ON
from unified_cli.cli import next_steps
from unified_cli.cli.flags import part
from unified_cli.cli.options import (
    CallOptions,
    PageOptions,
    ReadCheckOptions,
    ReadOptions,
    SendOptions,
    WriteModeOptions,
    overrides,
)
from unified_cli.config import file, known_methods, profiles, resolution
from unified_cli.config.file import Config
from unified_cli.config.known_methods import KnownMethod
from unified_cli.config.settings import DEFAULT, Settings
from unified_cli.errors import UnifiedError, UnsafeError, UsageError
from unified_cli.fleet import own_account, selection
from unified_cli.http import request as requests, request_body
from unified_cli.http.request import Content, Query, Request
from unified_cli.json_text import change_time, record_label
from unified_cli.json_text.change_time import ChangeFilter
from unified_cli.masking import visible
from unified_cli.output import formats
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.catalogue.known_filters import DoubtfulParameter


def resolve(
    runtime: Runtime,
    catalogue: Catalogue,
    options: CallOptions,
    mode: Mode,
    operation: Operation | None,
    *,
    method: str = "GET",
    scoped: bool = True,
) -> Call:
    """Return the call to one connection, and use its settings for messages.

    `method` is for a request without an operation. Without `scoped`, no connection is
    needed. Raises UsageError if options cannot be combined.
    """
    flags = overrides(options, profiles.single_name(options.profile))
    settings = resolution.resolve(flags, runtime, file.read(runtime))
    settings = settings if scoped else settings.without_account()
    own_account.apply_to_messages(runtime, settings)
    call = delivery.with_delivery(
        Call(runtime, catalogue, settings, options, mode), operation, method
    )
    if not scoped:
        return call
    return call._replace(settings=own_account.identified(call.settings, flags, runtime))


def common_call(
    runtime: Runtime,
    catalogue: Catalogue,
    config: Config,
    options: CallOptions,
    mode: Mode,
    operation: Operation | None,
) -> Call:
    """Return the common part of calls to several connections.

    Also uses its settings for messages. Raises UsageError if an option needs a single
    connection, and the errors of `resolve`.
    """
    selection.check_account(options.account_id)
    if part(options, PageOptions).cursor:
        raise UsageError("a cursor belongs to one connection (-p with one name)")
    settings = own_account.common_settings(runtime, config, overrides(options))
    if runtime.stdout_is_terminal:
        settings = settings_for_many(
            settings, runtime, options.jq, config, profiles.select(config, options.profile)
        )
    return delivery.with_delivery(Call(runtime, catalogue, settings, options, mode), operation)


def settings_for_many(
    settings: Settings, runtime: Runtime, jq: str | None, config: Config, names: Iterable[str] = ()
) -> Settings:
    """Return the settings for the results of many calls or writes.

    On a terminal the result is a table, unless `-o`, `--jq`, the settings or one of the
    profiles in `names` set a format.
    """
    by_profile = any("output" in config.profiles.get(name, {}) for name in names)
    asked = settings.values["output"].source != DEFAULT or by_profile or jq or runtime.pretty
    if asked or not runtime.stdout_is_terminal:
        return settings
    return settings._replace(output=formats.TABLE)


def check_options(options: CallOptions) -> None:
    """Raise UsageError for an option without the option it needs.

    Also raises it for an empty value, as from an unset variable.
    """
    pages = part(options, PageOptions)
    if pages.cursor == "":
        raise UsageError("--cursor is empty", hint="leave it out to start at the first page")
    if options.out == "":
        raise UsageError("--out is empty", hint="leave it out to print to standard output")
    if len(part(options, SendOptions).bodies) > 1:
        raise UsageError(
            "-d is given twice, but a request has one body", hint="-f and -F change its fields"
        )


def operation_request(call: Call, operation: Operation) -> Request:
    """Return the request for an operation, from the typed options."""
    connection = requests.scope_of(call.settings, call.catalogue.service)
    build = partial(requests.for_operation, connection, operation, identifier(call.options))
    return _built(operation_content(call, operation), build)


def record_request(call: Call, operation: Operation, record: str) -> Request:
    """Return the request for a record, with the typed query."""
    content = Content(read_query(call, lists=False))
    return requests.for_operation(
        requests.scope_of(call.settings, call.catalogue.service), operation, record, content
    )


def operation_content(call: Call, operation: Operation) -> Content:
    """Return the content of an operation's request, and read its files and standard
    input.
    """
    options = call.options
    checks = part(options, ReadCheckOptions)
    if checks.wait_timeout and not checks.until:
        raise UsageError("--wait-timeout needs --until JQ")
    if isinstance(options, ReadOptions) and not operation.searches:
        # A read has no body, key or file.
        return Content(read_query(call, lists=operation.lists))
    body = read_body(call.runtime, options, operation.method, operation)
    # A write with required query parameters may need no body.
    sends_file = part(options, SendOptions).sends_file
    if (
        body is None
        and operation.kind == "write"
        and not operation.required_parameters
        and not sends_file
    ):
        hint = (
            "--skeleton prints a body, -d - reads a body from standard input, -d '{}' sends an"
            " empty body"
        )
        raise UsageError("nothing to send: give a body with -d, -f or -F", hint=hint)
    if body is None and (operation.kind == "action" or operation.searches):
        # Assumption: actions and searches require a JSON object even if they need no
        # fields, because the service's own clients send one.
        body = b"{}"
    _check_dots(call, operation)
    query = read_query(call, lists=operation.lists)
    return _content(call, operation.method, query, body)


def _check_dots(call: Call, operation: Operation) -> None:
    """Raise UsageError for a field typed as a path with dots.

    `--columns` takes such paths. Here the service would get the whole text as the
    field's name, and may ignore it.
    """
    sent = part(call.options, SendOptions)
    dotted = [
        name for text in (*sent.raw_field, *sent.field) if "." in (name := text.partition("=")[0])
    ]
    known = {field.name for field in (*operation.accepted_fields, *operation.facts.fields)}
    for name in dotted:
        first, *rest = visible(name).split(".")
        if first in known and name not in known and all(rest) and "[" not in name:
            raise UsageError(
                f'{operation.command} has no field named "{visible(name)}"',
                hint=(
                    f"'{first}[{']['.join(rest)}]=…' sets a field within {first}; -d sends any name"
                ),
            )


def _content(call: Call, method: str, query: Query, body: bytes | None) -> Content:
    """Return the content with this query and body. Opens the file last, so that nothing
    can fail after that.
    """
    sent = part(call.options, SendOptions)
    content = Content(query, body, read_key(sent.idempotency_key, method))
    if not sent.sends_file:
        return content
    from unified_cli.call import uploading  # noqa: PLC0415  most calls send no file

    return content._replace(upload=uploading.open_upload(call.runtime, sent, method))


def _built(content: Content, build: Callable[[Content], Request]) -> Request:
    try:
        return build(content)
    except UnifiedError:
        if content.upload is not None:
            content.upload.close()
        raise


def identifier(options: CallOptions) -> str | None:
    """Return the typed id, or None without one."""
    return options.id if isinstance(options, ReadOptions | WriteModeOptions) else None


def path_request(call: Call, method: str, path: str, body: bytes | None) -> Request:
    """Return the request for a typed method and path."""
    connection = requests.scope_of(call.settings, call.catalogue.service)
    query = read_query(call, lists=part(call.options, PageOptions).page_size is not None)
    content = _content(call, method, query, body)
    return _built(content, partial(requests.for_path, connection, method, path))


def described(runtime: Runtime, options: CallOptions, operation: Operation) -> KnownMethod | None:
    """Return the connection's cached description of the operation, or None.

    Returns None for several connections.
    """
    if not runtime.has_cached("methods") or profiles.is_several(options.profile):
        return None

    try:
        settings = resolution.resolve(
            overrides(options, profiles.single_name(options.profile)), runtime, file.read(runtime)
        )
        return known_methods.recall(runtime, settings, operation)
    except UnifiedError:
        # A command that needs the connection reports the problem later. A skeleton
        # needs none.
        return None


def warn_of_parameter(runtime: Runtime, doubtful: "DoubtfulParameter", *, strict: bool) -> None:
    """Warn about a doubtful parameter. Raises UsageError if it is strict."""
    if strict:
        raise UsageError(doubtful.reason, hint=doubtful.hint)
    runtime.stderr.note(doubtful.message)
    runtime.stderr.reported.add(doubtful.name.partition("[")[0])


def check_writable(settings: Settings, request: Request) -> None:
    """Raise UnsafeError for a write if the profile forbids writing."""
    if settings.read_only and request.writes:
        who = f'profile "{settings.profile}"' if settings.profile else "the configuration"
        hint = (
            f"unified profile set {settings.profile} read_only=false allows writes"
            if settings.profile
            else None
        )
        raise UnsafeError(
            f"{who} is read-only; {request.method} {request.path} was not sent", hint=hint
        )


def read_query(call: Call, *, lists: bool) -> list[tuple[str, str]]:
    """Return the query of `-q`, and a list's page size."""
    query = pairs(call.options.query)
    return with_page_size(query, call.settings, call.catalogue.service) if lists else query


def with_page_size(
    query: list[tuple[str, str]], settings: Settings, service: Service
) -> list[tuple[str, str]]:
    """Return a list's query with the settings' page size.

    The query is unchanged if it has a page size, or the settings have none.
    """
    if settings.page_size is None or service.page_size in dict(query):
        return query
    return [*query, (service.page_size, str(settings.page_size))]


def pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the names and values of `NAME=VALUE` texts. Raises UsageError if a text
    has no value, or if an id is empty.
    """
    result = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name.startswith("?") or name.endswith(("<", ">", "!", " ")):
            raise UsageError(f"-q {text!r} is not NAME=VALUE", hint=hints.meant_query(text))
        base, _, inner = name.rpartition("[")
        if base.partition("[")[0] != PASSED_ON:
            hint = "leave it out, or give an id"
            request_body.check_id(f"-q {text}", inner.removesuffix("]"), value, hint=hint)
        result.append((name, value))
    return result


def change_filter(runtime: Runtime, text: str | None, query: Sequence[str]) -> ChangeFilter | None:
    """Return the filter of `--since`. Raises UsageError if it is invalid, or if the
    query already has one.
    """
    if text is None:
        return None
    check_own_filter("--since", query)
    try:
        since = change_time.since(text, runtime.wall())
    except (ValueError, OverflowError):
        meant = change_time.meant(text)
        raise UsageError(
            f"--since takes a time or an age, not {text!r}",
            hint=f"--since {meant}" if meant else "2026-01-31, 2026-01-31T08:00Z, 7d, 12h",
        ) from None
    if since.after.at.timestamp() > runtime.wall():
        runtime.stderr.note_once(f"--since {text} is in the future")
    return since


def check_own_filter(option: str, query: Sequence[str]) -> None:
    """Raise UsageError if the query already filters by change time."""
    if any(name.startswith("updated_at[") for name, _ in pairs(query)):
        raise UsageError(f"{option} filters by updated_at itself (leave out -q updated_at…)")


def read_body(
    runtime: Runtime, called: CallOptions, method: str, operation: Operation | None = None
) -> bytes | None:
    """Return the JSON body of `-d`, `-f` and `-F`.

    None if no such option is given. Raises UsageError if the body names a connection:
    only the profile chooses it.
    """
    options = part(called, SendOptions)
    if options.sends_file or (options.data is None and not options.raw_field and not options.field):
        return None
    if method == "GET":
        raise UsageError("a GET has no body (for query parameters: -q NAME=VALUE)")
    if called.token_stdin and options.data in {"-", "@-"}:
        raise UsageError(
            f"-d {options.data} and --token-stdin both read standard input",
            hint="put one of them into a file",
        )

    needed = operation.required_fields if operation else ()
    fields = request_body.fields(options.raw_field, options.field, needed)
    try:
        body = request_body.compose(options.data, fields, runtime)
    except request_body.LinesError as error:
        if operation:
            next_steps.name_import(error, operation, options.data or "")
        raise
    except UsageError as error:
        if error.reason.startswith("-F "):
            next_steps.quote_json(error, options.field)
        raise
    check_unlabelled(body, called, operation)
    return body


def check_unlabelled(body: bytes | None, options: CallOptions, operation: Operation | None) -> None:
    """Raise UsageError for a body that names a connection. The hint is the command that
    sends each record to its own connection.
    """
    if body is None or not record_label.carries(body):
        return
    chosen = options.profile if profiles.is_several(options.profile) else ("NAME", "NAME")
    resource = f"{operation.api}/{operation.resource}" if operation else "API/RESOURCE"
    name = operation.name if operation else "OP"
    selected = "".join(f" -p {shlex.quote(pattern)}" for pattern in chosen)
    raise UsageError(
        f"the body has a {record_label.LABEL}, but a body cannot choose the connection",
        hint=f"unified import {resource} FILE --operation {name}{selected} sends each record to the"
        " one that it names",
    )


def read_key(key: str | None, method: str) -> str | None:
    """Return the idempotency key of a POST or PATCH: the given key or a new one.

    Returns None for other methods.
    """
    if method not in {"POST", "PATCH"}:
        if key is not None:
            raise UsageError(f"a {method} has no idempotency key (leave out --idempotency-key)")
        return None
    if key is None:
        return str(uuid.uuid4())
    if not requests.is_key(key):
        raise UsageError(
            f"--idempotency-key takes 1 to {requests.LONGEST_KEY} printable ASCII characters"
            " without blanks"
        )
    return key
