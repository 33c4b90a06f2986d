"""`unified connections`: its commands and their options."""

from dataclasses import dataclass
from typing import Annotated

from unified_cli.cli.command import Command, Entry, Group, Later
from unified_cli.cli.flags import PROFILE, SAFETY, Common, flags_of
from unified_cli.cli.option_parts import MessageOptions, NetworkOptions, StopOptions
from unified_cli.cli.options import CallOptions, ConfirmOptions
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    BaseUrl,
    CaBundle,
    DryRun,
    Force,
    Out,
    PageSize,
    Profiles,
    Query,
    Tags,
    Timeout,
    TokenFile,
    TokenStdin,
    Yes,
    with_help,
)


@dataclass(frozen=True, kw_only=True)
class ListedConnectionsOptions(MessageOptions, NetworkOptions):
    """The token whose connections to list, and the filters that narrow them down."""

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
            'only those for which this jq program is true: .product == "x"',
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
            "also check each connection, show its problem, and count the failing ones",
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class AddConnectionsOptions(ListedConnectionsOptions):
    """Which connections to add, and how to name their profiles."""

    prefix: Annotated[
        str, Common(("--prefix",), PROFILE, "begin each profile's name with this", "NAME")
    ] = ""
    tag: Annotated[
        tuple[str, ...], with_help(Tags, "give each profile this tag", metavar="TAG")
    ] = ()
    dry_run: Annotated[bool, with_help(DryRun, "show the profiles and add none")] = False
    yes: Annotated[bool, with_help(Yes, "add without asking; required off a terminal")] = False


@dataclass(frozen=True, kw_only=True)
class RefreshOptions(StopOptions, ConfirmOptions, NetworkOptions, CallOptions):
    """For which connections to renew the credentials, and how to print the outcomes."""


# Options that do not apply: the command builds the body, and the responses are not
# records.
_NOT_OF_REFRESH = {"query", "account_id", "out", "force"}


@dataclass(frozen=True, kw_only=True)
class LinkOptions(MessageOptions):
    """The connection that needs a new sign-in, and the destination of the token."""

    profile: Profiles = ()
    base_url: BaseUrl = None
    token_file: TokenFile = None
    token_stdin: TokenStdin = False
    out: Annotated[
        str | None, with_help(Out, "write the token to this new file, readable by you only")
    ] = None
    force: Annotated[
        bool, with_help(Force, "make a token even if the connection works", SAFETY)
    ] = False
    dry_run: DryRun = False
    yes: Annotated[bool, with_help(Yes, "do not ask; required off a terminal")] = False
    timeout: Timeout = None
    ca_bundle: CaBundle = None


_LIST = Command(
    ListConnectionsOptions,
    Later("unified_cli.commands.connections.report:run"),
    text=(
        "{about}, with their profiles. -p only selects the token.",
        "The service also sends their credentials, which are neither shown nor stored.",
        "The service applies the filters of -q. --where filters the records that -o json shows.",
    ),
    examples="unified -p sandbox connections list --where '.status != \"active\"'",
)
_ADD = Command(
    AddConnectionsOptions,
    Later("unified_cli.commands.connections.add:run"),
    text=(
        "{about} of the token that has no profile, named after its tenant and product.",
        (
            "The profiles use the token that listed the connections. A second run adds new"
            " connections, and names the profiles whose connections are gone."
        ),
    ),
    examples="unified -p sandbox connections add --prefix demo- --tag demo --dry-run",
)
_REFRESH = Command(
    RefreshOptions,
    Later("unified_cli.commands.connections.refresh:run"),
    text=(
        "{about}. Try this first if a connection is blocked or its login has expired.",
        "It asks first, needs -p and the environment's token, and is never repeated automatically.",
        "For several connections it is a run: see unified runs show.",
    ),
    examples="unified -p sandbox connections refresh --dry-run",
    flags=[flag for flag in flags_of(RefreshOptions) if flag.name not in _NOT_OF_REFRESH],
)
_LINK = Command(
    LinkOptions,
    Later("unified_cli.commands.connections.link:run"),
    text=(
        "{about}. The connection keeps its id and its data.",
        (
            "The sign-in page of your own application takes the token, once and within 7 days. Only"
            " the token is printed. It asks first, and needs -p and the environment's token."
        ),
    ),
    examples="unified -p sandbox connections link --force --dry-run",
)

CONNECTIONS = Group(
    "List the connections that a token can see, make profiles of them, and repair them.",
    "unified -p sandbox connections list",
    {
        "list": Entry("List the connections that the token can see", _LIST),
        "add": Entry("Add a profile for each connection", _ADD),
        "refresh": Entry("Ask the service to renew the credentials of connections", _REFRESH),
        "link": Entry("Make the token with which a customer signs in again", _LINK),
    },
)
