"""Valid base URLs, and equal origins."""

import pytest

from unified_cli.config import address
from unified_cli.errors import ConfigError, UnsafeError


@pytest.mark.parametrize(
    ("url", "whole", "origin"),
    [
        ("https://api.example.com", "https://api.example.com", "https://api.example.com"),
        ("https://api.example.com/", "https://api.example.com", "https://api.example.com"),
        (
            "HTTPS://API.Example.com:443/v1/",
            "https://api.example.com/v1",
            "https://api.example.com",
        ),
        (
            "https://api.example.com:8443/v1",
            "https://api.example.com:8443/v1",
            "https://api.example.com:8443",
        ),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x", "http://[::1]:8080"),
        ("http://localhost", "http://localhost", "http://localhost"),
        (
            "https://xn--bcher-kva.example",
            "https://xn--bcher-kva.example",
            "https://xn--bcher-kva.example",
        ),
        ("https://my_host.internal.", "https://my_host.internal.", "https://my_host.internal."),
    ],
)
def test_a_base_url_has_this_form_and_origin(url: str, whole: str, origin: str) -> None:
    found = address.parse(url, "here")
    assert (str(found), found.origin) == (whole, origin)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "api.example.com",
        "//api.example.com",
        "ftp://x",
        "file:///etc/passwd",
        "https://",
        "https:///x",
        "https://user:CANARY@host",
        "https://CANARY@host",
        "https://user:CANARY",
        "https://user:CANARY/@host",
        "https://host?x=CANARY",
        "https://host#CANARY",
        "https://host/?",
        "https://host/a/../b",
        "https://host/%2e%2e/b",
        "https://host//b",
        "https://ho st",
        "https://host/\u202eCANARY",
        "https://bücher.example",
        "https:\\\\CANARY",
        "https://good%2F.CANARY/",
        "https://[::1",
        "https://host:99999",
        "https://host:x",
        "https://a<b>",
        "https://host\n",
        "https://host\x00",
    ],
)
def test_an_invalid_base_url_is_refused_without_quoting_it(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        address.parse(url, "here")
    assert caught.value.message.startswith("base URL in here ")
    assert "CANARY" not in caught.value.message


@pytest.mark.parametrize(
    "url", ["http://api.example.com", "http://10.0.0.1", "http://localhost.example", "http://[::2]"]
)
def test_clear_text_goes_to_this_machine_only(url: str) -> None:
    with pytest.raises(UnsafeError, match="would send the token in clear text"):
        address.parse(url, "here")


def test_a_password_in_a_url_is_masked_where_the_url_is_shown() -> None:
    assert address.masked("https://user:pw@host/x@y") == "https://***@y"
    assert address.masked("https://host/x") == "https://host/x"


@pytest.mark.parametrize("url", ["sandbox:", "https://api.example.com/v1", "http://127.0.0.1:8080"])
def test_an_address_is_read_as_it_was_written(url: str) -> None:
    found = address.parse(url, "a test")
    assert address.from_text(str(found), "a test") == found
