"""`unified mcp`: its commands and their options.

The options of `serve` are the permissions of an agent. `mcp config` accepts the same
options.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from unified_cli.cli.command import Command, Entry, Group, Later
from unified_cli.cli.flags import OUTPUT, SAFETY, Common, Flag, Options
from unified_cli.cli.option_parts import MessageOptions, NetworkOptions
from unified_cli.cli.shared_options import Profiles
from unified_cli.errors import UsageError

PER_MINUTE = 300
Client = Literal[
    "claude-code", "claude-desktop", "codex", "cursor", "gemini-cli", "vscode", "windsurf", "zed"
]


@dataclass(frozen=True, kw_only=True)
class PermissionOptions(Options):
    """The connections that a server reaches, and what it may send to them."""

    profile: Profiles = ()
    allow_writes: Annotated[
        bool,
        Common(
            ("--allow-writes",),
            SAFETY,
            "offer a tool that writes to one connection per call; needs -p",
        ),
    ] = False
    allow_deletes: Annotated[
        bool, Common(("--allow-deletes",), SAFETY, "also let this tool delete records")
    ] = False
    per_minute: Annotated[
        int | None,
        Flag(
            ("--requests-per-minute",),
            SAFETY,
            f"requests to the service per minute; 0 means no limit ({PER_MINUTE})",
            "N",
            minimum=0,
        ),
    ] = None

    def check(self) -> None:
        """Raise UsageError for permissions that `serve` would refuse."""
        if self.allow_writes and not self.profile:
            raise UsageError(
                "--allow-writes needs -p, which names the connections that may be changed",
                hint="-p NAME",
            )
        if self.allow_deletes and not self.allow_writes:
            raise UsageError("--allow-deletes needs --allow-writes")


@dataclass(frozen=True, kw_only=True)
class ServeMcpOptions(MessageOptions, NetworkOptions, PermissionOptions):
    """Permissions and limits of an agent."""


@dataclass(frozen=True, kw_only=True)
class ClientConfigOptions(PermissionOptions):
    """The client to configure, and its permissions."""

    client: Annotated[
        Client | None, Flag(("--client",), OUTPUT, "the client to configure (claude-code)", "NAME")
    ] = None


_SERVE = Command(
    ServeMcpOptions,
    Later("unified_cli.commands.mcp.run:serve"),
    text=(
        "{about}. The tools search, describe and read; with --allow-writes and -p, also write.",
        "-p selects the profiles by name, glob or tag. Without -p, all profiles can be read.",
    ),
    examples="unified mcp serve -p 'prod-*'",
)
_CONFIG = Command(
    ClientConfigOptions,
    Later("unified_cli.commands.mcp.run:config"),
    text=("{about}. The other options of this command become options of the server.",),
    examples="unified mcp config --client vscode -p sandbox",
)

MCP = Group(
    "Offer the operations to coding agents over the Model Context Protocol.",
    "unified mcp config -p sandbox",
    {
        "serve": Entry(
            "Serve the operations to an agent as tools, over standard input and output", _SERVE
        ),
        "config": Entry("Print the configuration that makes an agent start the server", _CONFIG),
    },
)
