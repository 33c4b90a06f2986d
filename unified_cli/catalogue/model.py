"""The types of the catalogue: a service has APIs, an API has resources, and a resource
has operations.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from unified_cli.catalogue.known import KnownFacts, KnownField, known

# All other words are actions: POST /<resource>/<word>.
STANDARD: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "list": ("GET", ""),
        "create": ("POST", ""),
        "get": ("GET", "/{id}"),
        "update": ("PATCH", "/{id}"),
        "delete": ("DELETE", "/{id}"),
    }
)

FILE_RESOURCES = ("attachments", "files")
"""The resources whose records are files. Assumption: only these take files."""

# Resources whose records belong to another resource: `me` is one of the users.
SHOWN_AS = {"me": "users"}

# Fields that the service fills in, and fields outside the unified model.
NOT_SENT = {"id", "created_at", "updated_at", "etag", "remote_data"}


class ConnectionWords(NamedTuple):
    """The words of the service's routes about connections.

    They have the order of `catalogue.toml`, which explains each.
    """

    own: str
    link: str
    renewal: str
    log: str
    log_type: str
    logged: str
    log_filter: str
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
        """The known statuses. There may be others."""
        return f"{self.healthy} {self.passing} {self.needs_login} {self.shut} {self.broken}".split()

    def product_offer_path(self, product: str) -> str:
        """Return the route for the operations that connections to a product offer.

        `product` is percent-encoded.
        """
        return self.product_offer.replace("{id}", product)


class Operation(NamedTuple):
    """One operation of a resource.

    `path` is below the base URL, with `{id}` where an id goes.
    """

    api: str
    resource: str
    name: str
    method: str
    path: str
    kind: str
    """`read`, `write`, `delete`, or `action` for other operations than the standard
    five and a search.
    """
    outward: bool
    """Whether the action has effects outside the connection, so that repeating it may
    do harm.
    """
    harmless: bool
    """Whether the action changes nothing."""
    summary: str
    source: str = ""
    """The user's file that defines the operation; empty if it comes with the
    program.
    """
    own: KnownFacts | None = None
    """The facts about the operation in the user's file."""

    def __hash__(self) -> int:
        """Hash only the name, because the facts from a user's file are not hashable."""
        return hash((self.api, self.resource, self.name))

    @property
    def facts(self) -> KnownFacts:
        """The known facts about its parameters, bodies and records."""
        return self.own or known(self.api, self.resource)

    @property
    def command(self) -> str:
        """The command, without the program's name."""
        return f"{self.api} {self.resource} {self.name}".rstrip()

    @property
    def example_id(self) -> str:
        """The id of the first record in the sandbox, for examples."""
        return f"{SHOWN_AS.get(self.resource, self.resource)}-1"

    @property
    def takes_id(self) -> bool:
        """Whether the path has a place for an id."""
        return self.path.endswith("{id}")

    @property
    def takes_body(self) -> bool:
        """Whether a JSON body may be sent: not with GET."""
        return self.method != "GET"

    @property
    def required_parameters(self) -> list[str]:
        """The required parameters of its query, as they are written."""
        return [field.parameter for field in self.facts.query.get(self.name, ()) if field.required]

    @property
    def required_fields(self) -> list[str]:
        """The required fields of its body."""
        return [field.name for field in self.facts.body.get(self.name, ()) if field.required]

    @property
    def accepted_fields(self) -> tuple[KnownField, ...]:
        """The fields that its body may have.

        If these are unknown, the fields of the record that the service does not fill
        in. Empty for a delete.
        """
        body = self.facts.body.get(self.name, ())
        if body or self.kind == "action" or self.method == "DELETE" or self.searches:
            return body
        return tuple(field for field in self.facts.fields if field.name not in NOT_SENT)

    @property
    def searches(self) -> bool:
        """Whether it is a search: a POST that lists the records it finds."""
        return self.kind == "read" and self.method == "POST"

    @property
    def lists(self) -> bool:
        """Whether the response is a page of records."""
        return self.name == "list" or self.searches

    @property
    def changes(self) -> bool:
        """Whether it may change records or people's access."""
        return self.method != "GET" and not self.harmless


