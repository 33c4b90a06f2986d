"""The options of the `mcp` commands: what an agent may do, which its configuration repeats."""

from typing import Annotated, Literal

from unified_cli.cli.flags import OUTPUT, SAFETY, Flag, Options
from unified_cli.cli.shared_options import MessageOptions, NetworkOptions, Profiles
from unified_cli.errors import UsageError

PER_MINUTE = 300
Client = Literal["claude-code", "claude-desktop", "codex", "cursor", "gemini-cli", "vscode", "windsurf", "zed"]


class PermissionOptions(Options):
    """The connections that a server reaches, and whether it writes."""

    profile: Profiles = ()
    allow_writes: Annotated[
        bool, Flag(("--allow-writes",), SAFETY, "offer a tool that writes; needs -p, and one connection a call")
    ] = False
    allow_deletes: Annotated[bool, Flag(("--allow-deletes",), SAFETY, "let that tool delete too")] = False

    def check(self) -> None:
        """Raise UsageError for permissions that a server does not start with."""
        if self.allow_writes and not self.profile:
            raise UsageError("--allow-writes needs -p, so that it is plain what may be changed", hint="-p NAME")
        if self.allow_deletes and not self.allow_writes:
            raise UsageError("--allow-deletes needs --allow-writes")


class ServeMcpOptions(MessageOptions, NetworkOptions, PermissionOptions):
    """What an agent may do, and how often."""

    per_minute: Annotated[
        int | None,
        Flag(
            ("--requests-per-minute",),
            SAFETY,
            f"requests to the service in a minute, 0: no limit ({PER_MINUTE})",
            "N",
            minimum=0,
        ),
    ] = None


class ClientConfigOptions(PermissionOptions):
    """For which client, and what it may do."""

    client: Annotated[Client | None, Flag(("--client",), OUTPUT, "the client to configure (claude-code)", "NAME")] = (
        None
    )
