"""Save words for completion.

The words are ids and columns of printed lists, and operations that a connection offers
but the catalogue lacks.
"""

import contextlib
from collections.abc import Sequence

from unified_cli.call import Call
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.catalogue.load import is_name
from unified_cli.config import file, known_capabilities, known_methods, resolution
from unified_cli.config.completion_words import CompletionWords
from unified_cli.config.keys import Overrides
from unified_cli.config.known_capabilities import Offered
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError
from unified_cli.http import decoding, page_body
from unified_cli.json_text import members
from unified_cli.json_text.members import Record
from unified_cli.runtime import Runtime
from unified_cli.storage import names

_LARGEST = 4 * 1024 * 1024
_MOST = 300


def save_page(call: Call, operation: Operation | None, body: bytes) -> None:
    """Decode a page, and save its words for completion.

    Large pages are ignored.
    """
    if len(body) > _LARGEST:
        return
    with contextlib.suppress(decoding.TooLargeError):
        if page := page_body.split(body, call.catalogue.service):
            save_words(call, operation, page.records)


def save_words(call: Call, operation: Operation | None, records: Sequence[Record]) -> None:
    """Save printed ids and columns for completion.

    Only saves them if a profile selected the connection.
    """
    words = _words(call.runtime, call.settings)
    if not (operation and operation.lists and words):
        return
    found = [parts for record in records[:_MOST] if (parts := members.parts(record))]
    ids = [members.text(parts.get("id")) for parts in found]
    columns = dict.fromkeys(name for parts in found for name in parts)
    # The call has succeeded, so ignore errors here.
    with contextlib.suppress(OSError):
        words.add((operation.api, operation.resource, "ids"), ids)
        words.add((operation.api, operation.resource, "columns"), columns)


def save_described(call: Call, operation: Operation) -> None:
    """Save the parameters and fields in an operation's description."""
    words = _words(call.runtime, call.settings)
    known = known_methods.recall(call.runtime, call.settings, operation) if words else None
    if words is None or known is None:
        return
    with contextlib.suppress(OSError):
        words.add(
            (operation.api, operation.resource, f"{operation.name}.query"),
            [field.name for field in known.query],
        )
        words.add(
            (operation.api, operation.resource, f"{operation.name}.body"),
            [field.name for field in known.body],
        )


def save_offer(
    runtime: Runtime, settings: Settings, catalogue: Catalogue, offered: Offered
) -> None:
    """Save the words that `operations add` completes.

    A word must not contain a slash, so each slash is replaced with a dot.
    """
    lacking = (
        known_capabilities.outside_catalogue(offered, catalogue)
        if runtime.stdout_is_terminal
        else {}
    )
    names = [
        name
        for api, resources in lacking.items()
        for name in (
            *([] if api in catalogue.apis else [api]),
            *(f"{api}.{resource}" for resource in resources),
        )
        if all(map(is_name, name.split(".")))
    ]
    words = _words(runtime, settings) if names else None
    if words is not None:
        with contextlib.suppress(OSError):
            words.add(("operations", "add", "offers"), names)


def _words(runtime: Runtime, settings: Settings) -> CompletionWords | None:
    """Return the words of the connection, if a profile names it.

    Returns None if the config file has no such profile.
    """
    if not (settings.profile and settings.is_of_file):
        return None
    with contextlib.suppress(UnifiedError):
        # Read the file again, because it may have changed since the call began.
        config = file.read(runtime)
        now = resolution.resolve(Overrides(settings.profile), runtime, config)
        # On case-insensitive file systems, profiles whose names differ only in case
        # would share a file.
        alike = names.others_like(settings.profile, config.profiles)
        if config.path and now.digest == settings.digest and not alike:
            return CompletionWords(
                runtime.folder("cache"), runtime.wall, settings.profile, settings.digest, config
            )
    return None