class Resource(NamedTuple):
    """A kind of record, and its operations."""

    api: str
    name: str
    about: str
    operations: Mapping[str, Operation]
    own: KnownFacts | None = None
    """The facts about its records in the user's file."""

    @property
    def facts(self) -> KnownFacts:
        """The known facts about its records."""
        return self.own or known(self.api, self.name)


def plain(name: str) -> str:
    """Return the name with one kind of dash, so that people may type either."""
    return name.replace("-", "_")


def either_dash(name: str, names: Collection[str]) -> str | None:
    """Return this name from `names`, with either dash.

    Returns the name itself, else the only name that differs just in its dashes, else
    None.
    """
    if name in names:
        return name
    found = [other for other in names if plain(other) == plain(name)]
    return found[0] if len(found) == 1 else None


class Api:
    """An API. Its resources are read when they are first needed."""

    def __init__(
        self, name: str, title: str, about: str, read: Callable[[], Mapping[str, Resource]]
    ) -> None:
        self.name = name
        self.title = title
        self.about = about
        self._read = read

    @cached_property
    def resources(self) -> Mapping[str, Resource]:
        """The resources by name."""
        return self._read()


class Service(NamedTuple):
    """The words of the service that all operations share. `catalogue.toml` explains
    each.
    """

    prefix: str
    connection: str
    items: str
    cursor: str
    page_size: str
    partial: str
    previous_cursor: str
    record_count: str
    remote_error: str
    error_insight: str
    provider_answers: str
    """The members of an error that have the provider's response."""
    response_format: str
    exclude_fields: str
    ignore_remote_data: str
    ignore_limit: str
    key_by: str
    body_passthrough: str
    sort: str
    times: str
    """The fields by which every list can be filtered and sorted."""
    operators: str
    """The operators that may follow the name of a filter in brackets."""
    schema: str
    accounts: str
    capabilities: str
    tools: str
    proxy: str
    search: str
    outward: str
    """The names of the actions that have effects outside the connection."""
    harmless: str
    """The names of the actions that change nothing."""
    connections: ConnectionWords

    def capabilities_path(self, account: str) -> str:
        """Return the route for the operations that a connection offers.

        `account` is percent-encoded.
        """
        return self.capabilities.replace("{id}", account)

    def tools_path(self, account: str) -> str:
        """Return the route for the descriptions of its provider's methods.

        `account` is percent-encoded.
        """
        return self.tools.replace("{id}", account)

    def names_no_account(self, path: str) -> bool:
        """Return whether requests of a path name no connection.

        These are paths about connections or products, and a few more.
        """
        words = self.connections
        first, *rest = path.partition("?")[0].strip("/").split("/")
        documented = f"/{first}" == self.prefix and rest[:1] == [self.schema]
        return documented or f"/{first}" in (
            self.accounts,
            words.products,
            words.batch,
            words.files,
            words.link,
            words.log,
        )


class Catalogue:
    """All operations, in the order of the file."""

    def __init__(self, service: Service, apis: Mapping[str, Api]) -> None:
        self.service = service
        self.apis = apis

    def __iter__(self) -> Iterator[Operation]:
        for api in self.apis.values():
            for resource in api.resources.values():
                yield from resource.operations.values()

    def operation(self, api: str, resource: str, name: str) -> Operation:
        """Return the operation with exactly these names.

        Raises KeyError if it does not exist.
        """
        return self.apis[api].resources[resource].operations[name]

    def match(self, method: str, path: str) -> tuple[Operation, str | None] | None:
        """Return the operation of a request line, with the id in its path,
        percent-encoded.

        The name of an action takes precedence over an id: POST /tickets/import is the
        action. Returns None if nothing matches.
        """
        prefix, _, rest = path.partition(self.service.prefix + "/")
        names = rest.split("/")
        if prefix or not 2 <= len(names) <= 3 or names[0] not in self.apis:
            return None
        resource = self.apis[names[0]].resources.get(names[1])
        last = names[2] if len(names) == 3 else None
        for operation in resource.operations.values() if resource else ():
            if operation.method == method:
                if operation.takes_id and last:
                    return operation, last
                if not operation.takes_id and operation.path == path:
                    return operation, None
        return None
