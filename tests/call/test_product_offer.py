"""The offers of a product that no one has connected yet."""

import io
from collections.abc import Mapping

import pytest
from published.publishing import ENVIRONMENT, OWN, publishing, shape

from unified_cli import hints
from unified_cli.call import introspection
from unified_cli.call.introspection import Offer
from unified_cli.catalogue import load
from unified_cli.config import file, resolution
from unified_cli.config.keys import Overrides
from unified_cli.errors import AccessError, RefusedError, ServiceError, UsageError
from unified_cli.fleet.clients import Clients
from unified_cli.runtime import Runtime
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox
from unified_cli.stderr import Stderr

CATALOGUE = load()
PRODUCT = shape("product-capabilities")
NAME = PRODUCT.path.split("/")[2]


def asked(environ: Mapping[str, str], product: str = NAME) -> Offer:
    runtime = Runtime(None, None, Stderr(io.BytesIO()), environ, folders={})
    settings = resolution.resolve(Overrides(), runtime, file.read(runtime)).without_account()
    with Clients(runtime, CATALOGUE) as clients:
        client = clients.open(settings)
        try:
            return introspection.ask_product(client, settings, CATALOGUE, product)
        finally:
            client.close()


@pytest.mark.parametrize("account", [None, "0b8e6c1e-5a3c-4a0e-9d53-2f1f2d6a7c11"])
def test_it_is_read_as_that_of_a_connection(account: str | None) -> None:
    with publishing() as published:
        offer = asked(published.environ(account=account))
        assert published.seen[-1].query == [("has_description", "false")]
    expected: dict[str, dict[str, list[str]]] = {}
    for entry in PRODUCT.body["unified"]:
        expected.setdefault(entry["model"], {})[entry["resource"]] = entry["methods"]
    assert offer.offered == expected
    assert expected
    assert (offer.state.status, offer.state.blocked, offer.overridden) == ("", None, frozenset())


@pytest.mark.parametrize("account", [None, "me"])
def test_the_token_of_a_single_connection_is_refused_with_a_hint(account: str | None) -> None:
    with publishing() as published, pytest.raises(AccessError) as caught:
        asked(published.environ(OWN, account))
    assert caught.value.status == 403
    assert caught.value.hint == hints.OWN_TOKEN


def test_another_refusal_shows_its_own_message() -> None:
    with publishing() as published:
        with pytest.raises(AccessError) as caught:
            asked(published.environ("tk-unknown-00000000"))
        assert caught.value.hint != hints.OWN_TOKEN
        with pytest.raises(RefusedError):
            asked(published.environ(ENVIRONMENT), "unknown")
        published.change("product-capabilities", lambda _: {"unified": 7})
        with pytest.raises(ServiceError, match="the answer names no operations"):
            asked(published.environ())


@pytest.mark.parametrize(
    "product", ["", ".", "..", "a/b", "a b", "a%2fb", "a?b", "a\nb", "ä", "-x", "x" * 129]
)
def test_an_invalid_product_name_is_refused_before_sending(product: str) -> None:
    with publishing() as published:
        with pytest.raises(UsageError, match="is not a product"):
            asked(published.environ(), product)
        assert published.seen == []


def test_the_sandbox_warns_of_it_too(unified_sandbox: UnifiedSandbox) -> None:
    environ = {"UNIFIED_BASE_URL": unified_sandbox.url, "UNIFIED_TOKEN": unified_sandbox.token}
    assert list(asked(environ, "deskly").offered) == ["ticketing"]
    with pytest.raises(RefusedError, match="no product 'paperdesk'"):
        asked(environ, "paperdesk")
    with pytest.raises(AccessError, match=hints.OWN_TOKEN):
        asked({**environ, "UNIFIED_TOKEN": f"{unified_sandbox.token}:full"}, "deskly")
