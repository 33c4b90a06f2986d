"""`unified sandbox`: show, reset and serve the local sandbox of the service."""

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from unified_cli.catalogue import Catalogue
from unified_cli.cli.command import Command, CommandContext, Entry, Group
from unified_cli.cli.flags import SERVE, Argument, Flag, Options
from unified_cli.cli.result_table import TableOutput, show
from unified_cli.cli.shared_options import Records, TokenFile, Verbose, with_help
from unified_cli.config.token import TokenSource, read
from unified_cli.errors import UsageError
from unified_cli.output import stdout
from unified_cli.runtime import TOKEN_VARIABLE, Runtime
from unified_cli.sandbox.accounts import KINDS
from unified_cli.sandbox.store import own_store

_MOST_RECORDS = 100_000_000


@dataclass(frozen=True, kw_only=True)
class ServeOptions(Options):
    """How to serve the sandbox."""

    port: Annotated[
        int,
        Flag(
            ("--port",), SERVE, "the local port; 0 picks a free one", "N", minimum=0, maximum=65535
        ),
    ] = 0
    host: Annotated[
        str | None,
        Flag(
            ("--host",),
            SERVE,
            "listen on this address; addresses outside the loopback interface are unsafe",
            "ADDRESS",
        ),
    ] = None
    allow_host: Annotated[
        tuple[str, ...],
        Flag(
            ("--allow-host",), SERVE, "also answer requests to this exact host name; unsafe", "NAME"
        ),
    ] = ()
    token_file: TokenFile = None
    ready_file: Annotated[
        str | None,
        Flag(
            ("--ready-file",),
            SERVE,
            "write the server's address to this file as soon as it listens",
            "FILE",
            takes="file",
        ),
    ] = None
    seed: Annotated[
        str | None,
        Flag(("--seed",), SERVE, "the seed of the generated records: a word or a number", "WORD"),
    ] = None
    state: Annotated[
        str | None,
        Flag(("--state",), SERVE, "where changes are stored", "FILE|:memory:", takes="file"),
    ] = None
    faults: Annotated[
        str | None,
        Flag(
            ("--faults",),
            SERVE,
            "simulate faults: 429=5%,slow=200ms … (unified help sandbox)",
            "SPEC|FILE",
            takes="file",
        ),
    ] = None
    records: Annotated[
        tuple[str, ...],
        with_help(Records, "the number of records of a resource", SERVE, "API/RESOURCE=N")._replace(
            minimum=None
        ),
    ] = ()
    keep_ids: Annotated[
        bool, Flag(("--keep-ids",), SERVE, "use the id in the body of a create for the new record")
    ] = False
    verbose: Verbose = 0


@dataclass(frozen=True, kw_only=True)
class SeedOptions(Options):
    """The seed of the generated records."""

    word: Annotated[str, Argument("the seed of the generated records")]


@dataclass(frozen=True, kw_only=True)
class StatusOptions(Options):
    """How to print the connections."""

    output: TableOutput = None


def _serve(context: CommandContext, options: ServeOptions) -> None:
    from unified_cli.sandbox.serve import (  # noqa: PLC0415  help needs no server
        ServerSettings,
        serve,
    )

    settings = ServerSettings(
        port=options.port,
        host=options.host,
        names=options.allow_host,
        token=_token(context.runtime, options.token_file),
        ready_file=options.ready_file,
        seed=options.seed,
        state=options.state,
        faults=options.faults,
        keep_ids=options.keep_ids,
        records=dict(_amount(context.catalogue, text) for text in options.records),
    )
    stdout.bypass_pager(context.runtime)
    serve(
        context.runtime,
        context.catalogue,
        lambda lines: stdout.write(context.runtime, [lines]),
        settings,
    )


def _token(runtime: Runtime, file: str | None) -> str | None:
    """Return the token that clients must send, from the file or the environment. None
    without either.
    """
    if file is not None:
        return read(TokenSource("token_file", file, "--token-file"), runtime)
    given = runtime.environ.get(TOKEN_VARIABLE)
    return read(TokenSource("environment", given, TOKEN_VARIABLE), runtime) if given else None


def _amount(catalogue: Catalogue, text: str) -> tuple[tuple[str, str], int]:
    name, _, number = text.partition("=")
    api, _, resource = name.partition("/")
    if api not in catalogue.apis or resource not in catalogue.apis[api].resources:
        raise UsageError(
            f"--records {text}: no resource {name!r} (it must look like ticketing/tickets=1000)"
        )
    if not number.isascii() or not number.isdigit() or int(number) > _MOST_RECORDS:
        raise UsageError(
            f"--records {name}= takes a whole number up to {_MOST_RECORDS}, not {number!r}"
        )
    return (api, resource), int(number)


def _reset(context: CommandContext, _: Options) -> None:
    _start_over(context.runtime, None)


def _seed(context: CommandContext, options: SeedOptions) -> None:
    _start_over(context.runtime, options.word)


def _start_over(runtime: Runtime, seed: str | None) -> None:
    with closing(own_store(runtime)) as store:
        store.reset(seed)
        runtime.stderr.note(f"reset the sandbox (seed {store.seed})")


def _status(context: CommandContext, options: StatusOptions) -> None:
    runtime = context.runtime
    changes: dict[str, int] = {}
    with closing(own_store(runtime)) as store:
        for account, _api, _resource, count in store.sizes():
            changes[account] = changes.get(account, 0) + count
    accounts = {**KINDS, **{name: "" for name in changes if name not in KINDS}}
    rows = [(name, str(changes.get(name, 0)), about) for name, about in accounts.items()]
    runtime.stderr.note(f"records of seed {store.seed} in {store.path or 'memory'}")
    value = {
        "seed": store.seed,
        "state": str(store.path) if store.path else None,
        "connections": [
            {"account_id": name, "changed": int(count), "about": about}
            for name, count, about in rows
        ],
    }
    show(runtime, options.output, ("account id", "changed records", "about"), rows, value)


SANDBOX = Group(
    "Manage the local sandbox of the service: the same operations on generated records, stored"
    " between calls.",
    "unified sandbox status",
    {
        "serve": Entry(
            "Serve the sandbox on a local port, for any client",
            Command(ServeOptions, _serve, examples="unified sandbox serve"),
        ),
        "reset": Entry(
            "Reset all records to their initial state",
            Command(Options, _reset, examples="unified sandbox reset"),
        ),
        "seed": Entry(
            "Start over with other records; the same word generates the same records",
            Command(
                SeedOptions, _seed, usage="WORD [options]", examples="unified sandbox seed winter"
            ),
        ),
        "status": Entry(
            "Show where the records are stored, and the connections",
            Command(StatusOptions, _status, examples="unified sandbox status"),
        ),
    },
)
