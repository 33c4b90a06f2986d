"""JSON objects as members of JSON text, so that what was posted is answered with the same digits."""

from collections.abc import Mapping

from unified_cli.json_text import json_check
from unified_cli.json_text.json_codec import dump

# No record is nested so deep, and what is accepted here is decoded later with less of the stack left.
_DEEPEST = 100


def split(text: str) -> dict[str, str]:
    """The members of a JSON object, each as its JSON text; of a key given twice the last one.

    Raises ValueError where the text is not JSON or nested too deeply, and TypeError where it is JSON but no object.
    """
    from unified_cli.json_text.members import parts  # noqa: PLC0415  msgspec is not needed where nothing is taken apart

    try:
        value = json_check.scan(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise TypeError("not a JSON object")
    encoded = text.strip().encode()
    if json_check.deeper_than(encoded, _DEEPEST):
        raise ValueError("nested too deeply")
    return {name: value.decode() for name, value in (parts(encoded) or {}).items()}


def join(members: Mapping[str, str]) -> str:
    """The JSON object with these members."""
    return "{" + ",".join(f"{dump(name)}:{value}" for name, value in members.items()) + "}"
