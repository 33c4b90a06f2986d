"""Asking the sandbox, for several test files."""

from typing import Any

import httpx

TICKETS = "/unified/ticketing/tickets"
USERS = "/unified/user-directory/users"


def ask(
    client: httpx.Client, path: str, query: str = "", method: str = "GET", **more: Any
) -> httpx.Response:
    """The answer to a request on the connection `full`; the query is sent as it is
    written.
    """
    return client.request(method, f"{path}?integrated_account_id=full&{query}", **more)


def listed(client: httpx.Client, path: str, query: str = "") -> list[Any]:
    """All records that a query gives, page by page."""
    found: list[Any] = []
    cursor = ""
    while cursor is not None:
        at = f"&next_cursor={cursor}" if cursor else ""
        page = ask(client, path, f"limit=20&{query}{at}").json()
        assert "result" in page, page
        found += page["result"]
        cursor = page["next_cursor"]
    return found
