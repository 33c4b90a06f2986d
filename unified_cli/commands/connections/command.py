"""`unified connections`: its commands and their options."""

from dataclasses import dataclass
from typing import Annotated

from unified_cli.cli.command import Command, Entry, Group, Later
from unified_cli.cli.flags import PROFILE, Common
from unified_cli.cli.option_parts import MessageOptions, NetworkOptions
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    BaseUrl,
    DryRun,
    PageSize,
    Profiles,
    Query,
    Tags,
    TokenFile,
    TokenStdin,
    Yes,
    with_help,
)


@dataclass(frozen=True, kw_only=True)
class ListedConnectionsOptions(MessageOptions, NetworkOptions):
    """Whose connections are asked for, and which of them count."""

    profile: Profiles = ()
    base_url: BaseUrl = None
    token_file: TokenFile = None
    token_stdin: TokenStdin = False
    query: Query = ()
    page_size: PageSize = None
    where: Annotated[
        str | None,
        Common(
            ("--where",),
            PROFILE,
            'only those for which this jq program says true: .product == "x"',
            "JQ",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ListConnectionsOptions(ListedConnectionsOptions):
    """Which connections to list, and how to print them."""

    output: TableOutput = None
    health: Annotated[
        bool,
        Common(
            ("--health",),
            PROFILE,
            "also ask, for each, whether it is blocked, and name its problem",
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class AddConnectionsOptions(ListedConnectionsOptions):
    """Which connections to add, and how their profiles are called."""

    prefix: Annotated[
        str, Common(("--prefix",), PROFILE, "begin each profile's name with this", "NAME")
    ] = ""
    tag: Annotated[
        tuple[str, ...], with_help(Tags, "give each profile this tag", metavar="TAG")
    ] = ()
    dry_run: Annotated[bool, with_help(DryRun, "show the profiles and add none")] = False
    yes: Annotated[bool, with_help(Yes, "add without asking; required off a terminal")] = False


_LIST = Command(
    ListConnectionsOptions,
    Later("unified_cli.commands.connections.report:run"),
    text=(
        "{about}, and the profiles that lead to them.",
        "Their credentials, which the service sends too, are neither shown nor kept.",
        "-q filters at the service, --where here, by what -o json shows.",
    ),
    examples="unified -p sandbox connections list --where '.status != \"active\"'",
)
_ADD = Command(
    AddConnectionsOptions,
    Later("unified_cli.commands.connections.add:run"),
    text=(
        "{about} of the token that has none, named after its tenant and product.",
        (
            "They use the token that listed the connections. Run again, it adds the new ones, and"
            " names the profiles whose connection is gone."
        ),
    ),
    examples="unified -p sandbox connections add --prefix demo- --tag demo --dry-run",
)

CONNECTIONS = Group(
    "Ask the service which connections a token can see, and make profiles of them.",
    "unified -p sandbox connections list",
    {
        "list": Entry("List the connections that the token can see", _LIST),
        "add": Entry("Add a profile for each connection", _ADD),
    },
)
