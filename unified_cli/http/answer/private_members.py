"""The credentials in answers about connections, dropped before anything else sees them."""

from unified_cli.json_text.members import items, join, parts

_MEMBER = "context"
# No answer of the service is nested so deep.
_DEEPEST = 50


def without(body: bytes, depth: int = 0) -> bytes:
    """JSON text without the members `context` of its objects, whose numbers keep their digits.

    What is nested too deeply to be looked through becomes null.
    """
    # A letter of the name may be written as an escape.
    if _MEMBER.encode() not in body and b"\\u00" not in body:
        return body
    text = body.strip()
    if text[:1] not in (b"{", b"["):
        return body
    if depth == _DEEPEST:
        return b"null"
    if text.startswith(b"["):
        return b"[" + b",".join(without(bytes(item), depth + 1) for item in items(text)) + b"]"
    members = parts(text) or {}
    return join({name: without(value, depth + 1) for name, value in members.items() if name != _MEMBER})
