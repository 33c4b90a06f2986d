"""How the values of seeded fields are made."""

from collections.abc import Callable

from unified_cli.json_text.values import Json
from unified_cli.sandbox.data.file_urls import file_url
from unified_cli.sandbox.data.people import STAFF, STAFF_DOMAIN, Person, person
from unified_cli.sandbox.data.record_context import RecordContext
from unified_cli.sandbox.data.seeded_random import SeededRandom, time_after, timestamp
from unified_cli.sandbox.data.vocabulary import FILES, SENTENCES

FieldMaker = Callable[[RecordContext, str], Json]
"""Makes the value of a field from its record and its name."""

COLORS = ("#d73a4a", "#0e8a16", "#fbca04", "#1d76db", "#5319e7")
_HEX = "0123456789abcdef"
_DAY = 86_400


def choice(*choices: Json) -> FieldMaker:
    """One of these values."""
    return lambda context, name: context.random.pick(name, choices)


def number(low: int, high: int) -> FieldMaker:
    """A whole number from `low` up to, not including, `high`."""
    return lambda context, name: low + context.random.below(name, high - low)


def later(days: int, *, first: int = 0) -> FieldMaker:
    """A time at most so many days after the record's creation, and not before the day `first`."""
    offset = first * _DAY
    return lambda context, name: timestamp(time_after(context.random, name, context.created + offset, days))


def of_person(part: Callable[[Person], str]) -> FieldMaker:
    """What is known of the person whom the record describes; a sentence where it describes nobody."""
    return lambda context, name: part(context.person) if context.person else sentence(context, name)


def colleague(context: RecordContext, name: str) -> Person:
    """Somebody of the staff, for fields that hold a bare name or address."""
    return person(context.seed, STAFF, context.random.below(name, 60) + 1, STAFF_DOMAIN)


def file_of(random: SeededRandom) -> tuple[str, str]:
    """Name and content type of a record's file."""
    return random.pick("file", FILES)


def own_url(context: RecordContext, _name: str) -> str:
    """The address of the record's file."""
    return file_url(context.api, context.resource, f"{context.resource}-{context.number}", file_of(context.random)[0])


def sentence(context: RecordContext, name: str) -> str:
    """One sentence."""
    return context.random.pick(name, SENTENCES)


def paragraph(context: RecordContext, name: str) -> str:
    """Two sentences."""
    return f"{sentence(context, name)} {sentence(context, f'{name} more')}"


def title(context: RecordContext, name: str) -> str:
    """The title of a record; of a person the job title."""
    return context.person.title if name == "title" and context.person else context.title


def email(context: RecordContext, _name: str) -> str:
    """A person's email address; of a record that describes nobody, a colleague's."""
    return context.person.email if context.person else colleague(context, "to").email


def towns(context: RecordContext, _name: str) -> list[dict[str, str]]:
    """A person's postal addresses."""
    return [{"city": context.person.town, "type": "work"}] if context.person else []


def addresses(context: RecordContext, _name: str) -> list[dict[str, str]]:
    """A person's email addresses."""
    return [{"email": context.person.email, "type": "work"}] if context.person else []


def phones(context: RecordContext, _name: str) -> list[dict[str, str]]:
    """A person's phone numbers."""
    return [{"number": context.person.phone, "type": "mobile"}] if context.person else []


def mailboxes(context: RecordContext, name: str) -> list[dict[str, str]]:
    """The people that a message is from or to."""
    one = colleague(context, name)
    wanted = name in ("to", "from") or context.random.one_in(name, 3)
    return [{"email": one.email, "name": one.name}] if wanted else []


def colors(context: RecordContext, name: str) -> dict[str, str]:
    """The colors that something is shown in."""
    return {"background": context.random.pick(name, COLORS), "foreground": "#000000"}


def usage_rows(context: RecordContext, name: str) -> list[list[Json]]:
    """The rows of a usage report: day, used, available."""
    return [[f"2025-12-{day:02d}", context.random.below(f"{name}{day}", 9), 10] for day in (1, 2)]


def commit(context: RecordContext, name: str, length: int = 40) -> str:
    """The hash of a commit, or its beginning."""
    below = context.random.below
    return "".join([_HEX[below(f"{name}{place}", 16)] for place in range(length)])


def options(_context: RecordContext, _name: str) -> list[dict[str, str]]:
    """The values that a custom field may take."""
    return [{"id": f"option-{place}", "value": word} for place, word in enumerate(("first", "second", "dritte"), 1)]


def links(context: RecordContext, _name: str) -> list[dict[str, str]]:
    """The record in the provider's own application."""
    return [{"type": "web", "url": f"https://app.provider.example/{context.resource}/{context.number}"}]


def place(context: RecordContext, name: str) -> dict[str, str]:
    """Where something takes place."""
    return {"name": context.random.pick(name, ("Room 1", "Café", "Online", "Berlin")), "type": "physical"}


def phone_number(context: RecordContext, name: str) -> str:
    """A phone number."""
    return f"+1-555-{context.random.below(name, 900) + 100}-{context.random.below(f'{name} end', 10_000):04d}"


def money(context: RecordContext, name: str) -> str:
    """An amount with two decimals."""
    return f"{context.random.below(name, 900) + 10}.{context.random.below(f'{name} cents', 100):02d}"


def text_by_suffix(name: str) -> FieldMaker:
    """What makes a text for a field of which only the end of its name is known.

    A time, a person, an id, else a sentence.
    """
    if name.endswith(("_at", "_date", "_time")):
        return later(3 if name.startswith("end") or name.endswith("ed_at") else 1, first=name.startswith("end"))
    if name.endswith("_by"):
        return lambda context, name: colleague(context, name).name
    if name.endswith("_name"):
        return lambda context, _name: context.title
    if name.endswith("_id"):
        return lambda context, name: f"{name[:-3]}-{context.random.below(name, 60) + 1}"
    return sentence
