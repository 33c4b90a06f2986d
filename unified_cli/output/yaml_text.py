"""Write YAML. Numbers keep their digits."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from unified_cli.json_text.members import Record, items, parts, slices
from unified_cli.output.record_writer import RecordWriter, Style, WriterMemory
from unified_cli.values import Json, JsonObject

# Converting a value to YAML needs a kilobyte of memory.
_AT_ONCE = 64 * 1024
_FLOAT, _INT = "tag:yaml.org,2002:float", "tag:yaml.org,2002:int"


class Number(str):
    """A number as served."""

    __slots__ = ()


_C_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Fast(_C_DUMPER):  # type: ignore[misc]  # which one there is depends on the installation
    """Writes numbers as served."""


class _Plain(yaml.SafeDumper):
    """The dumper in Python: libyaml cannot write lone surrogates."""


def _represent(dumper: Any, value: Number) -> Any:
    text = str(value)
    if text.lstrip("-").isdigit():
        return dumper.represent_scalar(_INT, text)
    # YAML 1.1 reads 1e5 as text, because a number needs a point, and a sign in the
    # exponent.
    mantissa, letter, exponent = text.lower().partition("e")
    mantissa += "" if "." in mantissa else ".0"
    if letter:
        mantissa += "e" + ("" if exponent[0] in "+-" else "+") + exponent
    return dumper.represent_scalar(_FLOAT, mantissa)


for _dumper in (_Fast, _Plain):
    _dumper.add_representer(Number, _represent)


class Yaml(RecordWriter):
    """One YAML document: a mapping with a list of the records, and the cursor."""

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        super().__init__(style, memory)
        self._begun: bool = memory.get("begun", False)

    # `one_line` is not needed, because records are rewritten.
    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002
        """Yield the records as items of the list."""
        for some in slices(records, _AT_ONCE):
            head = b"" if self._begun else f"{self._style.items}:\n".encode()
            self._begun = self.memory["begun"] = True
            yield head + dump([_load(bytes(record)) for record in some])

    def end(self, next_cursor: str | None) -> bytes:
        """Return the member with the cursor if the output is a list."""
        rest: JsonObject = {} if self._begun else {self._style.items: []}
        if self._style.listing:
            rest[self._style.cursor] = next_cursor
        return dump(rest) if rest else b""


def convert(body: bytes) -> Iterator[bytes]:
    """Yield a JSON document as YAML, in pieces."""
    members = parts(body) if len(body) > _AT_ONCE else None
    if members is None:
        yield dump(_load(body))
        return
    for name, value in members.items():
        head: JsonObject = {name: None}
        for some in slices(items(value), _AT_ONCE) if value.startswith(b"[") else ():
            loaded = [_load(bytes(part)) for part in some]
            yield dump({name: loaded} if head else loaded)
            head = {}
        if head:
            yield dump({name: _load(value)})


def _load(text: bytes) -> Json:
    return json.loads(text, parse_int=Number, parse_float=Number)


def dump(value: Json) -> bytes:
    """Return a value as YAML in UTF-8. The keys keep their order."""
    try:
        return _written(value, _Fast, allow_unicode=True).encode("utf-8")
    except UnicodeEncodeError:
        return _written(value, _Plain, allow_unicode=False).encode("utf-8")


def _written(value: Json, dumper: type[_Fast | _Plain], *, allow_unicode: bool) -> str:
    written: str = yaml.dump(
        value,
        Dumper=dumper,
        sort_keys=False,
        allow_unicode=allow_unicode,
        default_flow_style=False,
        width=4096,
    )
    return written
