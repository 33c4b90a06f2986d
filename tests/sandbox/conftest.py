from collections.abc import Iterator

import httpx
import pytest

from unified_cli.catalogue import Catalogue, load
from unified_cli.sandbox.app import Sandbox
from unified_cli.sandbox.store import Store
from unified_cli.sandbox.transport import InProcess


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture
def store() -> Iterator[Store]:
    store = Store.open(None)
    yield store
    store.close()


@pytest.fixture
def sandbox(catalogue: Catalogue, store: Store) -> Sandbox:
    return Sandbox(catalogue, store)


@pytest.fixture
def client(sandbox: Sandbox) -> Iterator[httpx.Client]:
    params = {"integrated_account_id": "full"}
    with httpx.Client(transport=InProcess(sandbox), base_url="http://sandbox", params=params) as client:
        yield client
