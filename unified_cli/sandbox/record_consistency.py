"""Adjust fields that depend on other fields of the same record."""

from collections.abc import Callable, Mapping

from unified_cli.sandbox import file_content
from unified_cli.sandbox.field_values import colleague
from unified_cli.sandbox.file_content import file_url
from unified_cli.sandbox.people import STAFF_DOMAIN
from unified_cli.sandbox.record_batch import RecordBatch
from unified_cli.sandbox.seeded_random import DAY, timestamp, timestamps
from unified_cli.sandbox.vocabulary import record_id
from unified_cli.values import JsonColumns

ME = f"me@{STAFF_DOMAIN}"  # the owner of the mailbox
_INBOX, _OTHERS = (1, "Inbox"), ((2, "Sent"), (3, "Drafts"), (4, "Archive"))
Adjustment = Callable[[RecordBatch, JsonColumns], JsonColumns]
"""Returns the values that replace values of the records."""


def _email(batch: RecordBatch, columns: JsonColumns) -> JsonColumns:
    folders = [_OTHERS[number % 3] if number % 2 else _INBOX for number in batch.numbers]
    drafts = [name == "Drafts" for _, name in folders]
    own = [name in ("Sent", "Drafts") for _, name in folders]
    others = columns["to"]
    return {
        "from": [
            ME if mine else people[0]["email"] for mine, people in zip(own, others, strict=True)
        ],
        "to": [
            people if mine else [{"email": ME, "name": "Me"}]
            for mine, people in zip(own, others, strict=True)
        ],
        "folder": [{"id": f"folders-{place}", "name": name} for place, name in folders],
        "is_draft": drafts,
        "sent_at": [
            None if draft else time
            for draft, time in zip(drafts, columns["created_at"], strict=True)
        ],
    }


def _application(batch: RecordBatch, columns: JsonColumns) -> JsonColumns:
    reasons = columns["reject_reason"]
    return {
        "applied_at": batch.created_at,
        "rejected_at": [
            timestamp(created + 9 * DAY) if reason else None
            for created, reason in zip(batch.created, reasons, strict=True)
        ],
    }


def _span(start: str, end: str, minutes: int) -> Adjustment:
    def adjust(batch: RecordBatch, _columns: JsonColumns) -> JsonColumns:
        begins = [created - created % 1800 + 7 * DAY for created in batch.created]
        return {
            start: timestamps(begins),
            end: timestamps(begin + minutes * 60 for begin in begins),
        }

    return adjust


def _transcript_entry(batch: RecordBatch, columns: JsonColumns) -> JsonColumns:
    starts = [(number - 1) % 5 * 12 for number in batch.numbers]
    speakers = colleague(batch, "speaker")
    return {
        "speaker_id": [speaker.username for speaker in speakers],
        "speaker_type": ["guest" if number % 5 == 0 else "user" for number in batch.numbers],
        "speaker_name": [speaker.name for speaker in speakers],
        "raw_text": [text.lower() for text in columns["text"]],
        "start_time": starts,
        "end_time": [start + 10 for start in starts],
    }


def _transcript(batch: RecordBatch, _columns: JsonColumns) -> JsonColumns:
    return {"start_time": [0 for _ in batch.numbers], "end_time": [58 for _ in batch.numbers]}


def _attendee(batch: RecordBatch, columns: JsonColumns) -> JsonColumns:
    return {
        "is_host": [number % 3 == 1 for number in batch.numbers],
        "type": ["guest" if number % 3 == 0 else "user" for number in batch.numbers],
        **_span("start_time", "end_time", 40)(batch, columns),
    }


def _user(batch: RecordBatch, columns: JsonColumns) -> JsonColumns:
    # The first users are active, because examples suspend them.
    both = zip(batch.numbers, columns["status"], strict=True)
    return {"status": ["active" if number <= 3 else status for number, status in both]}


def _file(batch: RecordBatch, columns: JsonColumns) -> JsonColumns:
    files = zip(columns["content_type"], batch.numbers, strict=True)
    return {
        "size": [
            len(file_content.content(kind, record_id(batch.resource, number)))
            for kind, number in files
        ]
    }


def _export(batch: RecordBatch, _columns: JsonColumns) -> JsonColumns:
    urls = _own_urls(batch, "page.html")
    return {
        "status": ["completed" for _ in urls],
        "urls": [[{"type": "download", "url": url}] for url in urls],
    }


def _recording(batch: RecordBatch, columns: JsonColumns) -> JsonColumns:
    return {
        "url": _own_urls(batch, "call.wav"),
        **_span("start_time", "end_time", 4)(batch, columns),
    }


def _own_urls(batch: RecordBatch, file: str) -> list[str]:
    return [
        file_url(batch.api, batch.resource, f"{batch.resource}-{number}", file)
        for number in batch.numbers
    ]


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
