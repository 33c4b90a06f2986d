"""`unified sql`: its page and its options."""

from dataclasses import dataclass
from typing import Annotated

from unified_cli.cli.command import EXAMPLES, Command, Later
from unified_cli.cli.flags import LIST, OUTPUT, QUERY, SAFETY, Argument, Flag
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.cli.shared_options import (
    Bom,
    CsvSafe,
    Explain,
    Force,
    From,
    Out,
    PageSize,
    Query,
    Since,
    Timeout,
    output_of,
    with_help,
)
from unified_cli.output import formats


@dataclass(frozen=True, kw_only=True)
class SqlOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """The statement, where its tables come from, and where its rows go."""

    statement: Annotated[
        str, Argument("the statement, a file, or - for standard input", "QUERY|@FILE|-", ("@file",))
    ]
    from_: Annotated[
        str | None, with_help(From, "read an export instead of connections", LIST, "DIR")
    ] = None
    query: Annotated[
        tuple[str, ...],
        with_help(Query, "a query parameter of one list", QUERY, "API/RESOURCE:NAME=VALUE"),
    ] = ()
    since: Since = None
    page_size: PageSize = None
    explain: Annotated[
        bool,
        with_help(
            Explain, "print the reads and the minimum number of calls, and read nothing", SAFETY
        )._replace(common=True),
    ] = False
    keep: Annotated[
        str | None,
        Flag(
            ("--keep",),
            OUTPUT,
            "also write the tables to a database file, with all columns",
            "FILE.duckdb",
            takes="file",
        ),
    ] = None
    output: Annotated[str | None, output_of(formats.ROWS)] = None
    out: Annotated[str | None, with_help(Out, "write the result to a file")] = None
    force: Annotated[bool, with_help(Force, "overwrite the files of --out and --keep")] = False
    csv_safe: CsvSafe = False
    bom: Bom = False
    timeout: Annotated[
        float | None,
        with_help(
            Timeout,
            "seconds for a request with its retries, and for the statement (120); reads wait"
            " longer for a rate limit",
        ),
    ] = None


_ABOUT = (
    "The tables are the lists, with underscores for dashes: ticketing.tickets,"
    " user_directory.users. The first column of each table is _profile, the connection. The lists"
    " that the statement names are read from all selected connections or, with --from, from an"
    " export. Statements are in DuckDB's dialect of SQL, and may only read."
)
_COLUMNS = (
    "A column is a member of the records. Objects and lists are JSON: status->>'name' gives the"
    " member name of an object, and unnest(tags::JSON[]) gives the items of a list. Long numbers"
    " keep their digits; created_at and updated_at are times; record is the whole record."
)
_ENDS = (
    "If a connection could not be read completely, a message names it, the result includes the"
    " records that were read, and the exit code is 9. A statement has no time limit on a terminal,"
    " and 120 seconds elsewhere (--timeout). unified help sql has ten questions that people ask."
)
_EXAMPLES = """unified -p sandbox sql 'SELECT status, count(*) FROM ticketing.tickets GROUP BY ALL'
unified -p sandbox sql 'DESCRIBE ticketing.tickets'
unified -p sandbox sql 'FROM ticketing.tickets' --explain
unified -p sandbox sql 'SELECT id, name FROM user_directory.users' -o csv --out users.csv"""

SQL = Command(
    SqlOptions,
    Later("unified_cli.commands.sql.run:run"),
    usage="QUERY|@FILE|- [options]",
    text=("{about}.", _ABOUT, _COLUMNS, _ENDS),
    sections=[(EXAMPLES, _EXAMPLES)],
)
