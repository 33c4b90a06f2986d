"""Before the user confirms, show which record a write changes in each connection."""

from collections.abc import Mapping, Sequence

import msgspec

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError
from unified_cli.fleet.read import FairReaders
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.http.request import Content
from unified_cli.json_text.members import Parts, text
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes import doubt, outcome

_MOST_ASKED = 3
_SECONDS = 5.0
_LONGEST = 80
_NAMES = ("name", "title", "subject", "display_name", "username", "file_name")


def tell(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    identifier: str | None,
    body: bytes | None,
    connections: Mapping[str, Settings],
) -> None:
    """Print the record's name in each of the first few connections to stderr.

    Prints nothing if no operation reads the record, or the write names no record.
    """
    resource = catalogue.apis[operation.api].resources[operation.resource]
    named = identifier or doubt.identifier_in(body, operation.resource)
    get = resource.operations.get("get")
    if get is None or named is None:
        return

    def ask(_: str, settings: Settings, client: Client) -> str:
        scope = requests.scope_of(settings, catalogue.service)
        request = requests.for_operation(scope, get, named, Content())
        response = client.send(request)
        return _name_and_mail(outcome.record_in(response.body or b"", catalogue.service))

    first_few = {
        name: settings._replace(timeout=min(settings.timeout, _SECONDS), retries=0)
        for name, settings in [*connections.items()][:_MOST_ASKED]
    }
    with FairReaders(runtime, catalogue, len(first_few)) as readers:
        found = dict(readers.ask(first_few, ask))
    for name in first_few:
        record = found[name]
        message = record.reason if isinstance(record, UnifiedError) else record or "it has no name"
        runtime.stderr.line(f"{named} in {name}: {message}")
    if left := len(connections) - len(first_few):
        runtime.stderr.line(f"the record in {counted(left, 'other connection')} was not read")


def _name_and_mail(record: Parts) -> str:
    whole = " ".join(
        filter(None, (text(record.get(field)) for field in ("first_name", "last_name")))
    )
    name = next(filter(None, (text(record.get(field)) for field in _NAMES)), whole)
    found = ", ".join(filter(None, (name, _mail(record))))
    return found if len(found) <= _LONGEST else f"{found[:_LONGEST]}…"


def _mail(record: Parts) -> str:
    for member in ("email", "emails"):
        try:
            value = msgspec.json.decode(record.get(member) or b"null")
        except msgspec.DecodeError:
            continue
        first = value[0] if isinstance(value, Sequence) and value and member == "emails" else value
        result = first.get("email") if isinstance(first, Mapping) else first
        if isinstance(result, str) and result:
            return result
    return ""
