"""Generate the values of seeded fields, by the field's name or its type."""

from collections.abc import Callable, Mapping, Sequence

from unified_cli.catalogue.known import known
from unified_cli.sandbox.file_content import file_url
from unified_cli.sandbox.people import STAFF, STAFF_DOMAIN, Person, company
from unified_cli.sandbox.record_batch import RecordBatch
from unified_cli.sandbox.seeded_random import DAY, timestamps
from unified_cli.sandbox.vocabulary import TABLES
from unified_cli.values import Json

FieldMaker = Callable[[RecordBatch, str], Sequence[Json]]
"""Generates the values of a field, one for each record of a batch. The arguments are
the batch and the field's name.
"""

_HEX = "0123456789abcdef"
_CHOICES: Mapping[str, Sequence[str]] = TABLES["choices"]
"""The possible values of text fields, by the name of the field."""


def same(value: Json) -> FieldMaker:
    """Return the same value for every record."""
    return lambda batch, _name: [value] * len(batch.numbers)


def choice(*choices: Json) -> FieldMaker:
    """Return one of these values."""
    return lambda batch, name: batch.random.pick(name, choices)


def number(low: int, high: int) -> FieldMaker:
    """Return an integer from `low` to below `high`."""
    return lambda batch, name: [low + more for more in batch.random.below(name, high - low)]


def numbered(value: Callable[[int], Json]) -> FieldMaker:
    """Return a value computed from the record's number."""
    return lambda batch, _name: [value(one) for one in batch.numbers]


def each(make: FieldMaker, value: Callable[[Json], Json]) -> FieldMaker:
    """Return a value computed from another value of the field."""
    return lambda batch, name: [value(source) for source in make(batch, name)]


def later(days: int, *, first: int = 0) -> FieldMaker:
    """Return a time between `first` and `days` days after the record's creation."""
    offset = first * DAY
    return lambda batch, name: timestamps(
        batch.random.times_after(name, [created + offset for created in batch.created], days)
    )


def of_person(part: Callable[[Person], str]) -> FieldMaker:
    """Return a part of the person that the record describes.

    Records that do not describe people get a sentence.
    """
    return lambda batch, name: [part(person) for person in batch.people] or sentence(batch, name)


def colleague(batch: RecordBatch, name: str) -> list[Person]:
    """Return a colleague for each record, for fields that have only a person's name or
    address.
    """
    return batch.connection.people(STAFF, [place + 1 for place in batch.random.below(name, 60)])


def own_url(batch: RecordBatch, _name: str) -> list[str]:
    """Return the address of the record's file."""
    api, resource = batch.api, batch.resource
    return [
        file_url(api, resource, f"{resource}-{one}", file)
        for one, (file, _) in zip(batch.numbers, batch.files, strict=True)
    ]


def sentence(batch: RecordBatch, name: str) -> list[str]:
    """Return one sentence."""
    return batch.random.pick(name, TABLES["sentences"])


def paragraph(batch: RecordBatch, name: str) -> list[str]:
    """Return two sentences."""
    both = zip(sentence(batch, name), sentence(batch, f"{name} more"), strict=True)
    return [f"{first} {more}" for first, more in both]


def text_of(kind: str, value: str, usual: str) -> FieldMaker:
    """Return a text with its kind, which is mostly the `usual` kind."""

    def make(batch: RecordBatch, name: str) -> list[dict[str, str]]:
        members = known(batch.api, batch.resource).members
        others = next((member.values for member in members if member.name == f"{name}.{kind}"), ())
        kinds = (*others, *(usual for _ in (*others, usual)))
        return [
            {kind: one, value: f"<p>{text}</p>" if one == "html" else text}
            for text, one in zip(
                paragraph(batch, name), batch.random.pick(f"{name} {kind}", kinds), strict=True
            )
        ]

    return make


def title(batch: RecordBatch, name: str) -> list[str]:
    """Return the title of a record. For a person, it is the job title."""
    return (
        [person.title for person in batch.people]
        if name == "title" and batch.people
        else batch.titles
    )


def email(batch: RecordBatch, _name: str) -> list[str]:
    """Return the email address of the person that the record describes, or of a
    colleague.
    """
    return [person.email for person in batch.people or colleague(batch, "to")]


def listed_of_person(entry: Callable[[Person], dict[str, str]]) -> FieldMaker:
    """Return a list with one entry about the person.

    It is empty if the record describes no person.
    """
    return lambda batch, _name: (
        [[entry(person)] for person in batch.people] or [[] for _ in batch.numbers]
    )


def mailboxes(batch: RecordBatch, name: str) -> list[list[dict[str, str]]]:
    """Return the sender or the recipients of a message."""
    always = name in ("to", "from")
    wanted = zip(colleague(batch, name), batch.random.one_in(name, 3), strict=True)
    return [
        [{"email": person.email, "name": person.name}] if always or some else []
        for person, some in wanted
    ]


