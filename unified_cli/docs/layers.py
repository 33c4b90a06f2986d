"""The layers of the package: the test of imports and the table in CONTRIBUTING.md are made from this."""

from typing import NamedTuple


class Layer(NamedTuple):
    """Some packages and modules of one `level`; level 1 is the lowest, and imports go down only."""

    level: int
    packages: tuple[str, ...]
    about: str


LAYERS = (
    Layer(14, ("__main__", "docs.__main__"), "the process; the writer of the generated documents"),
    Layer(13, ("main", "app"), "`main(argv, runtime)` returns an exit code; the whole tree of commands"),
    Layer(12, ("commands",), "one folder for each command; none imports another"),
    Layer(11, ("call",), "one request, from typed options to its result on stdout"),
    Layer(11, ("docs",), "what is generated: completion scripts, the manual page, OpenAPI, parts of the documents"),
    Layer(
        10,
        ("writes",),
        "many writes: the records they take, their journals and runs, the sender, what became of them",
    ),
    Layer(9, ("exported",), "what an export leaves: list files, their manifest, and what reads them"),
    Layer(8, ("fleet",), "work on many connections: which, in whose turn, with which clients, and how it ends"),
    Layer(7, ("cli",), "options (each defined once), aliases, the tree of commands, help pages, mistakes, prompts"),
    Layer(6, ("output",), "formats on stdout, tables and other screens, the pager, jq programs, progress"),
    Layer(6, ("http",), "a request, sent and retried within limits; its response, decoded within bounds"),
    Layer(6, ("sandbox",), "a local server with the same operations as the service"),
    Layer(
        5,
        ("config",),
        "the config file, the settings with their sources, the credentials, the programs that a user names",
    ),
    Layer(
        4,
        ("storage",),
        "files: replaced atomically, appended durably, created once, locked, cached, safely named; objects in stores",
    ),
    Layer(
        3,
        ("runtime", "signals", "os_limits"),
        "streams, environment, clock, transport; signals; limits",
    ),
    Layer(2, ("stderr",), "the only writer of stderr"),
    Layer(
        1,
        ("catalogue", "errors", "hints", "masking", "plural", "text_width", "values", "json_text"),
        "the operations as data; the errors; text without secrets, and its width; ages in words; JSON as text",
    ),
)


def may_import(module: str, other: str) -> bool:
    """Whether a module may import the other one: from its own layer, or from a lower level."""
    one, two = layer_of(module), layer_of(other)
    return one is two or level_of(other) < level_of(module)


def layer_of(module: str) -> Layer | None:
    """The layer of a module, named relative to the package, such as `http.client`; None for the package itself."""
    found = [(len(name), layer) for layer in LAYERS for name in layer.packages if f"{module}.".startswith(f"{name}.")]
    return max(found)[1] if found else None


def level_of(module: str) -> int:
    """The level of a module; 0 for the package itself."""
    layer = layer_of(module)
    return layer.level if layer else 0
