"""Find the connections of plans. A plan can only be applied to the connection that it
was made for.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from unified_cli.cli.options import overrides
from unified_cli.commands.move.command import ApplyOptions
from unified_cli.commands.move.plan_file import PlanFile
from unified_cli.config import profiles
from unified_cli.config.file import Config
from unified_cli.config.settings import Settings
from unified_cli.errors import UnsafeError, UsageError
from unified_cli.fleet import own_account
from unified_cli.hints import quoted
from unified_cli.plural import counted
from unified_cli.runtime import Runtime


class PlanTarget(NamedTuple):
    """A connection, the name of its profile, and the plans to apply to it."""

    name: str
    settings: Settings
    files: Sequence[PlanFile]

    @property
    def identity(self) -> tuple[str, str, str]:
        """The profile, and the address and account of its connection."""
        address, account = self.settings.reachable()
        return self.name, str(address), account


def find(
    runtime: Runtime,
    config: Config,
    options: ApplyOptions,
    files: Sequence[PlanFile],
    *,
    profile_is_optional: bool,
) -> list[PlanTarget]:
    """Return the connections of the plans, in the order of the plans.

    Raises UsageError if -p is required but missing, and UnsafeError if no selected
    profile has the connection of a plan, or if a profile is read-only.
    """
    if len({file.sha256 for file in files}) < len(files):
        raise UsageError("a plan is given twice")
    if not options.profile and not profile_is_optional:
        raise UsageError(
            "without a terminal, apply needs -p, the profile to change, and --yes",
            hint=_whole_line(options, files),
        )
    names = dict.fromkeys(
        profiles.select(config, options.profile)
        if profiles.is_several(options.profile)
        else options.profile or [file.header.target.name for file in files]
    )
    selected = {
        name: own_account.resolved(overrides(options, name)._replace(output=None), runtime, config)
        for name in names
    }
    found: dict[str, list[PlanFile]] = {}
    for file in files:
        found.setdefault(_profile_of_plan(file, selected), []).append(file)
    read_only = [name for name in found if selected[name].read_only]
    if read_only:
        what = (
            f'profile "{read_only[0]}"'
            if len(read_only) == 1
            else counted(len(read_only), "profile")
        )
        named = "" if len(read_only) == 1 else f": {', '.join(read_only)}"
        verb = "is" if len(read_only) == 1 else "are"
        raise UnsafeError(f"{what} {verb} read-only{named}; nothing was sent")
    return [PlanTarget(name, selected[name], plan_files) for name, plan_files in found.items()]


def _whole_line(options: ApplyOptions, files: Sequence[PlanFile]) -> str:
    words = ["unified", "apply", *options.plans]
    for name in dict.fromkeys(file.header.target.name for file in files):
        words += ["-p", name]
    if any(file.header.ids for file in files):
        words += ["--ids", options.ids or "FILE"]
    return " ".join((*map(quoted, words), "--yes"))


def _profile_of_plan(file: PlanFile, selected: Mapping[str, Settings]) -> str:
    planned = file.header.target
    accounts = {}
    for name, settings in selected.items():
        address, account = settings.reachable()
        accounts[name] = (address.origin + address.path, account)
        if accounts[name] == (planned.origin, planned.account):
            return name
    message = f"{file.path} is for account {planned.account} at {planned.origin}"
    hint = (
        "nothing was sent; choose the profile of that account with -p; when the plan was made,"
        f" its name was {planned.name}"
    )
    if len(accounts) > 1:
        raise UnsafeError(
            f"{message}, but none of the {counted(len(accounts), 'selected profile')} is for it",
            hint=hint,
        )
    ((name, (origin, account)),) = accounts.items()
    raise UnsafeError(
        f'{message}, but profile "{name}" is for account {account} at {origin}', hint=hint
    )
