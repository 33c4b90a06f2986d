"""`unified sandbox`: look at, reset and serve the service in small that comes with the program."""

from collections.abc import Callable, Mapping
from typing import Any

from unified_cli.catalogue import Catalogue
from unified_cli.commands import page, tree
from unified_cli.commands.built_in import Complete, show
from unified_cli.commands.options import FLAGS, argument, function
from unified_cli.commands.page import EXAMPLE, Page
from unified_cli.commands.tree import Entry
from unified_cli.runtime import Runtime

_ABOUT = "The service in small, on this machine: the same operations over records of its own, kept between calls."


def command(runtime: Runtime, catalogue: Catalogue, complete: Complete) -> Any:
    """The group of commands."""
    del catalogue

    def leaf(name: str, about: str, run: Callable[[dict[str, Any]], None], *parameters: Any, usage: str = "") -> Entry:
        made = function(lambda given: run(complete(given)), [*parameters])
        flags = [flag for flag in FLAGS.values() if flag.name in {parameter.name for parameter in parameters}]
        an_example = f"unified sandbox {name}" + (" winter" if usage else "")
        help_page = Page(f"{usage}[options]", [about], [(EXAMPLE, an_example)], flags)
        return Entry(about, lambda: tree.leaf(name, made, lambda: help_page))

    entries: Mapping[str, Entry] = {
        "reset": leaf("reset", "Bring all records back to what they were at first", lambda _: _reset(runtime, None)),
        "seed": leaf(
            "seed",
            "Start over with other records; the same word gives the same records",
            lambda given: _reset(runtime, given["word"]),
            argument("word", "what the records are made from"),
            usage="WORD ",
        ),
        "status": leaf(
            "status",
            "Show where the records are kept, and the connections there are",
            lambda given: _status(runtime, given),
            FLAGS["output"].parameter(),
        ),
    }
    return tree.group("sandbox", "command", entries, lambda: page.for_group(_ABOUT, "unified sandbox status", entries))


def _reset(runtime: Runtime, seed: str | None) -> None:
    from unified_cli.sandbox.place import own_store  # noqa: PLC0415  help needs no database

    store = own_store(runtime)
    store.reset(seed)
    runtime.talk.note(f"the sandbox is as it was at first (seed {store.seed})")


def _status(runtime: Runtime, given: dict[str, Any]) -> None:
    from unified_cli.sandbox.accounts import CHARACTERS  # noqa: PLC0415  help needs no database
    from unified_cli.sandbox.place import NAME, own_store  # noqa: PLC0415  as above

    store = own_store(runtime)
    changes: dict[str, int] = {}
    for account, _api, _resource, count in store.sizes():
        changes[account] = changes.get(account, 0) + count
    accounts = {**CHARACTERS, **{name: "" for name in changes if name not in CHARACTERS}}
    rows = [(name, str(changes.get(name, 0)), about) for name, about in accounts.items()]
    folder = runtime.folder("data")
    runtime.talk.note(f"records of seed {store.seed} in {folder / NAME if folder else 'memory'}")
    value = {
        "seed": store.seed,
        "state": str(folder / NAME) if folder else None,
        "connections": [{"account_id": name, "changed": int(count), "about": about} for name, count, about in rows],
    }
    show(runtime, given.get("output"), ("account id", "changed records", "about"), rows, value)
