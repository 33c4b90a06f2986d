"""The credentials in answers about connections, dropped before anything else sees them."""

import re

from unified_cli.json_text import json_check
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import items, join, parts, string

_MEMBER = "context"
# No answer of the service is nested so deep.
_DEEPEST = 50
# The member's name in a text that is not JSON as a whole, with the escapes of JSON in JSON.
_IN_WORDS = re.compile(rf"""["'\\]+{_MEMBER}["'\\]""", re.IGNORECASE)


def without(body: bytes, depth: int = 0) -> bytes:
    """JSON text without the members `context` of its objects, whose numbers keep their digits.

    JSON within a text is looked through as well. What is nested too deeply for that becomes null.
    """
    # A letter of the name may be written as an escape.
    if _MEMBER.encode() not in body and b"\\u00" not in body:
        return body
    text = body.strip()
    if text[:1] not in (b"{", b"[", b'"'):
        return body
    if depth == _DEEPEST:
        return b"null"
    if text.startswith(b'"'):
        return _without_in_words(text, depth)
    if text.startswith(b"["):
        return b"[" + b",".join(without(bytes(item), depth + 1) for item in items(text)) + b"]"
    members = parts(text) or {}
    return join({name: without(value, depth + 1) for name, value in members.items() if name != _MEMBER})


def _without_in_words(text: bytes, depth: int) -> bytes:
    """A JSON string; where it is JSON itself, without the members, else cut off before the first that it names."""
    words = string(text)
    inner = words.strip().encode("utf-8", "surrogatepass")
    if inner[:1] in (b"{", b"[") and not json_check.flaw(inner):
        kept = without(inner, depth + 1)
        return text if kept == inner else dump(kept.decode("utf-8", "surrogatepass")).encode()
    found = _IN_WORDS.search(words)
    return text if found is None else dump(f"{words[: found.start()]}…").encode()
