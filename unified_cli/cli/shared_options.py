"""The options that several commands share, alone and in groups."""

from typing import Annotated, Literal

from unified_cli.cli.flags import (
    CONNECTION,
    EVIDENCE,
    INPUT,
    LIST,
    MESSAGE,
    NETWORK,
    OUTPUT,
    QUERY,
    SAFETY,
    Argument,
    Flag,
    Options,
)
from unified_cli.config.keys import KEYS
from unified_cli.output import Format


def _default(key: str) -> str:
    return f"{KEYS[key].default:g}"


Profiles = Annotated[
    tuple[str, ...],
    Flag(
        ("-p", "--profile"),
        CONNECTION,
        "profile to use; also a glob, tag:NAME or '!NAME'",
        "NAME",
        takes="connection",
    ),
]
Patterns = Annotated[tuple[str, ...], Argument(metavar="[GLOB|tag:NAME]…", takes=("connection",))]
"""The profiles that a command is about, where `-p` would be an option too much."""
With = Annotated[
    str | None,
    Flag(("--with",), CONNECTION, "read this list instead of asking for the connection's state", "'API RESOURCE'"),
]
AccountId = Annotated[
    str | None, Flag(("-a", "--account-id"), CONNECTION, "the connection's id; me: that of its own token", "ID")
]
BaseUrl = Annotated[str | None, Flag(("--base-url",), CONNECTION, "the service's base URL", "URL")]
TokenFile = Annotated[
    str | None, Flag(("--token-file",), CONNECTION, "read the token from a file", "FILE", takes="file")
]
TokenStdin = Annotated[bool, Flag(("--token-stdin",), CONNECTION, "read the token from standard input")]
Query = Annotated[
    tuple[str, ...],
    Flag(("-q", "--query"), QUERY, "a query parameter; brackets are sent as typed", "NAME=VALUE", takes="parameter"),
]
PageSize = Annotated[int | None, Flag(("--page-size",), LIST, "records per page", "N", parse=KEYS["page_size"].parse)]
AllowPartial = Annotated[bool, Flag(("--allow-partial",), LIST, "exit 0 on partial results of the provider")]
Since = Annotated[
    str | None,
    Flag(("--since",), LIST, "only what changed since then: a time (ISO 8601, UTC), or 7d, 12h ago", "TIME"),
]
Restart = Annotated[bool, Flag(("--restart",), LIST, "with --out: start over instead of resuming")]
Dedupe = Annotated[Literal["id"] | None, Flag(("--dedupe",), LIST, "with --out: leave out repeated records", "id")]
InputFormat = Annotated[
    Literal["ndjson", "json", "csv", "ids"] | None,
    Flag(("--format",), INPUT, "the format of the input, if it is not detected", "FORMAT"),
]
Output = Annotated[Format | None, Flag(("-o", "--output"), OUTPUT, "the output format", "FORMAT")]
CsvSafe = Annotated[bool, Flag(("--csv-safe",), OUTPUT, "escape cells that a spreadsheet would run as formulas")]
Bom = Annotated[bool, Flag(("--bom",), OUTPUT, "begin CSV with a byte-order mark, which Excel needs")]
Yes = Annotated[
    bool,
    Flag(("-y", "--yes"), SAFETY, "delete, or write to several connections, without asking; required off a terminal"),
]
DryRun = Annotated[bool, Flag(("--dry-run",), SAFETY, "print the request as JSON and send nothing")]
Timeout = Annotated[
    float | None,
    Flag(
        ("--timeout",),
        NETWORK,
        f"seconds for a request with its retries ({_default('timeout')})",
        "S",
        parse=KEYS["timeout"].parse,
    ),
]
Retries = Annotated[
    int | None,
    Flag(
        ("--retries",),
        NETWORK,
        f"retries after the first attempt ({_default('retries')})",
        "N",
        parse=KEYS["retries"].parse,
    ),
]
Rate = Annotated[
    float | None,
    Flag(
        ("--rate",),
        NETWORK,
        f"requests per 10 s and connection, 0: no limit ({_default('rate')})",
        "N",
        parse=KEYS["rate"].parse,
    ),
]
TokenRate = Annotated[
    float | None,
    Flag(
        ("--token-rate",),
        NETWORK,
        "requests per 10 s and token, 0: no limit (ten times --rate)",
        "N",
        parse=KEYS["token_rate"].parse,
    ),
]
DEFAULT_WORKERS = 8
Workers = Annotated[int, Flag(("--workers",), NETWORK, "concurrent requests, up to 64 (8)", "N", minimum=1, maximum=64)]
CaBundle = Annotated[
    str | None, Flag(("--ca-bundle",), NETWORK, "also trust these certificate authorities", "FILE", takes="file")
]


class NoOptions(Options):
    """For commands without options."""


class MessageOptions(Options):
    """What is printed on stderr, and whether prompts are allowed."""

    verbose: Annotated[
        int, Flag(("-v", "--verbose"), MESSAGE, "print each request; -vv with headers and bodies", counted=True)
    ] = 0
    quiet: Annotated[bool, Flag(("--quiet",), MESSAGE, "print errors only")] = False
    no_input: Annotated[bool, Flag(("--no-input",), MESSAGE, "never prompt, fail instead")] = False
    color: Annotated[
        Literal["auto", "always", "never"], Flag(("--color",), MESSAGE, "colour the output (auto)", "WHEN")
    ] = "auto"
    pretty: Annotated[bool, Flag(("--pretty",), MESSAGE, "indent JSON, also off a terminal")] = False
    json_errors: Annotated[
        bool, Flag(("--json-errors",), MESSAGE, "print an error as JSON, as -o json does off a terminal")
    ] = False


class ConnectionOptions(Options):
    """Which connection is called, and with which token."""

    profile: Profiles = ()
    account_id: AccountId = None
    base_url: BaseUrl = None
    token_file: TokenFile = None
    token_stdin: TokenStdin = False


class EvidenceOptions(Options):
    """Whether exchanges are recorded, or requests answered from a recording."""

    record: Annotated[
        str | None,
        Flag(
            ("--record",), EVIDENCE, "write every exchange to a HAR file, without credentials", "FILE.har", takes="file"
        ),
    ] = None
    replay: Annotated[
        str | None,
        Flag(("--replay",), EVIDENCE, "answer from a HAR file; nothing is sent", "FILE.har", takes="file"),
    ] = None


class NetworkOptions(EvidenceOptions):
    """How requests are sent."""

    timeout: Timeout = None
    retries: Retries = None
    rate: Rate = None
    token_rate: TokenRate = None
    workers: Workers = DEFAULT_WORKERS
    ca_bundle: CaBundle = None
