"""The list of connections: `GET /integrated-account`, one of them, and the one that a token belongs to."""

from collections.abc import Iterator

from unified_cli.catalogue import Service
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.account_routes.account_records import account_record, listed
from unified_cli.sandbox.api.filters import Test, field_test
from unified_cli.sandbox.api.list_page import ListTerms, page
from unified_cli.sandbox.api.query_tree import QueryTree
from unified_cli.sandbox.api.stored_records import Row
from unified_cli.sandbox.messages import Refusal, SandboxResponse
from unified_cli.sandbox.store import SandboxStore

_IDENTITY = "id"


def filters(service: Service) -> list[str]:
    """The parameters of the list beside those of its pages."""
    words = service.connections
    product = f"{words.product}.name"
    return [_IDENTITY, words.tenant, words.sandbox, product, words.status, words.created, words.updated,
            words.environment]  # fmt: skip


class ListedAccounts:
    """The connections as rows of a list, in the order of their positions."""

    def __init__(self, store: SandboxStore, service: Service) -> None:
        self.scope = ("", "", "connections")
        self._filters = filters(service)
        self._texts = [dump(account_record(account, store.seed, service)) for account in listed(store)]

    def tests(self, query: QueryTree) -> list[Test]:
        """The tests that a connection must pass to be listed."""
        return [field_test(name.split("."), query[name]) for name in self._filters if name in query]

    def rows(self, after: int = 0) -> Iterator[Row]:
        """The connections after a position."""
        yield from (Row(place + 1, self._texts[place]) for place in range(after, len(self._texts)))

    def rows_back(self, before: int) -> Iterator[Row]:
        """The connections before a position, from there back."""
        last = min(before - 1, len(self._texts))
        yield from (Row(place, self._texts[place - 1]) for place in range(last, 0, -1))


def list_accounts(store: SandboxStore, service: Service, query: QueryTree, terms: ListTerms) -> SandboxResponse:
    """A page of connections. Raises Refusal 400 for a bad page size or cursor."""
    return page(ListedAccounts(store, service), service, query, terms)


def get_account(store: SandboxStore, account: str, service: Service) -> SandboxResponse:
    """One connection. Raises Refusal 404 where there is none."""
    record = account_record(account, store.seed, service)
    if record is None:
        raise Refusal(404, f"no connection {account!r} that this token can see")
    return SandboxResponse.json(dump(record))
