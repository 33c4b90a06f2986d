"""Methods as HTTP has them: HEAD, OPTIONS, Allow, and the refusals."""

import httpx
import pytest
from sandbox_asking import TICKETS, ask
from sandbox_shop import Shop, raw

from unified_cli.catalogue import Catalogue
from unified_cli.sandbox.routing import methods, route


def test_each_operation_is_among_the_methods_of_its_path(catalogue: Catalogue) -> None:
    for operation in catalogue:
        path = operation.path.replace("{id}", "a")
        assert operation.method in methods(catalogue, path)
        assert all(route(catalogue, method, path) for method in methods(catalogue, path))


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (TICKETS, "GET, HEAD, OPTIONS, PATCH, POST"),
        (f"{TICKETS}/import", "DELETE, GET, HEAD, OPTIONS, PATCH, POST"),
        (f"{TICKETS}/tickets-1", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        (f"{TICKETS}/meta/list", "GET, HEAD, OPTIONS"),
        ("/unified/voice/recordings/download", "OPTIONS, POST"),
        ("/unified/ticketing/ticket_types", "GET, HEAD, OPTIONS"),
        ("/integrated-account/full/capabilities", "GET, HEAD, OPTIONS"),
    ],
)
def test_the_allowed_methods_of_a_path_are_the_same_everywhere(
    bare_client: httpx.Client, path: str, allowed: str
) -> None:
    told = bare_client.options(path)
    assert (told.status_code, told.headers["allow"], told.content) == (204, allowed, b"")
    for method in ("PUT", "TRACE"):
        refused = ask(bare_client, path, method=method)
        assert (refused.status_code, refused.headers["allow"]) == (405, allowed)
    assert ask(bare_client, path, method="BREW").status_code == 501
    assert ask(bare_client, path, method="HEAD").status_code == ask(bare_client, path).status_code


def test_an_unknown_path_has_no_methods(bare_client: httpx.Client) -> None:
    for path in ("/unified/ticketing/nothing", f"{TICKETS}/a/b", f"{TICKETS}/meta/nothing"):
        for method in ("OPTIONS", "HEAD", "PUT", "TRACE"):
            assert bare_client.request(method, path).status_code == 404


def test_a_head_has_the_headers_of_a_get_and_no_body(shop: Shop) -> None:
    lines = (
        f"Host: 127.0.0.1:{shop.port}\nAuthorization: Bearer {shop.token}\nConnection: close\n\n"
    )
    target = f"{TICKETS}?integrated_account_id=full&limit=2"
    status, head = raw(shop, f"HEAD {target} HTTP/1.1\n{lines}")
    _, whole = raw(shop, f"GET {target} HTTP/1.1\n{lines}")
    expected, _, body = whole.partition(b"\r\n\r\n")
    assert (status, body[:1]) == (200, b"{")
    without_date = [
        [line for line in text.split(b"\r\n") if not line.startswith(b"Date")]
        for text in (head, expected)
    ]
    assert [line for line in without_date[0] if line] == without_date[1]


def test_options_of_the_whole_server_and_of_its_control_routes(shop: Shop) -> None:
    with shop.client() as client:
        allowed = {
            path: client.options(f"/-/sandbox{path}").headers["allow"]
            for path in ("", "/faults", "/reset")
        }
        assert allowed == {
            "": "GET, HEAD, OPTIONS",
            "/faults": "DELETE, OPTIONS, PUT",
            "/reset": "OPTIONS, POST",
        }
        assert client.get("/-/sandbox/reset").status_code == 405
        assert client.get("/-/sandbox/nothing").status_code == 404
    lines = (
        f"Host: 127.0.0.1:{shop.port}\nAuthorization: Bearer {shop.token}\nConnection: close\n\n"
    )
    status, told = raw(shop, f"OPTIONS * HTTP/1.1\n{lines}")
    assert (status, b"Allow: DELETE, GET, HEAD, OPTIONS, PATCH, POST\r\n" in told) == (204, True)
