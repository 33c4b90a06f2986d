from collections.abc import Iterator

import httpx
import pytest
from sandbox_shop import Shop

from unified_cli.catalogue import Catalogue, load
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.in_process import InProcess
from unified_cli.sandbox.store import SandboxStore


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture
def store() -> Iterator[SandboxStore]:
    store = SandboxStore.open(None)
    yield store
    store.close()


@pytest.fixture
def sandbox(catalogue: Catalogue, store: SandboxStore) -> Sandbox:
    return Sandbox(catalogue, store, keep_ids=True)


@pytest.fixture
def client(sandbox: Sandbox) -> Iterator[httpx.Client]:
    params = {"integrated_account_id": "full"}
    with httpx.Client(
        transport=InProcess(sandbox), base_url="http://sandbox", params=params
    ) as client:
        yield client


@pytest.fixture
def bare_client(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client that names no connection by itself."""
    with httpx.Client(transport=InProcess(sandbox), base_url="http://sandbox") as client:
        yield client


@pytest.fixture(scope="session")
def shop() -> Iterator[Shop]:
    with Shop() as shop:
        yield shop
