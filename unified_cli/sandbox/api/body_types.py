"""Whether the known fields of a body have their types."""

from unified_cli.catalogue import Operation
from unified_cli.catalogue.known import KnownField
from unified_cli.json_text.values import Json
from unified_cli.sandbox.api.request_content import Body
from unified_cli.sandbox.messages import Refusal

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,),
}  # fmt: skip


def check_types(operation: Operation, body: Body) -> None:
    """Raise Refusal 422, the provider's, for a field of another type than it is known to have.

    A form knows texts only, so what came as one is not looked at.
    """
    if body.file is not None or not body.members:
        return
    facts = operation.facts
    fields = {one.name: one for one in facts.fields} | {one.name: one for one in facts.body.get(operation.name, ())}
    for name in body.members.keys() & fields.keys():
        if not _fits(fields[name], body.value(name)):
            wanted = fields[name].type
            raise Refusal(422, f"{name} must be of the type {wanted}", provider={"field": name, "type": wanted})


def _fits(field: KnownField, value: Json) -> bool:
    if value is None or (field.references and field.type == "object" and isinstance(value, str)):
        # Another record is also named by its id alone.
        return True
    return isinstance(value, _TYPES[field.type]) and (field.type == "boolean" or not isinstance(value, bool))
