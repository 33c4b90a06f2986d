"""The requests below the path of the connections, and who may send them."""

from dataclasses import dataclass

from unified_cli.catalogue import Catalogue, Service
from unified_cli.sandbox.account_routes.integrated_accounts import get_account, list_accounts
from unified_cli.sandbox.account_routes.offered import OfferedMethods
from unified_cli.sandbox.api.list_page import PLATFORM, ListTerms
from unified_cli.sandbox.api.query_tree import tree
from unified_cli.sandbox.messages import Refusal, SandboxRequest, SandboxResponse, decoded
from unified_cli.sandbox.store import SandboxStore


def has_path(catalogue: Catalogue, path: str) -> bool:
    """Whether a path is one of these routes; all of them take GET only."""
    service = catalogue.service
    segments = path.split("/")[2:]
    if path == service.accounts:
        return True
    if not path.startswith((f"{service.accounts}/", f"{service.connections.products}/")) or not segments[0]:
        return False
    return path in _below(service, segments[0])


def _below(service: Service, segment: str) -> tuple[str, ...]:
    """The routes of the connection, or the product, of that name."""
    own = f"{service.accounts}/{segment}"
    offer = service.connections.product_offer_path(segment)
    return own, service.capabilities_path(segment), service.tools_path(segment), offer


@dataclass(frozen=True, slots=True)
class AccountRoutes:
    """Answers these requests; `own` is the connection that the token belongs to, None for a token of all of them."""

    catalogue: Catalogue
    store: SandboxStore
    now: float
    own: str | None

    def answer(self, request: SandboxRequest) -> SandboxResponse:
        """The answer. Raises Refusal: 403 where the token is for one connection only, 404 where there is none."""
        service, path = self.catalogue.service, request.path
        me = service.connections.own
        if self.own is not None and path != me:
            raise Refusal(403, f"the token of one connection is good for {me} only")
        query = tree(request.query)
        if path == service.accounts:
            return list_accounts(self.store, service, query, ListTerms(self.now, greatest=PLATFORM, platform=True))
        segment = path.split("/")[2]
        offers = OfferedMethods(self.catalogue, self.store.seed, query)
        if path == service.connections.product_offer_path(segment):
            return offers.of_product(decoded(segment))
        if path == service.capabilities_path(segment):
            return offers.of_account(decoded(segment))
        if path == service.tools_path(segment):
            return offers.tools(decoded(segment))
        if path == me and self.own is None:
            raise Refusal(404, f"this token belongs to no connection, so there is no {me}")
        return get_account(self.store, self.own or decoded(segment), service)
