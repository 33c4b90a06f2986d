"""Decode JSON into classes and encode it with msgspec, which is seven times as fast as
the standard library.

Thread-safe.
"""

import threading
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from unified_cli.values import JsonColumns

T = TypeVar("T")
_LOCK = threading.Lock()
_DECODERS: dict[Any, "msgspec.json.Decoder[Any]"] = {}
_ENCODER = msgspec.json.Encoder()


def decode(text: bytes, kind: type[T]) -> T:
    """Decode JSON as a value of this class.

    Raises MsgspecError if the JSON does not match the class, ValueError if the text is
    not UTF-8, and RecursionError if the JSON is nested too deeply.
    """
    result: T = _decoder(kind).decode(text)
    return result


def convert(value: Any, kind: type[T]) -> T:
    """Convert a value to this class. The standard library has already decoded the
    value. Raises ValidationError.
    """
    _decoder(kind)
    return msgspec.convert(value, kind)


def _decoder(kind: Any) -> "msgspec.json.Decoder[Any]":
    if result := _DECODERS.get(kind):
        return result
    # Use a lock, because msgspec 0.22 stores its plan for a class before it is
    # complete. A second thread that uses this plan would crash the process.
    with _LOCK:
        return _DECODERS.setdefault(kind, msgspec.json.Decoder(kind))


def compact_objects(columns: JsonColumns) -> list[bytes]:
    """Return the objects with the members in these columns as compact JSON. They must
    not contain lone surrogates.
    """
    return list(map(_ENCODER.encode, map(_structure(tuple(columns)), *columns.values())))


@lru_cache(256)
def _structure(names: tuple[str, ...]) -> type[msgspec.Struct]:
    """Return a class with these members. Encoding such objects is twice as fast as
    encoding dicts.
    """
    # Rename fields, because a field cannot be named `from`, for example.
    fields = {f"field_{place}": name for place, name in enumerate(names)}
    return msgspec.defstruct("Structure", fields, rename=fields, gc=False)
