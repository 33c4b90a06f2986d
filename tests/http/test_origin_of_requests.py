"""A client has one token, which it sends to one origin, whatever a request asks for."""

from typing import Any

import pytest
from front_door import Unified
from server import Service, serving

from unified_cli.config import address
from unified_cli.http import request as requests


@pytest.mark.parametrize("command", ["ticketing tickets list", "ticketing tickets delete 1 --yes"])
def test_a_request_to_another_origin_is_not_sent(
    command: str, unified: Unified, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = requests.for_operation
    with serving() as other:

        def elsewhere(*args: Any) -> requests.Request:
            # As if the code that makes requests had a mistake.
            return made(*args)._replace(address=address.parse(other.url, "a test"))

        monkeypatch.setattr(requests, "for_operation", elsewhere)
        result = unified(command, environ=service.environ)
        said = f"error: the request goes to {other.url}, and the token to {service.url}\n"
        assert (result.stdout, result.stderr, result.code) == ("", said, 13)
        assert (service.seen, other.seen) == ([], [])
