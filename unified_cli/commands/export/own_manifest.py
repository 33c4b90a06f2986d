"""Create the manifest of a run, with the results of earlier runs."""

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import PurePosixPath

from unified_cli.commands.export import delta_folder
from unified_cli.commands.export.delta_folder import TableFolder
from unified_cli.commands.export.plan import ExportPlan, PlannedList, file_for
from unified_cli.errors import ConfigError, StateError, UnifiedError, UsageError
from unified_cli.exported import export_state
from unified_cli.exported.checkpoint import UNFILTERED, ListIdentity
from unified_cli.exported.destination import Destination, InUseError
from unified_cli.exported.manifest import (
    TIMESTAMPS,
    Manifest,
    ManifestEntry,
    list_of,
    manifest_of,
    timestamp,
)
from unified_cli.http.rate import WINDOW
from unified_cli.masking import visible
from unified_cli.output import formats

# How long an earlier run of the same task may take to notice that it was replaced, in
# seconds.
_PATIENCE = 60.0


def _check_format(destination: Destination, manifest: Manifest, plan: ExportPlan) -> None:
    """Raise StateError if the destination has another format, because lists would be
    exported twice.
    """
    known, incremental = export_state.known(destination, manifest), plan.options.incremental
    kept_formats = {_format(file) for file in known.keys() & manifest.entries.keys()}
    wanted = {_format(planned.file) for planned in plan.lists}
    lists = {list_of(planned.file) for planned in plan.lists}
    found_formats = {_format(file) for file in known if list_of(file) in lists}
    other = found_formats - wanted or (kept_formats if not kept_formats & wanted else set())
    if other:
        fitting = {
            export.name for export in formats.EXPORTS if export.increments or not incremental
        }
        same = "".join(f"--format {form}, " for form in other & fitting) if len(other) == 1 else ""
        raise StateError(
            f"{destination} holds an export in another format: {', '.join(sorted(other))},"
            f" not {plan.form}",
            hint=f"{same}choose another folder with --to, or replace the export with --restart",
        )


def _format(file: str) -> str:
    return PurePosixPath(file).suffix.removeprefix(".")


def _check_restart(destination: Destination, plan: ExportPlan, manifest: Manifest) -> None:
    """Raise an error if a restart would lose data.

    Raises UsageError if it changes the filter, because records outside the new filter
    would be lost, and ConfigError if it replaces tables without the required package.
    """
    options = plan.options
    known = {
        list_of(entry.list_file): entry
        for entry in export_state.known(destination, manifest).values()
    }
    if any(_format(entry.file) == str(formats.DELTA) for entry in known.values()):
        delta_folder.check()
    if not (options.query or options.since):
        return
    for planned in plan.lists:
        before = known.get(list_of(planned.file))
        if before is None or not before.options:
            continue
        if _identity(plan, planned).has_other_filter(before.options):
            raise UsageError(
                f"{planned.file} was exported with another filter: --restart would delete the"
                " records that do not match the new filter",
                hint=UNFILTERED,
            )


def _identity(plan: ExportPlan, planned: PlannedList) -> ListIdentity:
    """Return the identity of a list.

    The identity is empty if the connection cannot be called. This is reported later.
    """
    try:
        options = plan.list_options(planned)
        replay = plan.context.runtime.replays
        return options.identity(plan.request(planned), replay=replay, **options.since)
    except UnifiedError:
        return ListIdentity("", {})


def with_known_folders(destination: Destination, plan: ExportPlan) -> ExportPlan:
    """Return the plan with the existing folder names of the lists, even if profiles
    were renamed.

    Raises StateError if a profile's connection was exported to the folder of another
    profile, or if a table has another connection under the profile's name. Raises
    UnsafeError if a table is a link, and StorageError.
    """
    entries = _known_entries(destination, plan)
    owners = {
        entry.profile: (entry.origin, entry.account_id) for entry in entries if entry.account_id
    }
    folders = {owner: name for name, owner in reversed(owners.items())}
    renamed: dict[str, str] = {}
    for name in dict.fromkeys(planned.connection for planned in plan.lists):
        known, owner = None, owners.get(name)
        with suppress(ConfigError):
            address, account = plan.connections.resolve(name).reachable()
            if owner != (address.origin, account):
                known = folders.get((address.origin, account))
                if owner and not known and plan.form is formats.DELTA:
                    raise StateError(
                        f"{destination} holds another connection as {visible(name)}: account"
                        f" {visible(owner[1])} at {visible(owner[0])}",
                        hint="choose another folder with --to, or rename the profile",
                    )
        if known is None:
            continue
        if name in owners:
            raise StateError(
                f"{visible(name)} is now the connection that was exported to {destination} as"
                f" {visible(known)}",
                hint="give the profiles their old names, or choose another folder with --to",
            )
        renamed[name] = known
        plan.context.runtime.stderr.note(
            f"profile {visible(name)} was renamed, and continues in {destination}/{visible(known)}"
        )
    lists = [
        replace(planned, file=file_for(renamed[planned.connection], _list(planned), plan.form))
        if planned.connection in renamed
        else planned
        for planned in plan.lists
    ]
    if plan.pauses and renamed:
        plan = replace(plan, manifest=manifest_of(lists[0].label))
    plan = replace(plan, lists=lists)
    if isinstance(destination, TableFolder):
        _check_owners(destination, plan, {entry.profile for entry in entries})
    return plan


