"""The requests below the path of the connections, and who may send them."""

from dataclasses import dataclass

from unified_cli.catalogue import Catalogue
from unified_cli.sandbox.account_routes.integrated_accounts import get_account, list_accounts
from unified_cli.sandbox.account_routes.offered import capabilities, tools
from unified_cli.sandbox.api.list_page import ListTerms
from unified_cli.sandbox.api.query_tree import tree
from unified_cli.sandbox.messages import Refusal, SandboxRequest, SandboxResponse, decoded
from unified_cli.sandbox.store import SandboxStore

_ME = "me"


def has_path(catalogue: Catalogue, path: str) -> bool:
    """Whether a path is one of these routes; all of them take GET only."""
    place = path.removeprefix(catalogue.service.accounts)
    if place == path:
        return False
    account = place.split("/")[1] if place.startswith("/") else ""
    return place == "" or (bool(account) and (place == f"/{account}" or _service_path(catalogue, path, account)))


def _service_path(catalogue: Catalogue, path: str, account: str) -> bool:
    service = catalogue.service
    return path in (service.capabilities_path(account), service.tools_path(account))


@dataclass(frozen=True, slots=True)
class AccountRoutes:
    """Answers these requests; `own` is the connection that the token belongs to, None for a token of all of them."""

    catalogue: Catalogue
    store: SandboxStore
    now: float
    own: str | None

    def answer(self, request: SandboxRequest) -> SandboxResponse:
        """The answer. Raises Refusal: 403 where the token is for one connection only, 404 where there is none."""
        service = self.catalogue.service
        segment = request.path.removeprefix(service.accounts).lstrip("/").partition("/")[0]
        if self.own is not None and segment != _ME:
            raise Refusal(403, f"the token of one connection is good for {service.accounts}/{_ME} only")
        if not segment:
            return list_accounts(self.store, service, tree(request.query), ListTerms(self.now))
        if request.path == service.capabilities_path(segment):
            return capabilities(self.catalogue, decoded(segment))
        if request.path == service.tools_path(segment):
            return tools(self.catalogue, decoded(segment))
        if segment == _ME and self.own is None:
            raise Refusal(404, f"this token belongs to no connection, so there is no {service.accounts}/{_ME}")
        return get_account(self.store, self.own or decoded(segment))
