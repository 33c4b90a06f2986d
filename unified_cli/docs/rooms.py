"""Which room of the package is on which floor: the test of imports and the README's table are made from this."""

from typing import NamedTuple


class Room(NamedTuple):
    """A module or folder of the package: `floor` 1 is the lowest, and imports go down only."""

    floor: int
    names: tuple[str, ...]
    about: str


ROOMS = (
    Room(12, ("__main__", "docs.__main__"), "the process; the writer of the generated documents"),
    Room(11, ("main", "app"), "`main(argv, runtime)` gives an exit code; the whole tree of commands"),
    Room(10, ("commands",), "the built-in commands"),
    Room(9, ("call",), "one operation of the catalogue, from typed options to its result"),
    Room(9, ("docs",), "what is generated: completion scripts, the manual page, OpenAPI, the README's tables"),
    Room(8, ("bulk",), "long work that survives a crash: export, import, downloads, with their journals"),
    Room(7, ("cli",), "options (each spelled once), the tree of commands, help pages, prompts, the clients of a run"),
    Room(6, ("output",), "formats on stdout, tables, jq programs, progress"),
    Room(6, ("http",), "a request, sent and repeated within limits; its answer, decoded within bounds"),
    Room(6, ("sandbox",), "the local server that stands in for the service"),
    Room(5, ("config",), "the config file, the settings with their sources, the credentials"),
    Room(4, ("storage",), "files: written as a whole, appended durably, created only once, locked, safely named"),
    Room(3, ("runtime", "signals"), "the world: streams, environment, clock, transport; SIGINT and SIGTERM"),
    Room(2, ("stderr",), "the only writer of stderr"),
    Room(
        1,
        ("catalogue", "errors", "masking", "json_text"),
        "the operations as data; the errors; what may be shown; JSON as text",
    ),
)


def may_import(module: str, other: str) -> bool:
    """Whether a module may import the other one: from its own room, or from a lower floor."""
    one, two = room_of(module), room_of(other)
    return one is two or floor_of(other) < floor_of(module)


def room_of(module: str) -> Room | None:
    """The room of a module, named from within the package, such as `http.client`; None for the package itself."""
    found = [(len(name), room) for room in ROOMS for name in room.names if f"{module}.".startswith(f"{name}.")]
    return max(found)[1] if found else None


def floor_of(module: str) -> int:
    """The floor of a module; 0 for the package itself."""
    room = room_of(module)
    return room.floor if room else 0
