"""Which function handles which operation: the standard five, and the actions by resource and name."""

from collections.abc import Callable, Mapping

from unified_cli.catalogue import Operation
from unified_cli.json_text import lossless
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox import mail_actions, record_actions
from unified_cli.sandbox.crud import STANDARD, download
from unified_cli.sandbox.messages import SandboxResponse
from unified_cli.sandbox.operation_call import OperationCall

Handler = Callable[[OperationCall], SandboxResponse]

_SPECIAL: Mapping[str, Handler] = {
    "users suspend": record_actions.suspend,
    "users deactivate": record_actions.deactivate,
    "users downgrade": record_actions.downgrade,
    "users assign-role": record_actions.assign,
    "users assign_role": record_actions.assign,
    "users unassign-role": record_actions.unassign,
    "users unassign_role": record_actions.unassign,
    "groups add-user": record_actions.join_group,
    "groups add": record_actions.join_group,
    "groups remove-user": record_actions.leave_group,
    "groups remove": record_actions.leave_group,
    "applications move-stage": record_actions.move_stage,
    "applications reject": record_actions.reject,
    "tickets import": record_actions.import_record,
    "page-content append": record_actions.append,
    "page-content export": record_actions.export,
    "page-exports create": record_actions.start_export,
    "page-exports get": record_actions.poll_export,
    "emails create": mail_actions.create,
    "emails send": mail_actions.send,
    "emails send-draft": mail_actions.send_draft,
    "emails reply": mail_actions.reply,
    "emails reply-all": mail_actions.reply_all,
    "emails forward": mail_actions.forward,
    "emails move": mail_actions.move,
}
_STEERING = "methodConfig"


def forwarded(call: OperationCall) -> SandboxResponse:
    """What the provider got, in the service's envelope: without what steers the service, and without the connection."""
    service, request = call.service, call.request
    members = {name: text for name, text in call.body.members.items() if name != _STEERING}
    sent: JsonObject = {
        "method": request.method,
        "path": request.path.removeprefix(service.connections.custom),
        "query": [list(pair) for pair in request.query if pair[0] != service.connection],
    }
    got = {name: dump(value) for name, value in sent.items()} | {"body": lossless.join(members)}
    answer = {service.items: lossless.join(got), service.cursor: "null", service.previous_cursor: "null"}
    return SandboxResponse.json(lossless.join(answer))


def handler(operation: Operation) -> Handler:
    """The handler of an operation; an action of unknown meaning merges the body into the record it names."""
    if not operation.api:
        return forwarded
    special = _SPECIAL.get(f"{operation.resource} {operation.name}")
    if special is not None:
        return special
    if operation.kind != "action":
        return STANDARD[operation.name]
    return download if operation.name == "download" else record_actions.any_action
