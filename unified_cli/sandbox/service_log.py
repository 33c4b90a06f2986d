"""Generate a log of calls.

Each connection makes a call every few minutes. The log lists the newest calls first.
It contains fake credentials to check that clients mask credentials.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.accounts import offers
from unified_cli.sandbox.connections import environment_id, known_kind, product_of
from unified_cli.sandbox.messages import Refusal
from unified_cli.sandbox.operation_call import missing
from unified_cli.sandbox.query import QueryTree, Test, texts
from unified_cli.sandbox.seeded_random import SeededRandom, timestamp
from unified_cli.sandbox.stored_records import Row
from unified_cli.values import JsonObject

MOST = 100
"""The largest and default number of entries on a page."""
_EVERY = 150
"""The seconds between calls of a connection."""
_LONGEST = 31 * 86_400
# The kinds of connections whose calls all fail, with the status of these calls.
_STATUS = {"needs-reauth": 401, "blocked": 503, "dead-provider": 502}
_SAID = {
    401: "the provider refused the credentials of this account",
    404: "no such record",
    422: "the provider refused the body",
    429: "the provider's rate limit is used up",
    502: "upstream connect error",
    503: "the integrated account is blocked",
}
_ONE_IN = 8
_FAILURES = (404, 422, 429)


class ServiceLog:
    """The entries that a query selects, as rows of a list."""

    def __init__(
        self, catalogue: Catalogue, seed: str, accounts: Sequence[str], query: QueryTree
    ) -> None:
        """Read the query.

        Raises Refusal if the query does not name the kind of log, or if a time in the
        query is missing or invalid.
        """
        words = catalogue.service.connections
        self.scope = ("", "", "log")
        self._catalogue, self._seed = catalogue, seed
        if "".join(texts(query.get(words.log_type, ""))) != words.logged:
            raise missing("query_parameters", [words.log_type])
        self._since, self._until = _times(query.get("created_at"))
        filters = query.get(words.log_filter)
        self._filters = filters if isinstance(filters, dict) else {}
        named = texts(self._filters.get(catalogue.service.connection, ""))
        for account in filter(None, named):
            known_kind(account)
        self._accounts = [
            account_id for account_id in accounts if account_id in named or not any(named)
        ]
        self._accounts += [name for name in named if name and name not in accounts]
        self._operations: dict[str, list[Operation]] = {}

    def tests(self, _query: QueryTree) -> list[Test]:
        """Return the tests that an entry must pass to be listed."""
        words = self._catalogue.service.connections
        members = ("request_type", words.environment, words.product)
        return [
            partial(_is_one_of, name, texts(self._filters[name]))
            for name in members
            if name in self._filters
        ]

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Yield the entries after a position."""
        last = self._count
        yield from (Row(place + 1, self._entry(place)) for place in range(after, last))

    def rows_back(self, before: int) -> Iterator[Row]:
        """Yield the entries before a position, in reverse order."""
        last = min(before - 1, self._count)
        yield from (Row(place, self._entry(place - 1)) for place in range(last, 0, -1))

    @property
    def _count(self) -> int:
        moments = max(0, int(self._until // _EVERY) - int(self._since // _EVERY))
        return moments * len(self._accounts)

    def _entry(self, place: int) -> str:
        turn, which = divmod(place, len(self._accounts))
        at = (int(self._until // _EVERY) - turn) * _EVERY
        return dump(self._facts(self._accounts[which], at))

    def _facts(self, account: str, at: int) -> JsonObject:
        kind, service = known_kind(account), self._catalogue.service
        words = service.connections
        random = SeededRandom.from_words(self._seed, "log", account, at)
        operation = self._operation(kind, random)
        status = _status(kind, random)
        failed = status >= 400
        secret = f"sandbox-credential-{random.below('token', 10**9):09d}"
        # A call that is passed on to the provider's own API names its resource without
        # the name of a unified API.
        proxied = random.below("proxied", _ONE_IN) == 0
        resource = operation.resource if proxied else f"{operation.api}/{operation.resource}"
        upstream = f"https://provider.example/v3/{operation.resource}?access_token={secret}"
        message = _SAID.get(status, "")
        fetched = 40 + random.below("fetch", 400)
        return {
            "timestamp": timestamp(at),
            "service": "unified-api",
            words.environment: environment_id(self._seed),
            service.connection: account,
            words.tenant: account.partition(":")[2] or kind,
            words.product: product_of(account, self._seed).name,
            "request_type": words.provided if proxied else words.unified,
            "resource": resource,
            "method": operation.name,
            "http_method": operation.method,
            "http_url": upstream,
            "http_status_code": status,
            "http_status_category": f"{status // 100}xx",
            "duration": fetched + 5 + random.below("own", 60),
            "fetch_duration": fetched,
            service.record_count: 0 if failed else 1 + random.below("count", 50),
            f"{service.connection.removesuffix('id')}{words.needs_login.split()[0]}": status == 401,
            "logs": [
                f"{operation.method} {upstream}",
                dump({"headers": {"authorization": f"Bearer {secret}"}, "status": status}),
            ],
            "message": message or f"{operation.name} {resource}",
        }

    def _operation(self, kind: str, random: SeededRandom) -> Operation:
        found = self._operations.get(kind)
        if found is None:
            resources = [
                resource
                for api in self._catalogue.apis.values()
                for resource in api.resources.values()
                if offers(kind, resource.api, resource.name)
            ]
            found = [
                operation
                for resource in resources
                for operation in resource.operations.values()
                if operation.kind == "read"
            ]
            self._operations[kind] = found
        return random.pick("operation", tuple(found))


def _is_one_of(name: str, values: Sequence[str], entry: JsonObject) -> bool:
    return entry[name] in values


def _status(kind: str, random: SeededRandom) -> int:
    if kind in _STATUS:
        return _STATUS[kind]
    return random.pick("status", _FAILURES) if random.below("failed", _ONE_IN) == 0 else 200


def _times(value: object) -> tuple[float, float]:
    """Return the times of `created_at[gt]` and `created_at[lt]`, which are both
    required.

    Raises Refusal.
    """
    bounds = value if isinstance(value, dict) else {}
    names = [name for name in ("gt", "lt") if name not in bounds]
    if names:
        raise missing("query_parameters", [f"created_at[{name}]" for name in names])
    try:
        since, until = (_seconds(str(bounds[name])) for name in ("gt", "lt"))
    except ValueError:
        raise Refusal(400, "the times of created_at must be in the format ISO 8601") from None
    if until - since > _LONGEST:
        raise Refusal(400, "the times of created_at must be at most 31 days apart")
    return since, until


def _seconds(text: str) -> float:
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
