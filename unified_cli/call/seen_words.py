"""Keep the ids and columns that a list showed on a terminal, for completion."""

import contextlib
from collections.abc import Sequence

from unified_cli.call import Call
from unified_cli.catalogue import Operation
from unified_cli.config import file
from unified_cli.config.completion_words import CompletionWords, WordSource
from unified_cli.http.answer import decoding, page_body
from unified_cli.json_text import members
from unified_cli.json_text.members import Record

_LARGEST = 4 * 1024 * 1024
_MOST = 300


def keep_page(call: Call, operation: Operation | None, body: bytes) -> None:
    """The same of a page that is not taken apart yet; one of several MiB is left alone."""
    if len(body) > _LARGEST:
        return
    with contextlib.suppress(decoding.TooLargeError):
        if page := page_body.split(body, call.catalogue.service):
            keep(call, operation, page.records)


def keep(call: Call, operation: Operation | None, records: Sequence[Record]) -> None:
    """Keep the ids and columns of records that a person saw, if the connection was named by its profile."""
    runtime, _, settings, *_ = call
    # Completion knows a connection by its profile only, as the config file has it.
    path = file.locate(runtime)
    if not (operation and operation.lists and settings.profile and settings.is_of_file and path):
        return
    found = [parts for one in records[:_MOST] if (parts := members.parts(one))]
    ids = [members.text(parts.get("id")) for parts in found]
    columns = dict.fromkeys(name for parts in found for name in parts)
    words = CompletionWords(runtime.folder("cache"), runtime.wall, WordSource(settings.profile, settings.digest, path))
    # The call has done its work: what cannot be kept must not fail it.
    with contextlib.suppress(OSError):
        words.add((operation.api, operation.resource, "ids"), ids)
        words.add((operation.api, operation.resource, "columns"), columns)
