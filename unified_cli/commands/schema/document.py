"""Convert shapes to a JSON Schema with counts, and back."""

from collections import Counter
from collections.abc import Sequence

from unified_cli.catalogue.known import KnownField
from unified_cli.commands.schema.shape import ShapeNode
from unified_cli.errors import UsageError
from unified_cli.values import Json, JsonObject

DIALECT = "https://json-schema.org/draft/2020-12/schema"
COUNTS = "x-counts"
"""The keyword for the number of values of each type."""
PRESENT = "x-present"
"""The keyword for the number of objects that had additional properties."""
_CUTS = "x-cut"
_TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


def document(root: ShapeNode, title: str) -> JsonObject:
    """Return the shape of records as a JSON Schema that all of them satisfy."""
    return {"$schema": DIALECT, "title": title, **_schema(root)}


def _schema(node: ShapeNode) -> JsonObject:
    kinds = node.kinds | ({"null"} if node.counts["null"] else set())
    types = [name for name in _TYPES if name in kinds]
    found: JsonObject = {"type": types[0] if len(types) == 1 else types} if types else {}
    if node.values and node.kinds == {"string"}:
        found["enum"] = [*sorted(node.values), *([None] if node.counts["null"] else [])]
    if node.members:
        found["properties"] = {name: _schema(member) for name, member in node.members.items()}
        objects = node.counts["object"]
        if required := [name for name, member in node.members.items() if member.seen == objects]:
            found["required"] = required
    if node.others is not None:
        found["additionalProperties"] = {**_schema(node.others), PRESENT: node.others.present}
    if node.items is not None:
        found["items"] = _schema(node.items)
    if node.cuts:
        found[_CUTS] = sorted(cut.value for cut in node.cuts)
    return {**found, COUNTS: {name: node.counts[name] for name in _TYPES if node.counts[name]}}


def shape_of(schema: Json) -> ShapeNode:
    """Return the shape that a JSON Schema describes.

    Raises UsageError if it does not describe records.
    """
    try:
        return _node(schema)
    except (TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        raise UsageError(
            "this is not a JSON Schema of records",
            hint="unified schema … -o json > FILE writes one",
        ) from None


def _node(schema: Json) -> ShapeNode:
    node = ShapeNode()
    if isinstance(schema, bool):
        node.counted = False
        return node
    counts = schema.get(COUNTS)
    types = schema.get("type", ())
    if isinstance(counts, dict):
        node.counts = Counter({str(name): max(0, int(number)) for name, number in counts.items()})
    else:
        node.counted = False
        # These types may occur, but were not counted.
        node.counts = Counter(dict.fromkeys([types] if isinstance(types, str) else [*types], 0))
    values = schema.get("enum")
    node.values = (
        {value for value in values if isinstance(value, str)} if isinstance(values, list) else None
    )
    node.members = {str(name): _node(inner) for name, inner in schema.get("properties", {}).items()}
    for member in node.members.values():
        member.present = member.seen
    if isinstance(rest := schema.get("additionalProperties"), dict):
        node.others = _node(rest)
        # Older versions did not count the objects.
        node.others.present = max(0, int(rest[PRESENT])) if PRESENT in rest else None
    if isinstance(items := schema.get("items"), dict):
        node.items = _node(items)
    return node


def known_shape(fields: Sequence[KnownField]) -> ShapeNode:
    """Return the shape of records with these fields of the catalogue.

    It does not describe the contents of objects and arrays.
    """
    root = _of_type("object")
    for field in fields:
        root.members[field.name] = _of_type(field.type)
        root.members[field.name].values = set(field.values) if field.values else None
    return root


def _of_type(name: str) -> ShapeNode:
    node = ShapeNode()
    node.counted = False
    node.counts = Counter({name: 0})
    return node
