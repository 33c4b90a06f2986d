"""Every option there is, spelled once; commands, help, completion and documents take them from here."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import typer

from unified_cli.catalogue import Operation
from unified_cli.config.keys import KEYS
from unified_cli.output import FORMATS

CONNECTION = "Connection"
QUERY = "Query"
BODY = "Body"
LIST = "List"
OUTPUT = "Output"
SAFETY = "Safety"
NETWORK = "Network"
TALK = "Talk"


class Flag(NamedTuple):
    """One option: `name` is what it is called in code, `kind` what its value is read as.

    `metavar` stands for the value in help, `choices` are the values there are, `takes` tells completion what to offer.
    """

    name: str
    spellings: tuple[str, ...]
    kind: Any
    group: str
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    takes: str = ""

    def parameter(self) -> inspect.Parameter:
        """The option as a parameter that Typer understands; None, or an empty list, where it is not given."""
        counted = self.kind is int
        default: Any = 0 if counted else False if self.kind is bool else None
        info: Any = typer.Option(
            default,
            *self.spellings,
            help=self.help,
            metavar=self.metavar or None,
            rich_help_panel=self.group,
            count=counted,
            show_default=False,
        )
        # As the default, not in an Annotated: with thirty options that takes half a millisecond less.
        annotation: Any = self.kind if default is not None else self.kind | None
        return inspect.Parameter(self.name, inspect.Parameter.KEYWORD_ONLY, default=info, annotation=annotation)


def _default(key: str) -> str:
    return f"{KEYS[key].default:g}"


_ALL = (
    Flag(
        "profile",
        ("-p", "--profile"),
        list[str],
        CONNECTION,
        "the profile to use; list and get take globs, tag:NAME",
        "NAME",
        takes="profile",
    ),
    Flag("account_id", ("-a", "--account-id"), str, CONNECTION, "the connection, whatever the profile says", "ID"),
    Flag("base_url", ("--base-url",), str, CONNECTION, "where the service is", "URL"),
    Flag("token_file", ("--token-file",), str, CONNECTION, "read the token from a file", "FILE", takes="file"),
    Flag("token_stdin", ("--token-stdin",), bool, CONNECTION, "read the token from standard input"),
    Flag("query", ("-q", "--query"), list[str], QUERY, "a query parameter; brackets pass through", "NAME=VALUE"),
    Flag("data", ("-d", "--data"), str, BODY, "the body; - is standard input", "JSON|@FILE|-", takes="@file"),
    Flag("raw_field", ("-f", "--raw-field"), list[str], BODY, "set a field to a string; a[b]=1 nests", "NAME=STRING"),
    Flag(
        "field",
        ("-F", "--field"),
        list[str],
        BODY,
        "set a field to JSON where it reads as JSON; @base64:FILE for bytes",
        "NAME=JSON|@FILE",
        takes="@file",
    ),
    Flag("skeleton", ("--skeleton",), bool, BODY, "print a body to fill in and send nothing"),
    Flag("all", ("--all",), bool, LIST, "read all pages, not one"),
    Flag("limit", ("--limit",), str, LIST, "read so many records, of each connection", "N"),
    Flag("page_size", ("--page-size",), str, LIST, "records the service is to put on a page", "N"),
    Flag("cursor", ("--cursor",), str, LIST, "start where this cursor points", "C"),
    Flag("allow_partial", ("--allow-partial",), bool, LIST, "end well though the provider left something out"),
    Flag("restart", ("--restart",), bool, LIST, "with --out: forget where an earlier run stopped"),
    Flag("dedupe", ("--dedupe",), str, LIST, "with --out: leave out records that came before", "id", choices=("id",)),
    Flag("output", ("-o", "--output"), str, OUTPUT, "how to print the result", "FORMAT", choices=FORMATS),
    Flag("columns", ("--columns",), str, OUTPUT, "these fields only; a.b is b within a", "A,B.C"),
    Flag("jq", ("--jq",), str, OUTPUT, "what this jq program makes of the result, or of each line", "EXPR"),
    Flag("csv_safe", ("--csv-safe",), bool, OUTPUT, "let no spreadsheet take a cell for a formula"),
    Flag("ordered", ("--ordered",), bool, OUTPUT, "with several connections: one after the other"),
    Flag(
        "out",
        ("--out",),
        str,
        OUTPUT,
        "write the result to a file; a download takes a folder too",
        "FILE",
        takes="file",
    ),
    Flag(
        "from_",
        ("--from",),
        str,
        OUTPUT,
        "with --out DIR: download for each id or record in it",
        "FILE|-",
        takes="file",
    ),
    Flag("wait", ("--wait",), bool, OUTPUT, "wait until it is done; with --out: and download it"),
    Flag("wait_timeout", ("--wait-timeout",), str, OUTPUT, "seconds to wait at most (600)", "S"),
    Flag("force", ("--force",), bool, OUTPUT, "overwrite the file; print binary on a terminal"),
    Flag("dry_run", ("--dry-run",), bool, SAFETY, "print the request as JSON and send nothing"),
    Flag("as_", ("--as",), str, SAFETY, "print the request as a command line; send nothing", "curl", choices=("curl",)),
    Flag("yes", ("-y", "--yes"), bool, SAFETY, "do not ask before deleting"),
    Flag("idempotency_key", ("--idempotency-key",), str, SAFETY, "the key of a write that is repeated by hand", "KEY"),
    Flag(
        "timeout", ("--timeout",), str, NETWORK, f"seconds for a request with its retries ({_default('timeout')})", "S"
    ),
    Flag("retries", ("--retries",), str, NETWORK, f"repeats after the first attempt ({_default('retries')})", "N"),
    Flag("rate", ("--rate",), str, NETWORK, f"sends per 10 s and connection, 0: no limit ({_default('rate')})", "N"),
    Flag("workers", ("--workers",), str, NETWORK, "requests at a time, up to 64 (8)", "N"),
    Flag("ca_bundle", ("--ca-bundle",), str, NETWORK, "trust these authorities besides", "FILE", takes="file"),
    Flag("verbose", ("-v", "--verbose"), int, TALK, "tell each request; -vv with headers and bodies"),
    Flag("quiet", ("--quiet",), bool, TALK, "say nothing but errors"),
    Flag("no_input", ("--no-input",), bool, TALK, "never ask, fail instead"),
)

FLAGS: Mapping[str, Flag] = {flag.name: flag for flag in _ALL}

EVERYWHERE = ("profile", "output", "verbose")
"""The options that may also stand right after the program's name."""


