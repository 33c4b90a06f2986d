"""Which code answers which operation: the standard five, then the actions by resource and name."""

from collections.abc import Callable, Mapping

from unified_cli.catalogue import Operation
from unified_cli.sandbox import mail, people, work
from unified_cli.sandbox.call import Call
from unified_cli.sandbox.downloads import download
from unified_cli.sandbox.exchange import Answer
from unified_cli.sandbox.standard import STANDARD

Handler = Callable[[Call], Answer]

_SPECIAL: Mapping[str, Handler] = {
    "users suspend": people.suspend,
    "users deactivate": people.deactivate,
    "users downgrade": people.downgrade,
    "users assign-role": people.assign,
    "users assign_role": people.assign,
    "users unassign-role": people.unassign,
    "users unassign_role": people.unassign,
    "groups add-user": people.join_group,
    "groups add": people.join_group,
    "groups remove-user": people.leave_group,
    "groups remove": people.leave_group,
    "applications move-stage": work.move_stage,
    "applications reject": work.reject,
    "tickets import": work.bring_in,
    "page-content append": work.append,
    "page-content export": work.export,
    "page-exports create": work.start_export,
    "page-exports get": work.poll_export,
    "emails create": mail.create,
    "emails send": mail.send,
    "emails send-draft": mail.send_draft,
    "emails reply": mail.reply,
    "emails reply-all": mail.reply_all,
    "emails forward": mail.forward,
    "emails move": mail.move,
}


def handler(operation: Operation) -> Handler:
    """What answers an operation; an action that nobody knows merges the body into the record it names."""
    special = _SPECIAL.get(f"{operation.resource} {operation.name}")
    if special is not None:
        return special
    if operation.kind != "action":
        return STANDARD[operation.name]
    return download if operation.name == "download" else work.any_action
