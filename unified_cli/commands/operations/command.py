"""`unified operations`: its commands and their options."""

from dataclasses import dataclass
from typing import Annotated

from unified_cli.cli.command import Command, Entry, Later
from unified_cli.cli.flags import OUTPUT, Argument, Flag, Options
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, TransportOptions
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import Yes, with_help


@dataclass(frozen=True, kw_only=True)
class OperationsOptions(Options):
    """The words to search for, and how to print the results."""

    words: Annotated[tuple[str, ...], Argument(metavar="[WORDS]")] = ()
    output: TableOutput = None
    source: Annotated[
        bool, Flag(("--source",), OUTPUT, "show the file that defines each operation")
    ] = False
    openapi: Annotated[
        bool, Flag(("--openapi",), OUTPUT, "print the catalogue as an OpenAPI 3.1 document")
    ] = False


@dataclass(frozen=True, kw_only=True)
class AddOperationsOptions(MessageOptions, TransportOptions, ConnectionOptions):
    """Which offered operations to add as commands."""

    names: Annotated[
        tuple[str, ...],
        Argument(
            "an API that the connection offers, or one of its resources",
            metavar="MODEL[/RESOURCE]…",
            takes=("offered",),
        ),
    ]
    yes: Annotated[bool, with_help(Yes, "add without asking; required off a terminal")] = False


@dataclass(frozen=True, kw_only=True)
class RemoveOperationsOptions(MessageOptions):
    """Which added commands to remove."""

    names: Annotated[
        tuple[str, ...],
        Argument(
            "an API that was added, or one of its resources",
            metavar="MODEL[/RESOURCE]…",
            takes=("added",),
        ),
    ]
    yes: Annotated[bool, with_help(Yes, "remove without asking")] = False


_ADD = Command(
    AddOperationsOptions,
    Later("unified_cli.commands.operations.add:run"),
    usage="MODEL[/RESOURCE]… [options]",
    text=(
        "{about}. unified capabilities shows these operations.",
        (
            "The new commands are written to catalogue.d/MODEL.toml in the configuration folder,"
            " with the fields that the connection describes. They then work like the built-in"
            " commands, with help, completion, export, import and plan."
        ),
        (
            "A method such as merge may have any effect, so it is not sent again if its outcome is"
            ' in doubt. Two settings of a resource in that file change this: safe = "merge" means'
            ' that merge may be sent again, and read = "merge" means that merge changes nothing.'
        ),
    ),
    examples="unified -p sandbox -a sales operations add crm --yes",
)
_REMOVE = Command(
    RemoveOperationsOptions,
    Later("unified_cli.commands.operations.remove:run"),
    usage="MODEL[/RESOURCE]… [options]",
    text=("{about}. They are in catalogue.d/MODEL.toml of the configuration folder.",),
    examples=(
        "unified -p sandbox -a sales operations add crm --yes\n"
        "unified operations remove crm/contacts"
    ),
)

OPERATIONS = Command(
    OperationsOptions,
    Later("unified_cli.commands.operations.search:run"),
    usage="[WORDS] [options]",
    text=(
        (
            "{about} for words in their command, path or summary. Operations of resources with such"
            " a name are printed first."
        ),
    ),
    examples="unified operations suspend user",
    commands={
        "add": Entry(
            "Add commands for operations that a connection offers beyond the catalogue", _ADD
        ),
        "remove": Entry("Remove commands that were added", _REMOVE),
    },
)
