"""Fields whose values depend on other fields of the same record."""

from collections.abc import Callable, Mapping

from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.data import file_content
from unified_cli.sandbox.data.field_values import colleague
from unified_cli.sandbox.data.file_urls import file_url
from unified_cli.sandbox.data.people import STAFF_DOMAIN
from unified_cli.sandbox.data.record_context import RecordContext
from unified_cli.sandbox.data.record_ids import record_id
from unified_cli.sandbox.data.seeded_random import timestamp

ME = f"me@{STAFF_DOMAIN}"  # the owner of the mailbox
_DAY = 86_400
Adjustment = Callable[[RecordContext, JsonObject], JsonObject]
"""Gives the values that take the place of a record's own."""


def _email(context: RecordContext, record: JsonObject) -> JsonObject:
    folders = ((2, "Sent"), (3, "Drafts"), (4, "Archive"))
    place, name = folders[context.number % 3] if context.number % 2 else (1, "Inbox")
    draft = name == "Drafts"
    sender = record["to"][0]["email"]
    return {
        "from": ME if name in ("Sent", "Drafts") else sender,
        "to": record["to"] if name in ("Sent", "Drafts") else [{"email": ME, "name": "Me"}],
        "folder": {"id": f"folders-{place}", "name": name},
        "is_draft": draft,
        "sent_at": None if draft else record["created_at"],
    }


def _application(context: RecordContext, record: JsonObject) -> JsonObject:
    reason = record["reject_reason"]
    applied = context.created
    return {
        "reject_reason": reason,
        "applied_at": timestamp(applied),
        "rejected_at": timestamp(applied + 9 * _DAY) if reason else None,
    }


def _span(start: str, end: str, minutes: int) -> Adjustment:
    def adjust(context: RecordContext, _record: JsonObject) -> JsonObject:
        begin = context.created - context.created % 1800 + 7 * _DAY
        return {start: timestamp(begin), end: timestamp(begin + minutes * 60)}

    return adjust


def _transcript_entry(context: RecordContext, record: JsonObject) -> JsonObject:
    start = (context.number - 1) % 5 * 12
    speaker = colleague(context, "speaker")
    return {
        "speaker_id": speaker.username,
        "speaker_type": "user",
        "speaker_name": speaker.name,
        "raw_text": record["text"].lower(),
        "start_time": start,
        "end_time": start + 10,
    }


def _transcript(_context: RecordContext, _record: JsonObject) -> JsonObject:
    return {"start_time": 0, "end_time": 58}


def _attendee(context: RecordContext, record: JsonObject) -> JsonObject:
    host = {"is_host": context.number % 3 == 1, "type": "guest" if context.number % 3 == 0 else "user"}
    return {**host, **_span("start_time", "end_time", 40)(context, record)}


def _user(context: RecordContext, record: JsonObject) -> JsonObject:
    # The first users are active, because examples suspend them.
    return {"status": "active" if context.number <= 3 else record["status"]}


def _file(context: RecordContext, record: JsonObject) -> JsonObject:
    return {"size": len(file_content.content(record["content_type"], record_id(context.resource, context.number)))}


def _export(context: RecordContext, _record: JsonObject) -> JsonObject:
    url = file_url(context.api, context.resource, f"{context.resource}-{context.number}", "page.html")
    return {"status": "completed", "urls": [{"type": "download", "url": url}]}


def _recording(context: RecordContext, record: JsonObject) -> JsonObject:
    url = file_url(context.api, context.resource, f"{context.resource}-{context.number}", "call.wav")
    return {"url": url, **_span("start_time", "end_time", 4)(context, record)}


ADJUSTMENTS: Mapping[tuple[str, str], Adjustment] = {
    ("emails", "emails"): _email,
    ("emails", "attachments"): _file,
    ("ticketing", "attachments"): _file,
    ("knowledge-base", "files"): _file,
    ("user-directory", "users"): _user,
    ("ats", "applications"): _application,
    ("ats", "interviews"): _span("start_at", "end_at", 60),
    ("calendar", "availability"): _span("start_time", "end_time", 30),
    ("ci-cd", "builds"): _span("started_at", "completed_at", 6),
    ("ci-cd", "jobs"): _span("started_at", "completed_at", 3),
    ("conferencing", "meetings"): _span("start_time", "end_time", 45),
    ("conferencing", "attendees"): _attendee,
    ("conferencing", "transcripts"): _transcript,
    ("conferencing", "transcript_entries"): _transcript_entry,
    ("knowledge-base", "page-exports"): _export,
    ("voice", "recordings"): _recording,
}
