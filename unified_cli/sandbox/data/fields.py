"""The values of seeded fields, by the field's name where the name says something, else by its type."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from unified_cli.sandbox.data.people import STAFF, STAFF_DOMAIN, Person, company, person
from unified_cli.sandbox.data.record_context import RecordContext
from unified_cli.sandbox.data.seeded_random import SeededRandom, after, moment
from unified_cli.sandbox.data.vocabulary import FILES, SENTENCES, TALKS

Make = Callable[[RecordContext, str], Any]
_ZONES = ("Europe/Berlin", "America/Sao_Paulo", "Africa/Nairobi", "Asia/Tokyo", "UTC")
_COLORS = ("#d73a4a", "#0e8a16", "#fbca04", "#1d76db", "#5319e7")
_HEX = "0123456789abcdef"


def colleague(spot: RecordContext, name: str) -> Person:
    """Somebody of the staff, for fields that hold a bare name or address."""
    return person(spot.seed, STAFF, spot.dice.below(name, 60) + 1, STAFF_DOMAIN)


def file_of(spot: RecordContext) -> tuple[str, str]:
    """Name and content type of a record's file."""
    return spot.dice.pick("file", FILES)


def file_name(dice: SeededRandom) -> str:
    """The name of the file that the record of these dice has."""
    return dice.pick("file", FILES)[0]


FILE_HOST = "files.provider.example"


def file_url(api: str, resource: str, record: str, name: str = "") -> str:
    """Where a record's file is said to lie: what the action `download` takes."""
    parts = (api, resource, record, *([name] if name else ()))
    return f"https://{FILE_HOST}/" + "/".join(quote(part, safe="") for part in parts)


def _text(spot: RecordContext, name: str) -> str:
    return spot.dice.pick(name, SENTENCES)


def _paragraph(spot: RecordContext, name: str) -> str:
    return f"{_text(spot, name)} {spot.dice.pick(f'{name} more', SENTENCES)}"


def _own_url(spot: RecordContext, _name: str) -> str:
    return file_url(spot.api, spot.resource, f"{spot.resource}-{spot.number}", file_of(spot)[0])


def _words(*choices: Any) -> Make:
    return lambda spot, name: spot.dice.pick(name, choices)


def _number(low: int, high: int) -> Make:
    return lambda spot, name: low + spot.dice.below(name, high - low)


def _later(days: int, *, first: int = 0) -> Make:
    return lambda spot, name: moment(after(spot.dice, name, spot.made + first * 86_400, days))


def _who(part: str) -> Make:
    def value(spot: RecordContext, name: str) -> Any:
        return getattr(spot.who, part) if spot.who else _text(spot, name)

    return value


def _addresses(spot: RecordContext, _name: str) -> list[dict[str, str]]:
    return [{"email": spot.who.email, "type": "work"}] if spot.who else []


def _mailboxes(spot: RecordContext, name: str) -> list[dict[str, str]]:
    some = colleague(spot, name)
    return [{"email": some.email, "name": some.name}] if name in ("to", "from") or spot.dice.one_in(name, 3) else []


def _phones(spot: RecordContext, _name: str) -> list[dict[str, str]]:
    return [{"number": spot.who.phone, "type": "mobile"}] if spot.who else []


def _hash(spot: RecordContext, name: str) -> str:
    return "".join(_HEX[spot.dice.below(f"{name}{place}", 16)] for place in range(40))


def _options(_spot: RecordContext, _name: str) -> list[dict[str, str]]:
    return [{"id": f"option-{place}", "value": word} for place, word in enumerate(("first", "second", "dritte"), 1)]


def _links(spot: RecordContext, _name: str) -> list[dict[str, str]]:
    return [{"type": "web", "url": f"https://app.provider.example/{spot.resource}/{spot.number}"}]


def _place(spot: RecordContext, name: str) -> dict[str, str]:
    return {"name": spot.dice.pick(name, ("Room 1", "Café", "Online", "Berlin")), "type": "physical"}


def _phone_number(spot: RecordContext, name: str) -> str:
    return f"+1-555-{spot.dice.below(name, 900) + 100}-{spot.dice.below(f'{name} end', 10_000):04d}"


def _title(spot: RecordContext, name: str) -> str:
    if name == "title" and spot.who is not None:
        return spot.who.title
    return spot.title


def _money(spot: RecordContext, name: str) -> str:
    return f"{spot.dice.below(name, 900) + 10}.{spot.dice.below(f'{name} cents', 100):02d}"


