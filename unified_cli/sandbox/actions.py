"""Custom actions: each changes what its name says, and answers with the record it changed."""

from collections.abc import Callable, Mapping

from unified_cli.sandbox.call import Call, missing
from unified_cli.sandbox.exchange import Answer
from unified_cli.sandbox.words import singular


def any_action(call: Call) -> Answer:
    """The record named by an id, with the body's fields merged in: what an action of no known meaning does."""
    name = f"{singular(call.operation.resource)}_id"
    identity = call.named("id", name)
    if identity is None:
        raise missing("body_fields", [name])
    records = call.records()
    row = call.need(records.get(identity), call.operation.resource, identity)
    members = {key: value for key, value in call.body.members.items() if key not in ("id", name)}
    row = records.update(row, identity, members, call.now)
    return Answer.json(f'{{"result":{row.text}}}')


ACTIONS: Mapping[str, Callable[[Call], Answer]] = {}
ANY_ACTION = any_action
