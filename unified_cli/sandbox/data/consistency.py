"""Fields that have to agree with one another within a record, or with the folder it lies in."""

from collections.abc import Callable, Mapping
from typing import Any

from unified_cli.sandbox.data import file_content
from unified_cli.sandbox.data.fields import colleague, file_url
from unified_cli.sandbox.data.people import STAFF_DOMAIN
from unified_cli.sandbox.data.record_context import RecordContext
from unified_cli.sandbox.data.record_ids import record_id
from unified_cli.sandbox.data.seeded_random import moment

ME = f"me@{STAFF_DOMAIN}"  # whose mailbox it is
_DAY = 86_400
Arrange = Callable[[RecordContext, dict[str, Any]], dict[str, Any]]


def _email(spot: RecordContext, record: dict[str, Any]) -> dict[str, Any]:
    place, name = ((2, "Sent"), (3, "Drafts"), (4, "Archive"))[spot.number % 3] if spot.number % 2 else (1, "Inbox")
    draft = name == "Drafts"
    sender = record["to"][0]["email"]
    return {
        "from": ME if name in ("Sent", "Drafts") else sender,
        "to": record["to"] if name in ("Sent", "Drafts") else [{"email": ME, "name": "Me"}],
        "folder": {"id": f"folders-{place}", "name": name},
        "is_draft": draft,
        "sent_at": None if draft else record["created_at"],
    }


def _application(spot: RecordContext, record: dict[str, Any]) -> dict[str, Any]:
    reason = record["reject_reason"]
    applied = spot.made
    return {
        "reject_reason": reason,
        "applied_at": moment(applied),
        "rejected_at": moment(applied + 9 * _DAY) if reason else None,
    }


def _span(start: str, end: str, minutes: int) -> Arrange:
    def arrange(spot: RecordContext, _record: dict[str, Any]) -> dict[str, Any]:
        begin = spot.made - spot.made % 1800 + 7 * _DAY
        return {start: moment(begin), end: moment(begin + minutes * 60)}

    return arrange


def _line(spot: RecordContext, record: dict[str, Any]) -> dict[str, Any]:
    start = (spot.number - 1) % 5 * 12
    speaker = colleague(spot, "speaker")
    return {
        "speaker_id": speaker.username,
        "speaker_type": "user",
        "speaker_name": speaker.name,
        "raw_text": record["text"].lower(),
        "start_time": start,
        "end_time": start + 10,
    }


def _transcript(_spot: RecordContext, _record: dict[str, Any]) -> dict[str, Any]:
    return {"start_time": 0, "end_time": 58}


def _attendee(spot: RecordContext, record: dict[str, Any]) -> dict[str, Any]:
    host = {"is_host": spot.number % 3 == 1, "type": "guest" if spot.number % 3 == 0 else "user"}
    return {**host, **_span("start_time", "end_time", 40)(spot, record)}


def _user(spot: RecordContext, record: dict[str, Any]) -> dict[str, Any]:
    # Whoever tries the program out suspends the first user, who had better be active.
    return {"status": "active" if spot.number <= 3 else record["status"]}


def _file(spot: RecordContext, record: dict[str, Any]) -> dict[str, Any]:
    return {"size": len(file_content.content(record["content_type"], record_id(spot.resource, spot.number)))}


def _export(spot: RecordContext, _record: dict[str, Any]) -> dict[str, Any]:
    url = file_url(spot.api, spot.resource, f"{spot.resource}-{spot.number}", "page.html")
    return {"status": "completed", "urls": [{"type": "download", "url": url}]}


def _recording(spot: RecordContext, record: dict[str, Any]) -> dict[str, Any]:
    url = file_url(spot.api, spot.resource, f"{spot.resource}-{spot.number}", "call.wav")
    return {"url": url, **_span("start_time", "end_time", 4)(spot, record)}


ARRANGE: Mapping[tuple[str, str], Arrange] = {
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
    ("conferencing", "transcript_entries"): _line,
    ("knowledge-base", "page-exports"): _export,
    ("voice", "recordings"): _recording,
}