def _check_owners(destination: TableFolder, plan: ExportPlan, known: Collection[str]) -> None:
    """Raise StateError if a table has one of these connections under another name.

    Ignores names that are in a manifest.
    """
    for planned in plan.lists:
        if planned.label not in known:
            with suppress(ConfigError):
                if part := plan.list_options(planned).table:
                    destination.table(part).check_owner(part, known)


def _list(planned: PlannedList) -> str:
    return f"{planned.operation.api}/{planned.operation.resource}"


def _known_entries(destination: Destination, plan: ExportPlan) -> Collection[ManifestEntry]:
    try:
        names = destination.manifests()
    except StateError:
        return []
    # There may be thousands of manifests of tasks, so do not read the others if this
    # task has one.
    beside = plan.manifest if plan.manifest in names else ""
    found = {**export_state.manifests(destination, beside=beside, damaged=True)}
    with suppress(StateError):
        if beside and (own := export_state.manifest_at(destination, beside)):
            found[beside] = own
    return export_state.latest(found.values()).values()


@contextmanager
def reserve(destination: Destination, plan: ExportPlan) -> Iterator[tuple[Manifest, bool]]:
    """Lock the manifest, and yield the result of `_reserve`.

    A task may be started again before its first run notices that it was cancelled.
    """
    runtime = plan.context.runtime
    until = runtime.monotonic() + (_PATIENCE if plan.pauses else 0)
    while True:
        with ExitStack() as held:
            try:
                held.enter_context(destination.hold(plan.manifest))
                reserved = _reserve(destination, plan)
            except InUseError:
                if runtime.monotonic() >= until:
                    raise
            else:
                yield reserved
                return
        runtime.sleep(1)


def _reserve(destination: Destination, plan: ExportPlan) -> tuple[Manifest, bool]:
    """Return this run's manifest, and whether to wait before sending.

    The run must wait if requests of an earlier run may still count towards the rate
    limits. Raises StateError if a manifest is damaged, and InUseError if another run is
    reading one of the lists.
    """
    runtime, name, restart = plan.context.runtime, plan.manifest, plan.options.restart
    own = _earlier_manifest(destination, plan)
    waits = own is not None and plan.pauses and not own.ended_before(runtime.wall(), WINDOW)
    manifest = own or Manifest(name, timestamp(runtime.wall()), plan.options.shard)
    if own is None and plan.form is formats.PARQUET and not restart:
        manifest.parquet = export_state.parquet_columns(destination)
    if restart:
        _check_restart(destination, plan, manifest)
    else:
        _check_format(destination, manifest, plan)
    ended, manifest.ended = manifest.ended, None
    manifest.running = {planned.file for planned in plan.lists}
    destination.replace(name, manifest.text())
    try:
        export_state.check_free(destination, manifest)
    except InUseError:
        manifest.ended = ended
        if own is None:
            destination.remove(name)
        else:
            destination.replace(name, manifest.text())
        raise
    return manifest, waits


def _earlier_manifest(destination: Destination, plan: ExportPlan) -> Manifest | None:
    try:
        return export_state.manifest_at(destination, plan.manifest)
    except StateError:
        # Ignore damage with --restart, because it may be the reason for the restart.
        if not plan.options.restart:
            raise
        return None


def take_over(destination: Destination, plan: ExportPlan, manifest: Manifest) -> None:
    """Take over the results of earlier runs, or restart with --restart."""
    if not plan.options.restart:
        export_state.take(destination, manifest)
        return
    lists = {planned.file: planned for planned in plan.lists}
    export_state.take_anew(
        destination,
        manifest,
        {planned.connection for planned in plan.lists},
        lambda file: _identity(plan, lists[file]),
        keep=plan.options.dedupe is not None,
    )
    if manifest.entries.keys() <= {*manifest.running}:
        manifest.started, manifest.parquet = timestamp(plan.context.runtime.wall()), TIMESTAMPS
