"""Decide in which mode to run an operation, and run it. Only this module decides the
mode.
"""

from contextlib import closing

from unified_cli.call import Mode, ModeKind, builder, delivery, single
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.catalogue.known import KnownField
from unified_cli.catalogue.known_filters import find_doubtful
from unified_cli.cli.command import CommandContext, Later, yes_or_no
from unified_cli.cli.flags import part
from unified_cli.cli.option_parts import StopOptions
from unified_cli.cli.options import (
    DownloadModeOptions,
    OperationOptions,
    ReadCheckOptions,
    SendOptions,
    WriteModeOptions,
)
from unified_cli.config.profiles import is_several
from unified_cli.errors import UsageError
from unified_cli.output import formats, stdout
from unified_cli.runtime import Runtime

_ROOM = "unified_cli.commands.operation"
# The function for each mode, except a single request. Its module is imported when it is
# needed.
_RUNS = {
    ModeKind.DESCRIBED: Later(f"{_ROOM}.description:run"),
    ModeKind.EDITED: Later(f"{_ROOM}.edit:run"),
    ModeKind.FOLLOWED: Later(f"{_ROOM}.follow:run"),
    ModeKind.CHECKED: Later("unified_cli.call.expect:run"),
    ModeKind.LINES: Later(f"{_ROOM}.piped:run"),
    ModeKind.FILES: Later(f"{_ROOM}.downloads:run"),
    ModeKind.READS: Later("unified_cli.call.many:run"),
    ModeKind.WRITES: Later(f"{_ROOM}.many_writes:run"),
}


def run(operation: Operation, context: CommandContext, options: OperationOptions) -> None:
    """Run the operation. Every expected failure is a UnifiedError."""
    runtime, catalogue = context.runtime, context.catalogue
    # The following checks may print notes before the settings are read.
    runtime.stderr.quiet = yes_or_no(runtime, options.quiet, "quiet")
    builder.check_options(options)
    if isinstance(options, StopOptions) and options.has_limits:
        from unified_cli.writes import stop_rules  # noqa: PLC0415  few writes are bounded

        # Report invalid rules even if there is a single request, which does not use
        # them.
        stop_rules.parse(options, 1)
    mode = mode_of(operation, options)
    if mode.kind is ModeKind.SKELETON:
        from unified_cli.call import dry_run  # noqa: PLC0415  a mode of its own

        delivery.decide(delivery.asked_by(options, mode, formats.JSON, operation))
        dry_run.show_skeleton(runtime, operation, builder.described(runtime, options, operation))
        return
    if (
        mode.kind is not ModeKind.DESCRIBED
        and operation.takes_id
        and builder.identifier(options) is None
    ):
        raise _missing_id(catalogue, operation, several=mode.several)
    if mode.kind not in (ModeKind.FILES, ModeKind.DESCRIBED):
        _check_required(runtime, operation, options)
        if operation.lists and options.query:
            _check_filters(runtime, catalogue, operation, options)
    if mode.kind is not ModeKind.ONE:
        if options.out is None:
            stdout.check(runtime)
        _RUNS[mode.kind].load()(runtime, catalogue, operation, options, mode)
        return

    call = builder.resolve(runtime, catalogue, options, mode, operation)
    with closing(builder.operation_request(call, operation)) as request:
        if isinstance(options, DownloadModeOptions):
            from unified_cli.call import file_download  # noqa: PLC0415  only for a file

            file_download.check_fields(operation, request.body)
        elif request.body:
            from unified_cli.call import body_check  # noqa: PLC0415  only if there is a body

            body_check.check(runtime, options, operation, request.body)
        single.send(call, request)


def mode_of(operation: Operation, options: OperationOptions) -> Mode:
    """Return the mode that the options describe.

    Raises UsageError for an option that the mode does not support.
    """
    several = is_several(options.profile)
    edits = part(options, WriteModeOptions).edit
    if edits:
        kind = _edited(options)
    elif isinstance(options, WriteModeOptions | DownloadModeOptions):
        kind = _sent(operation, options, several=several)
    else:
        kind = _kind(operation, options, several=several)
    return Mode(kind, several, options.shown)


def _sent(operation: Operation, options: OperationOptions, *, several: bool) -> ModeKind:
    """Return the mode of an operation that sends or shows a body.

    Raises UsageError if several requests would send a file.
    """
    writing, downloading = part(options, WriteModeOptions), part(options, DownloadModeOptions)
    if writing.skeleton or downloading.skeleton:
        return ModeKind.SKELETON
    many = several or builder.identifier(options) == "-"
    if part(options, SendOptions).sends_file and many:
        raise UsageError(
            "a file can only be sent once, to one connection",
            hint="give one ID, and one name to -p",
        )
    return _kind(operation, options, several=several)


