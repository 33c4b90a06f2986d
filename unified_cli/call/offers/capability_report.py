"""Ask the service which operations a connection offers."""

from urllib.parse import quote

import msgspec

from unified_cli.catalogue import Catalogue
from unified_cli.config.settings import Settings
from unified_cli.errors import ServiceError
from unified_cli.http import request as requests
from unified_cli.http.answer import bounds
from unified_cli.http.client import Client
from unified_cli.http.request import Content, Scope
from unified_cli.json_text.values import Json


def ask(client: Client, settings: Settings, catalogue: Catalogue) -> Json:
    """What the service answers, as it stands: operations by resource and API, if it is what is documented.

    Raises the errors of a request, ServiceError for an answer that is something else.
    """
    address, account = settings.reachable()
    path = catalogue.service.capabilities_path(quote(account, safe=""))
    request = requests.for_path(Scope(address, account, catalogue.service), "GET", path, Content([("type", "unified")]))
    try:
        answer = client.send(request._replace(largest=bounds.LARGEST_CAPABILITIES))
        found: Json = msgspec.json.decode(answer.body or b"null")
    except msgspec.DecodeError as error:
        raise ServiceError(f"the answer cannot be read: {error} (GET {path})", retryable=False) from None
    if not isinstance(found, dict):
        raise ServiceError(f"the answer names no operations (GET {path})", retryable=False)
    return found.get("unified")
