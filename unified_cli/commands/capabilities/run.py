"""Ask the service which operations each selected connection offers, and print the
result.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from unified_cli import signals
from unified_cli.call import offer_check
from unified_cli.call.offer_check import ConnectionOffer, OfferCheck
from unified_cli.catalogue import Catalogue, Operation, either_dash
from unified_cli.cli import named_resource
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import overrides
from unified_cli.commands.capabilities import report
from unified_cli.commands.capabilities.command import CapabilitiesOptions
from unified_cli.config import file, known_capabilities, profiles, resolution
from unified_cli.config.settings import Settings
from unified_cli.errors import AccessError, UnifiedError, UsageError
from unified_cli.fleet import own_account
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.fleet.read import FairReaders
from unified_cli.http.client import Client
from unified_cli.output import stdout
from unified_cli.output.progress import Progress, Work, progress
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime

# The timeout in seconds and the retries of a probe.
_SECONDS, _RETRIES = 30.0, 1


def run(context: CommandContext, options: CapabilitiesOptions) -> None:
    """Print what the connections offer. Raises IncompleteError if the request failed
    for some connections, and the common error if it failed for all.
    """
    runtime, catalogue = context.runtime, context.catalogue
    operations = _operations(catalogue, options.resources, file.read(runtime).profiles)
    if options.product is not None:
        found = [
            _of_product(context, options, OfferCheck(runtime, catalogue, operations, probe=False))
        ]
        _show(context, options, operations, found)
        return
    # Here `-o` is the format of the matrix, not of records.
    names, selected, wrong = offer_check.selected(runtime, replace(options, output=None))
    stdout.check(runtime)
    check = OfferCheck(runtime, catalogue, operations, options.probe)
    work = Work(part="connection", parts=len(selected))
    with (
        progress(runtime, work, to_stdout=True) as shown,
        FairReaders(runtime, catalogue, options.workers) as readers,
    ):
        asked = _ask_all(check, selected, readers, shown, options)
    answers = {**asked, **wrong}
    found = [_offer(name, operations, answers[name]) for name in names]
    _keep_lacking(runtime, catalogue, operations, found, selected)
    _show(context, options, operations, found)
    _raise_error(found, probed=options.probe)


def _show(
    context: CommandContext,
    options: CapabilitiesOptions,
    operations: Sequence[Operation],
    offers: Sequence[ConnectionOffer],
) -> None:
    for offer in offers:
        if offer.unread:
            context.runtime.stderr.note(
                f"{offer.name}: {counted(offer.unread, 'entry')} of its offer cannot be read"
            )
    names = (*file.read(context.runtime).profiles, file.RESERVED)
    # Adding operations needs a connection that describes them.
    profile_names = None if options.product else names
    report.show(context, options.output, operations, offers, profile_names, options.account_id)


def _of_product(
    context: CommandContext, options: CapabilitiesOptions, check: OfferCheck
) -> ConnectionOffer:
    """Return the operations that the product offers, connected or not.

    Raises the errors of the request.
    """
    if options.probe:
        raise UsageError("--product needs no connection, but --probe reads a connection's lists")
    runtime = context.runtime
    flags = overrides(replace(options, output=None), profiles.single_name(options.profile))
    settings = resolution.resolve(flags, runtime, file.read(runtime)).without_account()
    own_account.apply_to_messages(runtime, settings)
    stdout.check(runtime)
    with (
        FairReaders(runtime, context.catalogue, options.workers) as readers,
        closing(readers.clients.open(settings)) as client,
    ):
        return check.check_product(options.product or "", settings, client)


def _operations(
    catalogue: Catalogue, names: Sequence[str], profile_names: Collection[str]
) -> list[Operation]:
    """Return the operations of these APIs and resources.

    Without names, return all operations. Raises UsageError for an unknown name.
    """
    found: dict[str, Operation] = {}
    for name in names or catalogue.apis:
        api = catalogue.apis.get(either_dash(name, catalogue.apis) or "")
        resources = (
            api.resources.values() if api else [named_resource.find(catalogue, name, profile_names)]
        )
        found.update(
            {
                operation.command: operation
                for resource in resources
                for operation in resource.operations.values()
            }
        )
    return [*found.values()]


def _ask_all(
    check: OfferCheck,
    selected: Mapping[str, Settings],
    readers: FairReaders,
    shown: Progress,
    options: CapabilitiesOptions,
) -> Mapping[str, ConnectionOffer | UnifiedError]:
    if options.probe:
        selected = {name: _for_a_try(settings, options) for name, settings in selected.items()}
    result: dict[str, ConnectionOffer | UnifiedError] = {}
    seconds: dict[str, float] = {}

    def timed(name: str, settings: Settings, client: Client) -> ConnectionOffer:
        began = check.runtime.monotonic()
        try:
            return check.check(name, settings, client)
        finally:
            seconds[name] = check.runtime.monotonic() - began

    with (
        signals.with_progress(
            lambda: f"{len(result)} of {counted(len(selected), 'connection')}, nothing printed"
        ),
        closing(readers.ask(selected, timed)) as answers,
    ):
        for name, answer in answers:
            if isinstance(answer, ConnectionOffer):
                answer.seconds = seconds[name]
            result[name] = answer
            shown.add(parts=1, failed=isinstance(answer, UnifiedError))
    return result


def _for_a_try(settings: Settings, options: CapabilitiesOptions) -> Settings:
    """Return the settings with the probe's limits.

    Options of the command line override them.
    """
    return settings._replace(
        timeout=min(settings.timeout, _SECONDS) if options.timeout is None else settings.timeout,
        retries=min(settings.retries, _RETRIES) if options.retries is None else settings.retries,
    )


def _offer(
    name: str, operations: Sequence[Operation], answer: ConnectionOffer | UnifiedError
) -> ConnectionOffer:
    return (
        offer_check.failed(name, operations, answer) if isinstance(answer, UnifiedError) else answer
    )


def _keep_lacking(
    runtime: Runtime,
    catalogue: Catalogue,
    operations: Sequence[Operation],
    offers: Sequence[ConnectionOffer],
    selected: Mapping[str, Settings],
) -> None:
    """Save which connections lack which operations, for help pages.

    Only saves APIs whose operations were all requested.
    """
    asked = [offer for offer in offers if offer.error is None]
    wanted = {operation.command for operation in operations}
    for api in catalogue.apis.values() if asked else ():
        every = [
            operation.command
            for resource in api.resources.values()
            for operation in resource.operations.values()
        ]
        if not wanted.issuperset(every):
            continue
        lacking: defaultdict[str, list[str]] = defaultdict(list)
        for connection in asked:
            for cell in connection.cells:
                if cell.state == offer_check.REFUSED and cell.operation.api == api.name:
                    lacking[f"{cell.operation.resource} {cell.operation.name}"].append(
                        connection.name
                    )
        settings = {offer.name: selected[offer.name] for offer in asked}
        known_capabilities.keep_lacking(runtime, api.name, settings, lacking)


def _raise_error(offers: Sequence[ConnectionOffer], *, probed: bool) -> None:
    failed = {
        offer.name: error
        for offer in offers
        if (error := offer.error or (_error_of_all_lists(offer) if probed else None))
    }
    unknown = [
        offer.name
        for offer in offers
        if offer.name not in failed
        and any(cell.state == offer_check.FAILED for cell in offer.cells)
    ]
    missing = [f"some lists of {named(unknown)} could not be read"] if unknown else []
    conclude(Ending("connection", len(offers), failed, missing=missing))


def _error_of_all_lists(offer: ConnectionOffer) -> UnifiedError | None:
    """Return the error of a connection if all lists that it offers are forbidden, or
    None.
    """
    states = [cell.state for cell in offer.cells if cell.operation.name == "list"]
    forbidden = states.count(offer_check.FORBIDDEN)
    if not forbidden or forbidden < len(states) - states.count(offer_check.REFUSED):
        return None
    return AccessError(
        f"no list of {offer.name} can be read: {counted(forbidden, 'list')} forbidden"
    )
