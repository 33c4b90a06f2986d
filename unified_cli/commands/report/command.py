"""`unified report`: its page and its options."""

from dataclasses import dataclass
from typing import Annotated

from unified_cli.cli.command import Command, Later
from unified_cli.cli.flags import OUTPUT, WAIT, Common, Flag
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.cli.shared_options import Junit, To, output_of, with_help
from unified_cli.output import formats


@dataclass(frozen=True, kw_only=True)
class ReportOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """The contents of the page, and its destination."""

    to: Annotated[
        str | None,
        with_help(To, "the file to write; an older page in it is overwritten", OUTPUT, "FILE.html"),
    ] = None
    export: Annotated[
        tuple[str, ...],
        Common(
            ("--export",),
            WAIT,
            "also show the export in this folder, and verify its files",
            "DIR",
            takes="folder",
        ),
    ] = ()
    schema: Annotated[
        tuple[str, ...],
        Flag(
            ("--schema",),
            WAIT,
            "also show the differences in this file, which schema --against -o json wrote",
            "FILE",
            takes="file",
        ),
    ] = ()
    junit: Annotated[
        tuple[str, ...],
        with_help(Junit, "also show the test results in this file, which --junit wrote"),
    ] = ()
    output: Annotated[str | None, output_of(formats.REPORTS)] = None


_SHOWS = (
    "The page shows the state of the connections, which of them need action, what they offer, the"
    " runs of the last 14 days, exports, and the results in the files of --schema and --junit. It"
    " is a single file that loads nothing and runs no scripts."
)
_ASKS = (
    "Without -p, the page is about all profiles. If there are no profiles, it is about the"
    " environment's connection. Facts older than a day are requested again. If parts could not be"
    " read, the page names them, and the exit code is 9. -o json prints the contents of the page,"
    " also without --to."
)

REPORT = Command(
    ReportOptions,
    Later("unified_cli.commands.report.run:run"),
    text=("{about}.", _SHOWS, _ASKS),
    examples="unified -p sandbox report --to fleet.html\nunified -p sandbox report -o json",
)