def colors(batch: RecordBatch, name: str) -> list[dict[str, str]]:
    """Return colors."""
    return [
        {"background": value, "foreground": "#000000"}
        for value in batch.random.pick(name, _CHOICES["color"])
    ]


def usage_rows(batch: RecordBatch, name: str) -> list[list[list[Json]]]:
    """Return the rows of a usage report: day, used, available."""
    days = [batch.random.below(f"{name}{day}", 9) for day in (1, 2)]
    return [
        [[f"2025-12-{day:02d}", used_seats, 10] for day, used_seats in enumerate(used, 1)]
        for used in zip(*days, strict=True)
    ]


def commit(length: int, *, before: str = "") -> FieldMaker:
    """Return the hash of a commit, or its beginning."""

    def make(batch: RecordBatch, name: str) -> list[str]:
        digits = [batch.random.pick(f"{name}{place}", _HEX) for place in range(length)]
        return [before + "".join(number) for number in zip(*digits, strict=True)]

    return make


def options(_record: int) -> list[dict[str, str]]:
    """Return the values that a custom field may take."""
    return [
        {"id": f"option-{place}", "value": word}
        for place, word in enumerate(("first", "second", "dritte"), 1)
    ]


def links(batch: RecordBatch, _name: str) -> list[list[dict[str, str]]]:
    """Return links to the record in the provider's own application."""
    app = f"https://app.provider.example/{batch.resource}"
    return [[{"type": "web", "url": f"{app}/{one}"}] for one in batch.numbers]


def place(batch: RecordBatch, name: str) -> list[dict[str, str]]:
    """Return the place of an event."""
    names = batch.random.pick(name, ("Room 1", "Café", "Online", "Berlin"))
    return [{"name": location, "type": "physical"} for location in names]


def phone_number(batch: RecordBatch, name: str) -> list[str]:
    """Return a phone number."""
    begins, ends = batch.random.below(name, 900), batch.random.below(f"{name} end", 10_000)
    return [f"+1-555-{begin + 100}-{end:04d}" for begin, end in zip(begins, ends, strict=True)]


def money(batch: RecordBatch, name: str) -> list[str]:
    """Return an amount with two decimals."""
    whole, cents = batch.random.below(name, 900), batch.random.below(f"{name} cents", 100)
    return [f"{amount + 10}.{cent:02d}" for amount, cent in zip(whole, cents, strict=True)]


def text_by_suffix(name: str) -> FieldMaker:
    """Return the function that generates a text field: a time, a person, an id, or a
    sentence. It depends on the end of the field's name.
    """
    if name.endswith(("_at", "_date", "_time")):
        return later(
            3 if name.startswith("end") or name.endswith("ed_at") else 1,
            first=name.startswith("end"),
        )
    if name.endswith("_by"):
        return lambda batch, name: [person.name for person in colleague(batch, name)]
    if name.endswith("_name"):
        return lambda batch, _name: batch.titles
    if name.endswith("_id"):
        return lambda batch, name: [
            f"{name[:-3]}-{value + 1}" for value in batch.random.below(name, 60)
        ]
    return sentence


_ADDRESSES = listed_of_person(lambda person: {"email": person.email, "type": "work"})
_PHONES = listed_of_person(lambda person: {"number": person.phone, "type": "mobile"})

