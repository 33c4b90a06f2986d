"""The words of the service's routes about connections; `catalogue.toml` says what each is for."""

from typing import NamedTuple


class ConnectionWords(NamedTuple):
    """These words, in the order of the file."""

    own: str
    renewal: str
    products: str
    product_offer: str
    batch: str
    batch_requests: str
    batch_errors: str
    files: str
    custom: str
    platform_items: str
    tenant: str
    status: str
    sandbox: str
    product: str
    authentication: str
    region: str
    created: str
    updated: str
    environment: str
    installation: str
    last_error: str
    last_forbidden: str
    missing_scopes: str
    occurred: str
    last_action: str
    stored_fields: str
    healthy: str
    needs_login: str
    shut: str
    broken: str
    passing: str
    offer_kind: str
    unified: str
    provided: str
    described: str
    readiness: str
    model: str
    model_title: str
    documentation: str
    resource: str
    methods: str
    overridden: str
    account: str
    blocked: str
    forbidden: str
    rules: str

    @property
    def statuses(self) -> list[str]:
        """The statuses that are known; there may be others."""
        return f"{self.healthy} {self.passing} {self.needs_login} {self.shut} {self.broken}".split()

    def product_offer_path(self, product: str) -> str:
        """The route for what connections to a product offer; `product` is percent-encoded."""
        return self.product_offer.replace("{id}", product)