MANY = ("ordered", "workers")
"""The options of what can be done with several connections."""


# Assumption: these start a job, whose record says when there is something to download.
WAITS = ("knowledge-base page-exports create",)


def options_for(operation: Operation) -> Iterator[Flag]:
    """The options of an operation, in the order help shows them."""
    for flag in _ALL:
        if flag.group == BODY and not operation.takes_body:
            continue
        if flag.group == LIST and not operation.lists:
            continue
        if flag.name == "ordered" and operation.method != "GET":
            continue
        if flag.name == "workers" and not (operation.method == "GET" or operation.takes_id or operation.harmless):
            continue
        if flag.name in {"wait", "wait_timeout"} and operation.command not in WAITS:
            continue
        if flag.name == "from_" and operation.name != "download":
            continue
        if flag.name == "yes" and operation.kind != "delete":
            continue
        if flag.name == "idempotency_key" and operation.method not in {"POST", "PATCH"}:
            continue
        yield flag


def argument(name: str, help_text: str, *, required: bool = True) -> inspect.Parameter:
    """A positional argument that Typer understands; its name in capitals stands for it in help."""
    info: Any = typer.Argument(help=help_text, metavar=name.upper(), show_default=False)
    annotation: Any = Annotated[str if required else str | None, info]
    default = inspect.Parameter.empty if required else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def arguments(name: str, help_text: str) -> inspect.Parameter:
    """Any number of positional arguments, as a list; None where there is none."""
    info: Any = typer.Argument(help=help_text, metavar=name.upper(), show_default=False)
    annotation: Any = Annotated[list[str] | None, info]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def function(body: Callable[[dict[str, Any]], Any], parameters: Sequence[inspect.Parameter]) -> Callable[..., Any]:
    """A function with these parameters, as Typer reads them off a signature, that hands all values to `body`."""

    def command(**given: Any) -> Any:
        return body(given)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command
