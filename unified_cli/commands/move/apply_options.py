"""The options of `unified apply`."""

from typing import Annotated, Literal

from unified_cli.cli.flags import COMPARE, SAFETY, Argument, Flag, by_name
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    DryRun,
    MessageOptions,
    NetworkOptions,
    Profiles,
    TokenFile,
    TokenStdin,
    Yes,
)
from unified_cli.commands.move.options import CompareOptions

PlannedWord = Literal["create", "update", "delete"]


class ApplyOptions(MessageOptions, NetworkOptions):
    """Which plans are applied, and how much of them."""

    plans: Annotated[tuple[str, ...], Argument("files of plans, as `unified plan` prints them", "PLAN...", ("file",))]
    profile: Profiles = ()
    token_file: TokenFile = None
    token_stdin: TokenStdin = False
    only: Annotated[PlannedWord | None, Flag(("--only",), COMPARE, "only calls of this kind", "KIND")] = None
    ids: Annotated[str | None, by_name(CompareOptions)["ids"]] = None
    overwrite_changed: Annotated[
        bool, Flag(("--overwrite-changed",), SAFETY, "also change what has changed since the plan was made")
    ] = False
    max_deletes: Annotated[
        int | None, Flag(("--max-deletes",), SAFETY, "delete at most N records (half of those there)", "N", minimum=0)
    ] = None
    dry_run: DryRun = False
    yes: Yes = False
    output: TableOutput = None
