"""How long the body of a request may be, decided from its headers: more for a file than for anything else."""

import copy
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer

from unified_cli.catalogue import Service
from unified_cli.sandbox import uploads
from unified_cli.sandbox.messages import Refusal, SandboxRequest


def allow_uploads(servers: Iterable[object], service: Service) -> None:
    """Let servers take files of up to `LARGEST_UPLOAD` bytes; all else keeps the bound that they have."""

    class Parser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
        def parse_header(self, header_plus: bytes) -> None:
            super().parse_header(header_plus)
            headers = {"content-type": self.headers.get("CONTENT_TYPE", "")}
            # What has too many parameters is refused when it is answered.
            with suppress(Refusal):
                request = SandboxRequest.of(self.command, f"?{self.query}", headers, b"")
                if uploads.may_be_large(request, service):
                    self.adj: Any = copy.copy(self.adj)
                    self.adj.max_request_body_size = uploads.LARGEST_UPLOAD

    class Channel(HTTPChannel):  # type: ignore[misc]  # as above
        parser_class = Parser

    for one in servers:
        if isinstance(one, BaseWSGIServer):
            one.channel_class = Channel