def _kind(operation: Operation, options: OperationOptions, *, several: bool) -> ModeKind:
    if options.describe:
        return ModeKind.DESCRIBED
    checks, piped = part(options, ReadCheckOptions), builder.identifier(options) == "-"
    if checks.follow:
        return ModeKind.FOLLOWED
    if checks.given_any:
        if piped:
            raise UsageError("a read that is checked takes one id, not ids from standard input")
        return ModeKind.CHECKED
    if piped:
        return ModeKind.LINES
    download = part(options, DownloadModeOptions)
    if download.from_ or download.id:
        return ModeKind.FILES
    if options.format:
        raise UsageError(
            "--format sets the format of the input: of standard input (with - as the ID) or of the"
            " file of --from",
            hint="use -o for the format of the output",
        )
    if several:
        reads = operation.method == "GET" or operation.searches
        return ModeKind.READS if reads else ModeKind.WRITES
    return ModeKind.ONE


def _edited(options: OperationOptions) -> ModeKind:
    """Return the mode of `--edit`.

    Raises UsageError for other options that set or show a body.
    """
    sent = part(options, SendOptions)
    with_body = sent.bodies or sent.raw_field or sent.field or sent.sends_file or options.format
    if with_body or part(options, WriteModeOptions).skeleton or options.describe:
        raise UsageError("--edit makes the body by itself", hint="leave out the other options")
    return ModeKind.EDITED


def _missing_id(catalogue: Catalogue, operation: Operation, *, several: bool) -> UsageError:
    path = f"unified {operation.api} {operation.resource}"
    # With several connections, each id needs the name of its connection.
    ids = "-o csv --columns id" if several else "-o ids"
    lists = "list" in catalogue.apis[operation.api].resources[operation.resource].operations
    listed = f"{path} list {ids} prints the IDs; with - as the ID, they are read from a pipe"
    hint = listed if lists else f"{path} {operation.name} --help"
    return UsageError(f"{path} {operation.name}: the ID is missing", hint=hint)


def _check_required(runtime: Runtime, operation: Operation, options: OperationOptions) -> None:
    """Warn about missing required query parameters.

    Raises UsageError instead with `--strict`, and for a download, where a parameter
    names the file. Other requests are sent anyway, because required parameters differ
    between providers.
    """
    given = {name.partition("[")[0] for name, _ in builder.pairs(options.query)}
    required = (
        []
        if operation.lists
        else [field for field in operation.facts.query.get(operation.name, ()) if field.required]
    )
    if description := builder.described(runtime, options, operation):
        known = {*given, *(field.name for field in required)}
        for name in (
            field.name for field in description.query if field.required and field.name not in known
        ):
            message = (
                f"the query lacks {name}, which this connection requires for {operation.command}"
            )
            runtime.stderr.note(f"{message} (-q {name}=…)")
    for one in required:
        if one.name not in given:
            message = f"the query lacks {one.parameter}, which {operation.command} requires"
            typed = f"'{one.parameter}=…'" if "[" in one.parameter else f"{one.parameter}=…"
            hint = f"-q {typed}{', a name that we assume' if one.assumed else ''}"
            if options.strict or _says_no_file(one, options):
                raise UsageError(message, hint=hint)
            runtime.stderr.note(f"{message} ({hint})")


def _says_no_file(missing: KnownField, options: OperationOptions) -> bool:
    """Return whether the options of a download do not select a file.

    Assumption: if the service does not document the parameter's name, any other
    parameter may select the file.
    """
    sent = part(options, SendOptions)
    others = options.query or sent.bodies or sent.raw_field or sent.field
    return isinstance(options, DownloadModeOptions) and not (missing.assumed and others)


def _check_filters(
    runtime: Runtime, catalogue: Catalogue, operation: Operation, options: OperationOptions
) -> None:
    """Warn about parameters that the list may not support.

    With `--strict`, raises UsageError instead.
    """
    description = builder.described(runtime, options, operation)
    names = [field.name for field in description.query] if description else None
    for doubtful in find_doubtful(
        operation, catalogue.service, builder.pairs(options.query), names
    ):
        builder.warn_of_parameter(runtime, doubtful, strict=options.strict)