BY_NAME: Mapping[tuple[str, str], Make] = {
    ("name", "string"): _title,
    ("title", "string"): _title,
    ("label", "string"): _title,
    ("subject", "string"): _title,
    ("first_name", "string"): _who("first"),
    ("last_name", "string"): _who("last"),
    ("middle_name", "string"): _words(None, "Maria", "J."),
    ("username", "string"): _who("username"),
    ("email", "string"): lambda spot, _name: spot.who.email if spot.who else colleague(spot, "to").email,
    ("emails", "array"): _addresses,
    ("email_addresses", "array"): _addresses,
    ("phones", "array"): _phones,
    ("phone_numbers", "array"): _phones,
    ("from", "array"): _mailboxes,
    ("to", "array"): _mailboxes,
    ("cc", "array"): _mailboxes,
    ("bcc", "array"): lambda _spot, _name: [],
    ("reply_to", "array"): lambda _spot, _name: [],
    ("from", "string"): _phone_number,
    ("to", "string"): _phone_number,
    ("avatar", "string"): lambda spot, _name: f"https://avatars.example/{spot.number}.png",
    ("company", "string"): lambda spot, _name: company(spot.number).name,
    ("domains", "array"): lambda spot, _name: [company(spot.number).domain],
    ("external_id", "string"): lambda spot, _name: f"ext-{spot.number:05d}",
    ("identifiers", "object"): lambda spot, _name: {"employee_number": f"{spot.number:05d}"},
    ("created_at", "string"): lambda spot, _name: moment(spot.made),
    ("updated_at", "string"): _later(90),
    ("due_date", "string"): _later(60, first=7),
    ("etag", "string"): lambda spot, name: _hash(spot, name)[:8],
    ("number", "string"): lambda spot, _name: f"SUP-{1000 + spot.number}",
    ("number", "number"): lambda spot, _name: spot.number,
    ("position", "number"): lambda spot, _name: (spot.number - 1) % 5 + 1,
    ("sequence", "number"): lambda spot, _name: (spot.number - 1) % 2 + 1,
    ("index", "number"): lambda spot, _name: (spot.number - 1) % 3,
    ("attempts", "number"): _number(1, 3),
    ("duration", "number"): _words(15, 30, 45, 60),
    ("size", "number"): _number(200, 9000),
    ("unit_amount", "number"): _words(0, 9.5, 12.0, 49.99),
    ("total_amount", "string"): _money,
    ("tax_amount", "string"): _money,
    ("currency", "string"): _words("EUR", "USD", "BRL"),
    ("color", "string"): _words(*_COLORS),
    ("colors", "object"): lambda spot, name: {"background": spot.dice.pick(name, _COLORS), "foreground": "#000000"},
    ("file_name", "string"): lambda spot, _name: file_of(spot)[0],
    ("content_type", "string"): lambda spot, _name: file_of(spot)[1],
    ("mime_type", "string"): lambda spot, _name: file_of(spot)[1],
    ("file_url", "string"): _own_url,
    ("download_url", "string"): _own_url,
    ("audio_recording_url", "string"): _own_url,
    ("video_recording_url", "string"): _own_url,
    ("url", "string"): _own_url,
    ("folder_url", "string"): _own_url,
    ("vcs_url", "string"): lambda spot, _name: f"https://git.example/northwind/{spot.title}.git",
    ("urls", "array"): _links,
    ("job_posting_urls", "array"): _links,
    ("body", "string"): _paragraph,
    ("html_body", "string"): lambda spot, _name: f"<p>{_paragraph(spot, 'body')}</p>",
    ("body", "object"): lambda spot, name: {"format": "markdown", "content": _paragraph(spot, name)},
    ("content", "object"): lambda spot, name: {"type": "plain_text", "value": _paragraph(spot, name)},
    ("description", "string"): _paragraph,
    ("description", "object"): lambda spot, name: {"format": "markdown", "content": _paragraph(spot, name)},
    ("raw_text", "string"): lambda spot, _name: _text(spot, "text"),
    ("timezone", "string"): _words(*_ZONES),
    ("type", "string"): _words("project", "standard", "regular"),
    ("project", "string"): lambda _spot, _name: "Website",
    ("format", "string"): _words("plain", "html"),
    ("activity_type", "string"): _words("note", "email", "call"),
    ("visibility", "string"): _words("public", "private"),
    ("access_role", "string"): _words("owner", "admin", "member"),
    ("roles", "array"): _words([{"id": "agent", "name": "Agent"}], [{"id": "admin", "name": "Admin"}]),
    ("action", "string"): _words("signed_in", "invited_user", "changed_role", "exported_data"),
    ("entity", "string"): _words("user", "group", "document"),
    ("entity_type", "string"): _words("user", "group", "document"),
    ("status", "string"): _words("completed", "running", "failed", "queued"),
    ("status", "object"): lambda spot, name: {"id": name, "name": spot.dice.pick(name, ("open", "done"))},
    ("conclusion", "string"): _words("success", "success", "failure", "cancelled"),
    ("direction", "string"): _words("inbound", "outbound"),
    ("branch", "string"): _words("main", "develop", "fix/ünïcode"),
    ("default_branch", "string"): lambda _spot, _name: "main",
    ("pattern", "string"): _words("main", "release/*"),
    ("commit", "string"): _hash,
    ("last_commit", "string"): _hash,
    ("key", "string"): lambda spot, name: f"pip-{_hash(spot, name)[:12]}",
    ("version", "string"): lambda spot, name: _hash(spot, name)[:12],
    ("owner", "string"): lambda _spot, _name: "northwind",
    ("identifier", "string"): lambda spot, _name: spot.title[:3].upper(),
    ("code", "string"): lambda spot, _name: f"JOB-{spot.number:03d}",
    ("requisition_id", "string"): lambda spot, _name: f"REQ-{2000 + spot.number}",
    ("pricing_plan", "string"): _words("team", "enterprise"),
    ("metric_name", "string"): _words("gigabytes", "requests", "seats"),
    ("trigger", "string"): _words("push", "schedule", "manual"),
    ("triggered_by_type", "string"): lambda _spot, _name: "user",
    ("uploaded_by_type", "string"): lambda _spot, _name: "user",
    ("overall_recommendation", "string"): _words("yes", "strong_yes", "no", "no_decision"),
    ("race", "string"): lambda _spot, _name: "decline_to_answer",
    ("gender", "string"): _words("decline_to_answer", "female", "male", "non_binary"),
    ("veteran_status", "string"): lambda _spot, _name: "decline_to_answer",
    ("disability_status", "string"): lambda _spot, _name: "decline_to_answer",
    ("is_private", "string"): _words("false", "true"),
    ("location", "object"): _place,
    ("location", "string"): lambda spot, name: _place(spot, name)["name"],
    ("locations", "array"): lambda spot, name: [_place(spot, name)],
    ("addresses", "array"): lambda spot, _name: [{"city": spot.who.town, "type": "work"}] if spot.who else [],
    ("options", "array"): _options,
    ("topics", "array"): lambda spot, name: [spot.dice.pick(name, TALKS)],
    ("source", "object"): lambda spot, name: {"name": spot.dice.pick(name, ("Referral", "Website", "Agency"))},
    ("metadata", "object"): lambda _spot, _name: {"period": "2025-12"},
    ("columns", "array"): lambda _spot, _name: ["day", "used", "available"],
    ("rows", "array"): lambda spot, name: [[f"2025-12-{d:02d}", spot.dice.below(f"{name}{d}", 9), 10] for d in (1, 2)],
    ("charges", "array"): lambda spot, name: [{"amount": _money(spot, name), "currency": "EUR"}],
    ("usage", "object"): lambda spot, name: {"quantity": spot.dice.below(name, 10_000), "unit": "GB"},
    ("permissions", "array"): _words(["read"], ["read", "write"]),
    ("headers", "object"): lambda spot, _name: {"Message-ID": f"<{spot.number}@{STAFF_DOMAIN}>"},
    ("custom_fields", "object"): lambda spot, name: {"plan": spot.dice.pick(name, ("basic", "plus"))},
}  # fmt: skip


def _string(spot: RecordContext, name: str) -> Any:
    if name.endswith(("_at", "_date", "_time")):
        days = 3 if name.startswith("end") or name.endswith("ed_at") else 1
        return moment(after(spot.dice, name, spot.made + 86_400 * (name.startswith("end")), days))
    if name.endswith("_by"):
        return colleague(spot, name).name
    if name.endswith("_name"):
        return spot.title
    if name.endswith("_id"):
        return f"{name[:-3]}-{spot.dice.below(name, 60) + 1}"
    return _text(spot, name)


BY_TYPE: Mapping[str, Make] = {
    "string": _string,
    "number": _number(1, 1000),
    "boolean": lambda spot, name: spot.dice.one_in(name, 2),
    "array": lambda _spot, _name: [],
    "object": lambda spot, name: {"name": colleague(spot, name).name},
}
