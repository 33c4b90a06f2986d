"""The ids of seeded records: the resource's name and a number, such as `tickets-1`."""

# A resource that shows records of another one: `me` is the first of the users.
SHOWN_AS = {"me": "users"}


def record_id(resource: str, number: int) -> str:
    """The id of seeded record 1, 2, … of a resource."""
    return f"{id_prefix(resource)}{number}"


def id_prefix(resource: str) -> str:
    """What the ids of a resource's seeded records begin with; their number follows."""
    return f"{SHOWN_AS.get(resource, resource)}-"


def first_id(_api: str, resource: str) -> str:
    """The id of the first seeded record: what examples may name."""
    return record_id(resource, 1)


def number_of(resource: str, text: str) -> int | None:
    """The number of the seeded record with this id; None for what is not such an id."""
    name, _, number = text.rpartition("-")
    # `isdigit` alone would let other scripts' digits and leading zeros name the same record twice.
    plain = number.isascii() and number.isdigit() and len(number) < 16 and not number.startswith("0")
    return int(number) if plain and name == SHOWN_AS.get(resource, resource) else None
