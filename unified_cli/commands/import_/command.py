"""`unified import API/RESOURCE FILE`: send every record of a file once, with a journal beside the file."""

from unified_cli.cli.command import Command, Later
from unified_cli.commands.import_.options import ImportOptions

_ABOUT = (
    "A journal beside the file records each request before it is sent. After a crash the same command resumes where it "
    "stopped; when everything is done, it does nothing. Records that failed, are in doubt or were not tried are "
    "written to separate files, which can be imported again."
)

IMPORT = Command(
    ImportOptions,
    Later("unified_cli.commands.import_.run:run"),
    usage="API/RESOURCE FILE [options]",
    text=("{about}: NDJSON, a JSON array, CSV, or ids for delete.", _ABOUT),
    examples="unified -p sandbox import ticketing/contacts people.csv",
)
