"""`unified logs`: recent calls of connections, from the service's own log."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated

from unified_cli.call import Call, Mode, ModeKind, builder, dry_run, many
from unified_cli.call.many import ManyReads
from unified_cli.catalogue import Catalogue, Operation, Service
from unified_cli.cli.command import Command, CommandContext
from unified_cli.cli.flags import LIST, Common, flags_of, names_of
from unified_cli.cli.option_parts import NetworkOptions
from unified_cli.cli.options import CallOptions, PageOptions, overrides
from unified_cli.cli.shared_options import Since, with_help
from unified_cli.config import file, profiles
from unified_cli.config.settings import DEFAULT, Settings
from unified_cli.errors import UsageError
from unified_cli.fleet import own_account
from unified_cli.http import request as requests
from unified_cli.http.har_redaction import REPLACED, Holding, Redaction
from unified_cli.http.pagination import Page
from unified_cli.http.request import Content, Request
from unified_cli.json_text import change_time, members
from unified_cli.json_text.json_codec import encoded
from unified_cli.json_text.members import Record
from unified_cli.output import formats
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_USUAL, _MOST_USUAL = "1h", 1000
_LONGEST = timedelta(days=31)
_PAGE = "100"
_COLUMNS = "timestamp,resource,method,http_status_code,duration,message"
# Options that do not apply: the command builds the query itself, and writes no file.
_LEFT_OUT = {"query", "out", "force", *names_of(PageOptions)} - {"limit"}


@dataclass(frozen=True, kw_only=True)
class LogOptions(PageOptions, NetworkOptions, CallOptions):
    """Which entries to read."""

    since: Annotated[
        str, with_help(Since, f"only calls since a time (UTC) or an age, such as 12h ({_USUAL})")
    ] = _USUAL
    failed: Annotated[
        bool, Common(("--failed",), LIST, "only failed calls; all calls are read to find them")
    ] = False


class _Entries:
    """Selects and masks the entries of pages, and counts the entries that it leaves
    out.
    """

    def __init__(self, service: Service, *, failed: bool) -> None:
        self._service, self._failed = service, failed
        self.read = self.left_out = 0

    def edit(self, page: Page) -> Page:
        found = [record for record in page.records if not (self._failed and _succeeded(record))]
        self.read += len(page.records)
        self.left_out += len(page.records) - len(found)
        return page._replace(records=[*map(_masked, found)], one_line=False)


def _succeeded(entry: Record) -> bool:
    found = members.parts(entry) or {}
    status = members.text(found.get("http_status_code"))
    return status.isdigit() and int(status) < 400


def _masked(entry: Record) -> Record:
    text = bytes(entry).decode("utf-8", "surrogateescape")
    shown = Redaction().whole(text, Holding.OTHER)
    if shown is None:
        hidden = {"http_url": encoded(REPLACED), "logs": encoded(REPLACED)}
        return Record(members.join({**(members.parts(entry) or {}), **hidden}))
    return Record(shown.encode("utf-8", "surrogateescape"))


def _run(context: CommandContext, options: LogOptions) -> None:
    runtime, catalogue = context.runtime, context.catalogue
    builder.check_options(options)
    window = _window(runtime, options.since)
    options = replace(options, limit=options.limit or _MOST_USUAL)
    words = catalogue.service.connections
    operation = Operation(
        "service", "log", "list", "GET", words.log, "read", outward=False, harmless=True, summary=""
    )
    build = partial(_first_page_request, catalogue.service, window)
    common, names, settings = _selected(runtime, catalogue, operation, options)
    if options.shown:
        for resolved in map(settings, names):
            dry_run.show(common._replace(settings=resolved), build(resolved))
        return
    entries = _Entries(catalogue.service, failed=options.failed)

    def ask(name: str) -> tuple[Settings, Request]:
        found = settings(name)
        return found, build(found)

    several = profiles.is_several(options.profile)
    more = "--limit N reads more, --since TIME reads fewer"
    many.read(ManyReads(common, operation, names, ask, entries.edit, several, more))
    if options.failed:
        left = counted(entries.read, "entry")
        runtime.stderr.note(f"{entries.read - entries.left_out} of {left} failed")


def _window(runtime: Runtime, text: str) -> Sequence[tuple[str, str]]:
    """Return the query parameters for entries since a time. The service requires both
    times, and shows at most a month.
    """
    now = runtime.wall()
    until = datetime.fromtimestamp(now, UTC)
    found = builder.change_filter(runtime._replace(wall=lambda: now), text, ())
    since = until if found is None else found.after.at
    if until - since > _LONGEST:
        raise UsageError(
            f"--since {text} is longer ago than the {_LONGEST.days} days that the service keeps"
        )
    stamps = (("gt", since), ("lt", until))
    return [(f"created_at[{word}]", change_time.timestamp(at)) for word, at in stamps]


def _first_page_request(
    service: Service, window: Sequence[tuple[str, str]], settings: Settings
) -> Request:
    words, scope = service.connections, requests.scope_of(settings, service)
    query = [
        (words.log_type, words.logged),
        (f"{words.log_filter}[{service.connection}]", scope.account),
        *window,
        (service.page_size, _PAGE),
    ]
    return requests.for_path(scope, "GET", words.log, Content(query))


def _selected(
    runtime: Runtime, catalogue: Catalogue, operation: Operation, options: LogOptions
) -> tuple[Call, Sequence[str], Callable[[str], Settings]]:
    """Return the common call, the names of the connections, and a function that returns
    their settings.
    """
    mode = Mode(ModeKind.READS, profiles.is_several(options.profile), options.shown)
    if not mode.several:
        call = builder.resolve(runtime, catalogue, options, mode, operation)
        name = call.settings.profile or call.settings.reachable()[1]
        return _formatted(call), [name], lambda _: call.settings
    config = file.read(runtime)
    common = builder.common_call(runtime, catalogue, config, options, mode, operation)
    names = profiles.select(config, options.profile)

    def settings(name: str) -> Settings:
        return own_account.resolved(overrides(options, name), runtime, config)

    return _formatted(common), names, settings


def _formatted(call: Call) -> Call:
    """Return the call with the command's default columns and format.

    The default format is a table on a terminal and tab-separated lines elsewhere.
    """
    settings, options = call.settings, call.options
    if settings.values["output"].source == DEFAULT and not options.jq and not call.runtime.pretty:
        form = formats.TABLE if call.runtime.stdout_is_terminal else formats.TSV
        settings = settings._replace(output=form)
    if settings.output.columns and not options.columns:
        options = replace(options, columns=_COLUMNS)
    return call._replace(settings=settings, options=options)


LOGS = Command(
    LogOptions,
    _run,
    text=(
        "{about}, from its own log: each call of /unified and /proxy, with its status.",
        (
            f"It shows the last hour and at most {_MOST_USUAL} entries of each connection, unless"
            " --since and --limit change this. If there are more entries, a message says so."
        ),
        "The service shows its log to the environment's token. Credentials in it are masked.",
    ),
    examples=(
        "unified -p sandbox logs --failed\nunified -p sandbox logs --since 12h -o ndjson --limit 20"
    ),
    flags=[flag for flag in flags_of(LogOptions) if flag.name not in _LEFT_OUT],
)
