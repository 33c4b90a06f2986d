"""One list or get over several connections, side by side: good results are never hidden by a bad one."""

from collections.abc import Callable
from dataclasses import dataclass, field

from unified_cli.bulk.parallel_streams import Ended, Give, side_by_side
from unified_cli.call import builder, dry_run, listing, record_output
from unified_cli.call.listing import Given, ListSummary
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.connect import Clients
from unified_cli.config import file, keys, profiles, settings
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

_WORKERS, _MOST_WORKERS = 8, 64


def run(runtime: Runtime, catalogue: Catalogue, asked: Operation, given: Given) -> None:
    """Call the operation over every connection that is meant, and print the records with the profile of each.

    Raises UsageError for what is for one connection only, IncompleteError where some connections failed, and an error
    of the common kind where all failed alike.
    """
    config = file.read(runtime)
    _check(asked, given)
    names = profiles.select(config, given["profile"])
    common = shared(runtime, config, given)
    output = common["output"]
    if output in {"raw", "ids"}:
        raise UsageError(f"-o {output} cannot tell connections apart (-o ndjson or csv can)")

    def resolve(name: str) -> Settings:
        return settings.resolve({**builder.flags_of(given), "profile": name}, runtime, config)

    if given.get("dry_run") or given.get("as_"):
        for name in names:
            dry_run.show(runtime, builder.build(runtime, catalogue, resolve(name), asked, given), given.get("as_"))
        return
    clients = Clients(runtime, catalogue)
    look = record_output.style_for(runtime, catalogue.service, asked, given, output, first=(LABEL,))
    printer = Printer(
        runtime, look._replace(listing=False) if output in {"json", "yaml"} else look, record_output.program(given)
    )
    with progress(runtime) as told:
        reader = _reader(runtime, catalogue, asked, given, clients, resolve)
        ending = _read_all(runtime, printer, told, names, reader, given)
    missing = printer.end()
    ending.tell(runtime, given)
    ending.judge(missing, given)


def shared(runtime: Runtime, config: Config, given: Given) -> Settings:
    """The settings that belong to the run, not to one of its connections: flags, environment, top of the file."""
    top = {name: value for name, value in config.top.items() if name != "profile"}
    environ = {name: value for name, value in runtime.environ.items() if name != keys.KEYS["profile"].variable}
    flags = {name: value for name, value in builder.flags_of(given).items() if name != "profile"}
    found = settings.resolve(flags, runtime._replace(environ=environ), Config(config.path, top))
    builder.check(runtime, found)
    return found


def workers(given: Given) -> int:
    """How many connections are read side by side. Raises UsageError for another number than 1 to 64."""
    text = given.get("workers")
    if text is None:
        return _WORKERS
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MOST_WORKERS:
        raise UsageError(f"--workers takes a number from 1 to {_MOST_WORKERS}, not {text!r}")
    return int(text)


def _check(asked: Operation, given: Given) -> None:
    """Refuse what is for one connection only, before anything is sent."""
    if asked.method != "GET":
        raise UsageError(f"{asked.command} writes, so it goes to one connection at a time (-p with one name)")
    if given.get("account_id"):
        raise UsageError("-a names one connection, and -p several; leave one of them out")
    if given.get("cursor"):
        raise UsageError("a cursor belongs to one connection (-p with one name)")
    if given.get("id") == "-":
        raise UsageError("ids that are piped in are those of one connection (-p with one name)")
    if given.get("out"):
        raise UsageError("--out holds one connection's records (unified export writes a file for each)")


def _reader(
    runtime: Runtime,
    catalogue: Catalogue,
    asked: Operation,
    given: Given,
    clients: Clients,
    resolve: Callable[[str], Settings],
) -> Callable[[str], Callable[[Give[Page]], None]]:
    wanted = listing.span(given) if asked.lists else None

    def reader(name: str) -> Callable[[Give[Page]], None]:
        def read(give: Give[Page]) -> None:
            resolved = resolve(name)
            request = builder.build(runtime, catalogue, resolved, asked, given)
            client = clients.open(resolved, name=name)
            try:
                if wanted is None:
                    give(pagination.alone(client.send(request), request))
                else:
                    # Without reading ahead: while one page is written, the other connections are read.
                    for page in pagination.pages(client.send, request, catalogue.service, wanted):
                        give(page)
            finally:
                client.close()

        return read

    return reader


def _read_all(
    runtime: Runtime,
    printer: Printer,
    told: ReadProgress,
    names: list[str],
    reader: Callable[[str], Callable[[Give[Page]], None]],
    given: Given,
) -> "_Ending":
    ending = _Ending(names)

    def use(place: int, found: Page | Ended) -> None:
        name = names[place]
        if isinstance(found, Page):
            printer.page(found.records, one_line=found.one_line, name=(LABEL, name))
            ending.tallies[name].add(found)
            told.page(len(found.records))
        else:
            ending.ended.add(name)
            if found.error:
                ending.failed[name] = found.error

    try:
        side_by_side([reader(name) for name in names], workers(given), use, ordered=bool(given.get("ordered")))
    except stdout.ClosedError:
        raise
    except BaseException:
        ending.broken(runtime)
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

    def tell(self, runtime: Runtime, given: Given) -> None:
        """Say how each connection ended, a line for each that failed or has more; `--quiet` leaves the failures."""
        for name, tally in self.tallies.items():
            error = self.failed.get(name)
            if error and tally.pages:
                onward = f"broken off after {tally.so_far()}; to go on: -p {name} {tally.onward()}"
                runtime.stderr.line(f"{name}: {error.message}; {onward}")
            elif error:
                runtime.stderr.line(f"{name}: {error.message}")
            elif tally.next_cursor is not None:
                listing.tell(runtime, tally, given, "", f"{name}: ")
        good = [tally for name, tally in self.tallies.items() if name not in self.failed]
        if given.get("all") or given.get("limit"):
            records, pages = sum(tally.records for tally in good), sum(tally.pages for tally in good)
            runtime.stderr.note(f"{records} records in {pages} pages from {len(good)} of {len(self.names)} connections")

    def broken(self, runtime: Runtime) -> None:
        """Say where each connection goes on that was begun and not read to its end."""
        for name, tally in self.tallies.items():
            if tally.pages and name not in self.ended:
                runtime.stderr.line(f"{name}: broken off after {tally.so_far()}; to go on: -p {name} {tally.onward()}")
        runtime.stderr.line(f"{len(self.ended)} of {len(self.names)} connections were read to their end")

    def judge(self, missing: list[str], given: Given) -> None:
        """Raise the error that the whole amounts to."""
        codes = {error.code for error in self.failed.values()}
        if len(self.failed) == len(self.names) and len(codes) == 1:
            first = next(iter(self.failed.values()))
            raise type(first)(f"all {len(self.names)} connections failed", origin=first.origin, status=first.status)
        if self.failed:
            failed = [name for name in self.names if name in self.failed]
            missing.append(f"{len(failed)} of {len(self.names)} connections failed: {', '.join(failed)}")
        if not given.get("allow_partial"):
            missing += [f"{name}: {said}" for name, tally in self.tallies.items() for said in tally.left_out()]
        if missing:
            raise IncompleteError("; ".join(missing))
