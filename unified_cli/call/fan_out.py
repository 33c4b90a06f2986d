"""One list or get over several connections, side by side: good results are never hidden by a bad one."""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field

from unified_cli.bulk.worker_pool import WorkerPool
from unified_cli.call import Call, builder, dry_run, listing, record_output
from unified_cli.call.listing import ListSummary
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.connect import Clients
from unified_cli.cli.options import OperationOptions, overrides
from unified_cli.cli.shared_options import ConnectionOptions
from unified_cli.config import file, keys, profiles, resolution
from unified_cli.config.file import Config
from unified_cli.config.settings import Settings
from unified_cli.errors import IncompleteError, UnifiedError, UsageError
from unified_cli.http import pagination
from unified_cli.http.pagination import Page
from unified_cli.output import stdout
from unified_cli.output.printer import Printer
from unified_cli.output.progress import ReadProgress, progress
from unified_cli.runtime import Runtime

LABEL = "_profile"
"""The key under which a record says which connection it is of."""

_Read = tuple[str, Page | UnifiedError | None]
"""A connection's name, and a page of it, or how it ended."""


def run(runtime: Runtime, catalogue: Catalogue, asked: Operation, options: OperationOptions) -> None:
    """Call the operation over every connection that is meant, and print the records with the profile of each.

    Raises UsageError for what is for one connection only, IncompleteError where some connections failed, and an error
    of the common kind where all failed alike.
    """
    config = file.read(runtime)
    _check(asked, options)
    names = profiles.select(config, options.profile)
    common = Call(runtime, catalogue, shared(runtime, config, options), options)
    if common.settings.output in {"raw", "ids"}:
        raise UsageError(f"-o {common.settings.output} cannot tell connections apart (-o ndjson or csv can)")

    def call_to(name: str) -> Call:
        return common._replace(settings=resolution.resolve(overrides(options, name), runtime, config))

    if options.shows_only:
        for call in map(call_to, names):
            dry_run.show(call, builder.operation_request(call, asked))
        return
    printer = record_output.printer_for(common, asked, first=(LABEL,))
    with progress(runtime) as told:
        ending = _read_all(common, printer, told, names, _reader(common, asked, call_to))
    missing = printer.end()
    ending.tell(runtime, options)
    ending.judge(missing, options)


def shared(runtime: Runtime, config: Config, options: ConnectionOptions) -> Settings:
    """The settings that belong to the run, not to one of its connections: flags, environment, top of the file."""
    top = {name: value for name, value in config.top.items() if name != "profile"}
    environ = {name: value for name, value in runtime.environ.items() if name != keys.KEYS["profile"].variable}
    found = resolution.resolve(overrides(options), runtime._replace(environ=environ), Config(config.path, top))
    builder.apply_message_settings(runtime, found)
    return found


def _check(asked: Operation, options: OperationOptions) -> None:
    """Refuse what is for one connection only, before anything is sent."""
    if asked.method != "GET":
        raise UsageError(f"{asked.command} writes, so it goes to one connection at a time (-p with one name)")
    if options.account_id:
        raise UsageError("-a names one connection, and -p several; leave one of them out")
    if options.cursor:
        raise UsageError("a cursor belongs to one connection (-p with one name)")
    if options.id == "-":
        raise UsageError("ids that are piped in are those of one connection (-p with one name)")
    if options.out:
        raise UsageError("--out holds one connection's records (unified export writes a file for each)")


def _reader(common: Call, asked: Operation, call_to: Callable[[str], Call]) -> Callable[[str], Generator[_Read]]:
    """A function that reads what a connection has, and gives its pages and its end."""
    catalogue = common.catalogue
    clients = Clients(common.runtime, catalogue)
    wanted = listing.span(common.options) if asked.lists else None

    def pages(name: str) -> Generator[Page]:
        call = call_to(name)
        request = builder.operation_request(call, asked)
        with closing(clients.open(call.settings, name=name)) as client:
            if wanted is None:
                yield pagination.alone(client.send(request), request)
            else:
                yield from pagination.pages(client.send, request, catalogue.service, wanted)

    def read(name: str) -> Generator[_Read]:
        try:
            with closing(pages(name)) as found:
                for page in found:
                    yield name, page
        except UnifiedError as error:
            yield name, error
        else:
            yield name, None

    return read


def _read_all(
    common: Call, printer: Printer, told: ReadProgress, names: list[str], read: Callable[[str], Generator[_Read]]
) -> "_Ending":
    ending = _Ending(names)
    try:
        with WorkerPool(common.options.workers, read) as pool:
            for name, found in pool.results(names, ordered=common.options.ordered):
                if isinstance(found, Page):
                    tally = ending.tallies[name]
                    tally.torn = True
                    printer.page(found.records, one_line=found.one_line, name=(LABEL, name))
                    tally.torn = False
                    tally.add(found)
                    told.page(len(found.records))
                else:
                    ending.ended.add(name)
                    if found:
                        ending.failed[name] = found
    except stdout.ClosedError:
        raise
    except BaseException:
        ending.broken(common.runtime)
        raise
    return ending


@dataclass(slots=True)
class _Ending:
    """How it went with each connection."""

    names: list[str]
    tallies: dict[str, ListSummary] = field(init=False)
    failed: dict[str, UnifiedError] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tallies = {name: ListSummary() for name in self.names}

    def tell(self, runtime: Runtime, options: OperationOptions) -> None:
        """Say how each connection ended, a line for each that failed or has more; `--quiet` leaves the failures."""
        for name, tally in self.tallies.items():
            error = self.failed.get(name)
            if error and tally.pages:
                onward = f"broken off after {tally.so_far()}; to go on: -p {name} {tally.onward()}"
                runtime.stderr.line(f"{name}: {error.message}; {onward}")
            elif error:
                runtime.stderr.line(f"{name}: {error.message}")
            elif tally.next_cursor is not None:
                runtime.stderr.note(f"{name}: {listing.unread(tally, options)}")
        good = [tally for name, tally in self.tallies.items() if name not in self.failed]
        if options.all or options.limit:
            records, pages = sum(tally.records for tally in good), sum(tally.pages for tally in good)
            runtime.stderr.note(f"{records} records in {pages} pages from {len(good)} of {len(self.names)} connections")

    def broken(self, runtime: Runtime) -> None:
        """Say where each connection goes on that was begun and not read to its end."""
        for name, tally in self.tallies.items():
            if (tally.pages or tally.torn) and name not in self.ended:
                torn = " and part of another" if tally.torn else ""
                onward = f"to go on: -p {name} {tally.onward()}"
                runtime.stderr.line(f"{name}: broken off after {tally.so_far()}{torn}; {onward}")
        runtime.stderr.line(f"{len(self.ended)} of {len(self.names)} connections were read to their end")

    def judge(self, missing: list[str], options: OperationOptions) -> None:
        """Raise the error that the whole amounts to."""
        codes = {error.code for error in self.failed.values()}
        if len(self.failed) == len(self.names) and len(codes) == 1:
            first = next(iter(self.failed.values()))
            raise type(first)(f"all {len(self.names)} connections failed", origin=first.origin, status=first.status)
        if self.failed:
            failed = [name for name in self.names if name in self.failed]
            missing.append(f"{len(failed)} of {len(self.names)} connections failed: {', '.join(failed)}")
        if not options.allow_partial:
            missing += [f"{name}: {said}" for name, tally in self.tallies.items() for said in tally.left_out()]
        if missing:
            raise IncompleteError("; ".join(missing))