_BY_NAME: Mapping[tuple[str, str], FieldMaker] = {
    ("name", "string"): title,
    ("title", "string"): title,
    ("label", "string"): title,
    ("subject", "string"): title,
    ("first_name", "string"): of_person(lambda person: person.first),
    ("last_name", "string"): of_person(lambda person: person.last),
    ("middle_name", "string"): choice(None, "Maria", "J."),
    ("username", "string"): of_person(lambda person: person.username),
    ("email", "string"): email,
    ("emails", "array"): _ADDRESSES,
    ("email_addresses", "array"): _ADDRESSES,
    ("phones", "array"): _PHONES,
    ("phone_numbers", "array"): _PHONES,
    ("from", "array"): mailboxes,
    ("to", "array"): mailboxes,
    ("cc", "array"): mailboxes,
    ("bcc", "array"): same([]),
    ("reply_to", "array"): same([]),
    ("from", "string"): phone_number,
    ("to", "string"): phone_number,
    ("avatar", "string"): numbered(lambda number: f"https://avatars.example/{number}.png"),
    ("company", "string"): numbered(lambda number: company(number).name),
    ("domains", "array"): numbered(lambda number: [company(number).domain]),
    ("external_id", "string"): numbered(lambda number: f"ext-{number:05d}"),
    ("identifiers", "object"): numbered(lambda number: {"employee_number": f"{number:05d}"}),
    ("created_at", "string"): lambda batch, _name: batch.created_at,
    ("updated_at", "string"): later(90),
    ("due_date", "string"): later(60, first=7),
    ("etag", "string"): commit(8),
    ("number", "string"): numbered(lambda number: f"SUP-{1000 + number}"),
    ("number", "number"): numbered(lambda number: number),
    ("position", "number"): numbered(lambda number: (number - 1) % 5 + 1),
    ("sequence", "number"): numbered(lambda number: (number - 1) % 2 + 1),
    ("index", "number"): numbered(lambda number: (number - 1) % 3),
    ("attempts", "number"): number(1, 3),
    ("duration", "number"): choice(15, 30, 45, 60),
    ("size", "number"): number(200, 9000),
    ("unit_amount", "number"): choice(0, 9.5, 12.0, 49.99),
    ("total_amount", "string"): money,
    ("tax_amount", "string"): money,
    ("colors", "object"): colors,
    ("file_name", "string"): lambda batch, _name: [name for name, _ in batch.files],
    ("content_type", "string"): lambda batch, _name: [kind for _, kind in batch.files],
    ("mime_type", "string"): lambda batch, _name: [kind for _, kind in batch.files],
    ("file_url", "string"): own_url,
    ("download_url", "string"): own_url,
    ("audio_recording_url", "string"): own_url,
    ("video_recording_url", "string"): own_url,
    ("url", "string"): own_url,
    ("folder_url", "string"): own_url,
    ("vcs_url", "string"): lambda batch, _name: [
        f"https://git.example/northwind/{one}.git" for one in batch.titles
    ],
    ("urls", "array"): links,
    ("job_posting_urls", "array"): links,
    ("body", "string"): paragraph,
    ("html_body", "string"): lambda batch, _name: [
        f"<p>{text}</p>" for text in paragraph(batch, "body")
    ],
    ("body", "object"): text_of("format", "content", "markdown"),
    ("content", "object"): text_of("type", "value", "plain_text"),
    ("description", "string"): paragraph,
    ("description", "object"): each(
        paragraph, lambda text: {"format": "markdown", "content": text}
    ),
    ("raw_text", "string"): lambda batch, _name: sentence(batch, "text"),
    ("roles", "array"): choice(
        [{"id": "agent", "name": "Agent"}], [{"id": "admin", "name": "Admin"}]
    ),
    ("status", "object"): each(choice("open", "closed"), lambda n: {"id": "status", "name": n}),
    ("commit", "string"): commit(40),
    ("last_commit", "string"): commit(40),
    ("key", "string"): commit(12, before="pip-"),
    ("version", "string"): commit(12),
    ("identifier", "string"): lambda batch, _name: [title[:3].upper() for title in batch.titles],
    ("code", "string"): numbered(lambda number: f"JOB-{number:03d}"),
    ("requisition_id", "string"): numbered(lambda number: f"REQ-{2000 + number}"),
    ("location", "object"): place,
    ("location", "string"): each(place, lambda one: one["name"]),
    ("locations", "array"): each(place, lambda event: [event]),
    ("addresses", "array"): listed_of_person(lambda person: {"city": person.town, "type": "work"}),
    ("options", "array"): numbered(options),
    ("topics", "array"): each(choice(*TABLES["meetings"]), lambda topic: [topic]),
    ("source", "object"): each(choice("Referral", "Website", "Agency"), lambda n: {"name": n}),
    ("metadata", "object"): same({"period": "2025-12"}),
    ("columns", "array"): same(["day", "used", "available"]),
    ("rows", "array"): usage_rows,
    ("charges", "array"): each(money, lambda amount: [{"amount": amount, "currency": "EUR"}]),
    ("usage", "object"): each(number(0, 10_000), lambda used: {"quantity": used, "unit": "GB"}),
    ("permissions", "array"): choice(["read"], ["read", "write"]),
    ("headers", "object"): numbered(lambda number: {"Message-ID": f"<{number}@{STAFF_DOMAIN}>"}),
    ("custom_fields", "object"): each(choice("basic", "plus"), lambda plan: {"plan": plan}),
}  # fmt: skip


def field_maker(name: str, kind: str) -> FieldMaker:
    """Return the function that generates the values of a field, by the field's name and
    type.
    """
    if result := _BY_NAME.get((name, kind)):
        return result
    if kind != "string":
        return _BY_TYPE[kind]
    return choice(*_CHOICES[name]) if name in _CHOICES else text_by_suffix(name)


_BY_TYPE: Mapping[str, FieldMaker] = {
    "number": number(1, 1000),
    "boolean": lambda batch, name: batch.random.one_in(name, 2),
    "array": same([]),
    "object": lambda batch, name: [{"name": person.name} for person in colleague(batch, name)],
}
