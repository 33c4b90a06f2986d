"""The keyring: asked with patience for three seconds, trusted only where it keeps a
secret.
"""

import sys
import threading
from collections.abc import Iterator
from types import ModuleType

import keyring
import pytest
from keyrings import InMemory

from unified_cli.config import keyring as keychain
from unified_cli.errors import ConfigError
from unified_cli.installation import command_to_add


class Silent(InMemory):
    """A keyring that waits for a window that no one sees."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.release = threading.Event()

    def get_password(self, *_: str) -> str | None:
        self.release.wait()
        return None


class Failing(InMemory):
    priority = 1

    def get_password(self, *_: str) -> str | None:
        raise RuntimeError("CANARY: this backend quotes what it was asked")


class PlaintextKeyring(InMemory):
    """Named as that of keyrings.alt."""

    priority = 1


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


def test_a_stored_token_is_found_until_it_is_removed() -> None:
    backend = InMemory()
    keyring.set_keyring(backend)
    assert keychain.get("https://x|acme") is None
    assert keychain.put("https://x|acme", "t-1") == "keyrings"
    assert backend.kept == {("unified", "https://x|acme"): "t-1"}
    assert keychain.get("https://x|acme") == "t-1"
    assert keychain.get("https://x|globex") is None
    assert keychain.remove("https://x|acme") is True
    assert keychain.remove("https://x|acme") is False
    assert backend.kept == {}


def test_a_keyring_that_never_answers_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keychain, "SECONDS", 0.05)
    backend = Silent()
    keyring.set_keyring(backend)
    before = {*threading.enumerate()}
    with pytest.raises(ConfigError, match="the keyring gave no answer within"):
        keychain.get("x")
    assert [thread.daemon for thread in threading.enumerate() if thread not in before] == [True]
    backend.release.set()


def test_a_keyring_that_fails_is_named_without_its_words() -> None:
    keyring.set_keyring(Failing())
    with pytest.raises(ConfigError) as caught:
        keychain.get("x")
    assert caught.value.message == "the keyring failed: RuntimeError"


@pytest.mark.parametrize("module", ["keyring.backends.fail", "keyring.backends.null"])
def test_a_keyring_that_keeps_nothing_is_refused(module: str) -> None:
    backend = __import__(module, fromlist=["Keyring"]).Keyring()
    keyring.set_keyring(backend)
    for ask in (lambda: keychain.get("x"), lambda: keychain.put("x", "t-1"), keychain.backend_name):
        with pytest.raises(
            ConfigError, match="this machine has no keyring that stores a token safely"
        ):
            ask()


def test_a_keyring_of_plain_text_is_refused_and_passed_over_in_a_chain() -> None:
    plain, good = PlaintextKeyring(), InMemory()
    keyring.set_keyring(plain)
    with pytest.raises(ConfigError, match="this machine has no keyring that stores a token safely"):
        keychain.put("x", "t-1")
    chain = type("Chain", (InMemory,), {"backends": [plain, good], "priority": 1})()
    keyring.set_keyring(chain)
    keychain.put("x", "t-1")
    assert (plain.kept, good.kept) == ({}, {("unified", "x"): "t-1"})


def test_a_missing_keyring_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ConfigError) as caught:
        keychain.get("x")
    assert (
        caught.value.message
        == f"the Python package keyring is not installed ({command_to_add('keyring')})"
    )


def test_a_backend_that_cannot_be_loaded_is_reported_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = ModuleType("keyring")

    def get_keyring() -> None:
        raise ModuleNotFoundError("No module named 'gone'", name="gone")

    broken.get_keyring = get_keyring  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", broken)
    with pytest.raises(ConfigError, match="the keyring failed: ModuleNotFoundError"):
        keychain.backend_name()
