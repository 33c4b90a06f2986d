"""Which records refer to which: by arithmetic on their numbers, so that nothing has to be stored."""

from collections.abc import Mapping

from unified_cli.catalogue.known import KnownField, known

FieldPlace = tuple[str, str, str]
"""API, resource and field."""

# Child n of so many for each parent belongs to parent (n - 1) // size + 1.
CHILDREN_PER_PARENT: Mapping[FieldPlace, int] = {
    ("ticketing", "attachments", "ticket_id"): 1,
    ("ticketing", "comments", "ticket"): 2,
    ("ticketing", "contacts", "account_id"): 3,
    ("ticketing", "task_lists", "ticket"): 1,
    ("ticketing", "tasks", "task_list"): 2,
    ("user-directory", "role_assignments", "user_id"): 1,
    ("ats", "applications", "candidate"): 1,
    ("ats", "attachments", "candidate"): 1,
    ("ats", "attachments", "application"): 1,
    ("ats", "eeocs", "candidate"): 1,
    ("ats", "interviews", "application"): 1,
    ("ats", "job_interview_stages", "job"): 5,
    ("ats", "job_form_fields", "job"): 3,
    ("ats", "offers", "application"): 1,
    ("ats", "scorecards", "interview"): 1,
    ("knowledge-base", "files", "page_id"): 1,
    ("knowledge-base", "page-content", "page"): 2,
    ("knowledge-base", "page-exports", "page"): 1,
    ("ci-cd", "branches", "repo"): 3,
    ("ci-cd", "jobs", "build"): 2,
    ("ci-cd", "artifacts", "build"): 1,
    ("emails", "attachments", "email"): 1,
    ("calendar", "attachments", "event"): 1,
    ("conferencing", "attendees", "meeting"): 3,
    ("conferencing", "transcripts", "meeting"): 1,
    ("conferencing", "transcript_entries", "transcript"): 5,
    ("voice", "recordings", "call_id"): 1,
}

# A parent's list of its children: the child's resource, and its field that refers to the parent.
CHILD_LISTS: Mapping[FieldPlace, tuple[str, str]] = {
    ("ticketing", "tickets", "attachments"): ("attachments", "ticket_id"),
    ("ticketing", "task_lists", "tasks"): ("tasks", "task_list"),
    ("ats", "candidates", "applications"): ("applications", "candidate"),
    ("ats", "candidates", "attachments"): ("attachments", "candidate"),
    ("ats", "applications", "attachments"): ("attachments", "application"),
    ("emails", "emails", "attachments"): ("attachments", "email"),
    ("conferencing", "meetings", "attendees"): ("attendees", "meeting"),
    ("conferencing", "transcripts", "entries"): ("transcript_entries", "transcript"),
}

# A reference that follows from another one, as a ticket's account is the account of its contact: the field to follow,
# the resource it leads to, and the field there.
DERIVED: Mapping[FieldPlace, tuple[str, str, str]] = {
    ("ticketing", "tickets", "account"): ("contact", "contacts", "account_id"),
    ("ticketing", "tasks", "ticket"): ("task_list", "task_lists", "ticket"),
    ("ats", "attachments", "job"): ("application", "applications", "job"),
    ("ats", "interviews", "candidate"): ("application", "applications", "candidate"),
    ("ats", "interviews", "job_interview_stage"): ("application", "applications", "current_stage"),
    ("ats", "offers", "candidate"): ("application", "applications", "candidate"),
    ("ats", "offers", "job"): ("application", "applications", "job"),
    ("ats", "scorecards", "application"): ("interview", "interviews", "application"),
    ("ats", "scorecards", "candidate"): ("interview", "interviews", "candidate"),
    ("ci-cd", "artifacts", "workflow"): ("build", "builds", "workflow"),
    ("conferencing", "transcript_entries", "meeting"): ("transcript", "transcripts", "meeting"),
}

# References that the catalogue's known fields do not declare: the resource that a plain `object` refers to.
UNDECLARED: Mapping[FieldPlace, str] = {
    ("ticketing", "comments", "author"): "users",
    ("ticketing", "comments", "receiver"): "contacts",
    ("ticketing", "tickets", "created_by"): "users",
    ("ticketing", "tasks", "status"): "ticket_status",
    ("user-directory", "activities", "actor"): "users",
    ("ats", "activities", "actor"): "users",
    ("ats", "applications", "reject_reason"): "reject_reasons",
    ("knowledge-base", "pages", "parent"): "pages",
    ("knowledge-base", "collections", "parent"): "collections",
    ("knowledge-base", "comments", "parent"): "comments",
}

# Most records have none of these; where there is one, it is a record of a lower number.
_RARE = ("parent", "reject")


def target(api: str, resource: str, field: KnownField) -> str | None:
    """The resource of the same API that a field refers to; None where it refers to none."""
    return field.references or UNDECLARED.get((api, resource, field.name))


def target_of(place: FieldPlace) -> str:
    """The resource that a known field refers to; empty where it refers to none."""
    api, resource, name = place
    return next((target(api, resource, field) or "" for field in known(api, resource).fields if field.name == name), "")


def rarely_set(field: str) -> bool:
    """Whether most records have nothing in this field."""
    return field.startswith(_RARE)
