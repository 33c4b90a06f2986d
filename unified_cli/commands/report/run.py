"""`unified report`: collect the facts, write the page, and report its missing parts."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import msgspec

from unified_cli import PRODUCT
from unified_cli.call import offer_check
from unified_cli.call.offer_check import AskedConnections
from unified_cli.cli.command import CommandContext
from unified_cli.cli.flags import by_name
from unified_cli.commands.report import connections, fleet, work
from unified_cli.commands.report.command import ReportOptions
from unified_cli.commands.report.page import (
    VERSION,
    ReportPage,
    ShownConnection,
    ShownExport,
    ShownRuns,
)
from unified_cli.config import file
from unified_cli.errors import ConfigError, IncompleteError, StateError, StorageError, UsageError
from unified_cli.exported.manifest import timestamp
from unified_cli.fleet import selection
from unified_cli.fleet.conclude import failure_lines
from unified_cli.hints import quoted
from unified_cli.installation import command_to_add
from unified_cli.json_text import json_codec
from unified_cli.masking import masked
from unified_cli.output import stdout
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime
from unified_cli.storage import output_file
from unified_cli.writes import listed_runs
from unified_cli.writes.run_state import KnownRun

_MOST_NAMED = 5
# A line of every page, within its first bytes.
_MARK = b'<meta name="referrer" content="no-referrer">'
_HEAD = 8192
_OTHERS = {".pdf", ".md", ".docx", ".xlsx", ".csv", ".json", ".txt"}


def run(context: CommandContext, options: ReportOptions) -> None:
    """Write the page, or print its contents. Raises IncompleteError if anything could
    not be read.
    """
    runtime = context.runtime
    to = _checked(runtime, options)
    drift = [work.drift(runtime, path) for path in options.schema]
    expectations = [work.expectations(runtime, path) for path in options.junit]
    seen = connections.load_connections(context, options, _connections_to_show(runtime, options))
    shown = fleet.parts_of(context, seen)
    runs, exports, stores = _runs_and_exports(context, options)
    unseen = [*_missing_sentences(shown.connections, runs, exports)]
    page = ReportPage(
        version=VERSION,
        made=timestamp(runtime.wall()),
        tool=PRODUCT,
        command=_report_command(options),
        asked=sum(not (connection.age or connection.error) for connection in seen),
        known=sum(bool(connection.age) for connection in seen),
        oldest=round(max((connection.age for connection in seen), default=0)),
        unseen=unseen,
        **shown._asdict(),
        runs=runs,
        exports=exports,
        stores=stores,
        drift=drift,
        expectations=expectations,
    )
    if to is not None:
        # Import it late: it needs an optional package and is slow to import.
        from unified_cli.commands.report import markup  # noqa: PLC0415

        size = output_file.write(to, markup.document(page), force=True)
        runtime.stderr.note(f"wrote {to}: {counted(len(seen), 'connection')}, {size / 1000:.0f} kB")
    if options.output:
        stdout.write_json(runtime, _page_as_json(page))
    for line in failure_lines(
        {connection.name: connection.error for connection in seen if connection.error}
    ):
        runtime.stderr.line(line)
    if unseen:
        raise IncompleteError("; ".join(unseen))


def _checked(runtime: Runtime, options: ReportOptions) -> Path | None:
    """Check everything that can be checked without a request, and return the
    destination of the page.
    """
    if options.output:
        stdout.check(runtime)
    for one in options.export:
        work.check_export(runtime, one)
    if options.to is None:
        if not options.output:
            raise UsageError(
                "the page needs a file", hint="--to FILE.html, or -o json to print its contents"
            )
        return None
    to = Path(options.to)
    if to.suffix.lower() in _OTHERS:
        raise UsageError(
            f"the page is HTML, not {to.suffix.lower()[1:].upper()}",
            hint=f"--to {quoted(str(to.with_suffix('.html')))}; a browser prints it as PDF",
        )
    if find_spec("jinja2") is None:
        raise ConfigError(
            "report --to needs the package jinja2", hint=command_to_add("jinja2>=3.1")
        )
    output_file.check(to, force=_is_report(to), instead=output_file.ANOTHER)
    for one in (*options.schema, *options.junit):
        if to.exists() and Path(one).exists() and to.samefile(one):
            raise UsageError(f"--to {to} would overwrite a file that the report reads")
    return to


def _is_report(path: Path) -> bool:
    """Return whether the file is an earlier page or is empty, so that it may be
    replaced.
    """
    try:
        with path.open("rb") as content:
            begin = content.read(_HEAD)
    except OSError:
        return False
    return not begin or _MARK in begin


def _connections_to_show(runtime: Runtime, options: ReportOptions) -> AskedConnections:
    several = not options.profile and options.account_id is None and file.read(runtime).profiles
    if several:
        options = replace(options, profile=("*",))
    # Here `-o` is the format of the page, not of records.
    found = offer_check.selected(runtime, replace(options, output=None))
    # Count connections, not profiles, of which several may have the same connection.
    again = {name for same in selection.same_connection(found.settings) for name in same[1:]}
    return found._replace(
        names=[name for name in found.names if name not in again],
        settings={name: resolved for name, resolved in found.settings.items() if name not in again},
    )


def _runs_and_exports(
    context: CommandContext, options: ReportOptions
) -> tuple[ShownRuns, list[ShownExport], list[str]]:
    runtime = context.runtime
    found: list[KnownRun] = []
    unseen = ""
    try:
        found = listed_runs.list_runs(runtime, context.catalogue)
    except (ConfigError, StateError, StorageError) as error:
        unseen = error.one_line
    runs = work.runs(context, options, found)
    if unseen:
        runs = msgspec.structs.replace(runs, unseen=unseen)
    written = work.destinations(found)
    return (
        runs,
        [*work.exports(runtime, options.export, written)],
        [place for place in written if "://" in place],
    )


def _missing_sentences(
    shown: Sequence[ShownConnection], runs: ShownRuns, exports: Sequence[ShownExport]
) -> Sequence[str]:
    missing = []
    if names := [connection.name for connection in shown if connection.unseen]:
        of_all = counted(len(shown), "connection")
        missing.append(f"{len(names)} of {of_all} could not be asked: {named(names)}")
    if runs.unseen:
        missing.append(f"not all runs could be read: {runs.unseen}")
    if folders := [export.folder for export in exports if export.unseen]:
        missing.append(
            f"{counted(len(folders), 'export')} could not be read: {named(folders, _MOST_NAMED)}"
        )
    return missing


def _report_command(options: ReportOptions) -> str:
    flags = by_name(ReportOptions)
    words = ["unified", "report"]
    for name, value in options.changed_values():
        spelling = flags[name].spellings[0]
        for item in value if isinstance(value, tuple) else (value,):
            words += [spelling] if isinstance(item, bool) else [spelling, _typed(item)]
    return masked(shlex.join(words))


def _typed(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _page_as_json(page: ReportPage) -> bytes:
    return masked(json_codec.dump(msgspec.to_builtins(page))).encode()
