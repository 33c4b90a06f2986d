"""What an agent may do: the options of `unified mcp serve`, which its configuration repeats."""

from typing import Annotated

from unified_cli.cli.flags import SAFETY, Flag, Options
from unified_cli.cli.shared_options import Profiles


class PermissionOptions(Options):
    """The connections that a server reaches, and whether it writes."""

    profile: Profiles = ()
    allow_writes: Annotated[
        bool, Flag(("--allow-writes",), SAFETY, "offer a tool that writes; needs -p, and one connection a call")
    ] = False
    allow_deletes: Annotated[bool, Flag(("--allow-deletes",), SAFETY, "let that tool delete too")] = False
