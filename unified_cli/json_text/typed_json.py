"""JSON as values of classes, in any thread."""

import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_LOCK = threading.Lock()
_DECODERS: dict[Any, "msgspec.json.Decoder[Any]"] = {}


def decode(text: bytes, kind: type[T]) -> T:
    """The JSON text as a value of that class. Raises MsgspecError, ValueError for what is no UTF-8, RecursionError."""
    found: T = _decoder(kind).decode(text)
    return found


def convert(value: Any, kind: type[T]) -> T:
    """What the standard library made of a JSON text, as a value of that class. Raises ValidationError."""
    _decoder(kind)
    return msgspec.convert(value, kind)


def _decoder(kind: Any) -> "msgspec.json.Decoder[Any]":
    if found := _DECODERS.get(kind):
        return found
    # msgspec (0.22) keeps its plan of a class with the class before the plan is complete. A second thread that needs it
    # meanwhile crashes the process.
    with _LOCK:
        return _DECODERS.setdefault(kind, msgspec.json.Decoder(kind))
