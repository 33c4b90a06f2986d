"""Every operation of the catalogue, from its command line to its request, and from the
response to stdout.
"""

import ssl
import uuid
from functools import partial
from urllib.parse import quote

import httpx
import pytest
from front_door import Unified
from pytest_httpx import HTTPXMock

from unified_cli.catalogue import Operation, load

# One for all: the one that httpx makes by itself reads 150 certificates, each time.
TRANSPORT = partial(httpx.HTTPTransport, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
ENVIRON = {
    "UNIFIED_BASE_URL": "https://api.example.com/v1",
    "UNIFIED_TOKEN": "t-0123456789",
    "UNIFIED_ACCOUNT_ID": "acct 1",
}
BODY = '{"name": "Zoë", "amount": 1.10, "url": "https://f.example/a"}'
PAGE = b'{"result": [{"id": "7", "amount": 1.10}], "next_cursor": null}'
RECORD = b'{"id": "7", "amount": 1.10}'


@pytest.mark.parametrize(
    "operation", [*load()], ids=lambda operation: operation.command.replace(" ", "-")
)
def test_an_operation_sends_its_request_and_prints_the_response(
    operation: Operation, unified: Unified, httpx_mock: HTTPXMock
) -> None:
    target = (
        "/v1" + operation.path.replace("{id}", "a%2Fb%20%C3%BC") + "?integrated_account_id=acct%201"
    )
    required = operation.required_parameters
    target += "".join(f"&{quote(name, safe='')}=x" for name in required)
    sends_body = operation.method in {"POST", "PATCH"}
    served = PAGE if operation.lists else RECORD
    httpx_mock.add_response(
        method=operation.method,
        url=f"https://api.example.com{target}",
        match_headers={"Authorization": "Bearer t-0123456789", "Accept": "application/json"},
        match_content=BODY.encode() if sends_body else b"",
        headers={"Content-Type": "application/json"},
        content=served,
    )
    words = operation.command.split()
    words += ["a/b ü"] if operation.takes_id else []
    # --quiet, because the fields of the body are not known of each operation.
    words += ["-d", BODY, "--quiet"] if sends_body else []
    words += [word for name in required for word in ("-q", f"{name}=x")]
    words += ["--yes"] if operation.kind == "delete" else []

    result = unified(words, environ=ENVIRON, transport=TRANSPORT)

    assert (result.raw, result.stderr, result.code) == (served + b"\n", "", 0)
    request = httpx_mock.get_request()
    assert request is not None
    # Matching compares what a URL means; this is the text of the request line.
    assert request.url.raw_path.decode() == target
    assert ("idempotency-key" in request.headers, "content-type" in request.headers) == (
        sends_body,
        sends_body,
    )
    if sends_body:
        assert uuid.UUID(request.headers["idempotency-key"]).version == 4
        assert request.headers["content-type"] == "application/json"
