"""`unified sandbox`: look at, reset and serve the service in small that comes with the program."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unified_cli.catalogue import Catalogue
from unified_cli.cli import help_page as page, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import CommandStub
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.cli.options import Flag, argument
from unified_cli.cli.result_table import TABLE, show
from unified_cli.errors import UsageError
from unified_cli.output import stdout
from unified_cli.runtime import Runtime

_ABOUT = "The service in small, on this machine: the same operations over records of its own, kept between calls."


_SERVE = (
    Flag("port", ("--port",), str, "Serve", "the port on this machine; 0 takes a free one", "N"),
    Flag("seed", ("--seed",), str, "Serve", "what the records are made from: a word or a number", "WORD"),
    Flag("state", ("--state",), str, "Serve", "where changes are kept", "FILE|:memory:", takes="file"),
    Flag("faults", ("--faults",), str, "Serve", "misbehave: 429=5%,reset=1%,slow=200ms …", "SPEC|FILE", takes="file"),
    Flag("records", ("--records",), list[str], "Serve", "how many records a resource has", "API/RESOURCE=N"),
)


def command(context: CommandContext) -> Any:
    """The group of commands."""
    runtime, catalogue, complete = context.runtime, context.catalogue, context.complete

    def leaf(
        name: str, about: str, run: Callable[[dict[str, Any]], None], flags: Sequence[Flag] = (), word: str = ""
    ) -> CommandStub:
        parameters = [argument(word, "what the records are made from")] if word else []
        parameters += [flag.parameter() for flag in flags]
        an_example = f"unified sandbox {name}" + (" winter" if word else "")
        usage = f"{word.upper()} [options]" if word else "[options]"
        help_page = HelpPage(usage, [about], [(EXAMPLE, an_example)], flags)
        return CommandStub(
            about, lambda: tree.leaf(name, lambda given: run(complete(given)), parameters, lambda: help_page)
        )

    entries: Mapping[str, CommandStub] = {
        "serve": leaf(
            "serve",
            "Serve the sandbox on a port of this machine, for any client",
            lambda given: _serve(runtime, catalogue, given),
            _SERVE,
        ),
        "reset": leaf("reset", "Bring all records back to what they were at first", lambda _: _reset(runtime, None)),
        "seed": leaf(
            "seed",
            "Start over with other records; the same word gives the same records",
            lambda given: _reset(runtime, given["word"]),
            word="word",
        ),
        "status": leaf(
            "status",
            "Show where the records are kept, and the connections there are",
            lambda given: _status(runtime, given),
            [TABLE],
        ),
    }
    return tree.group("sandbox", "command", entries, lambda: page.for_group(_ABOUT, "unified sandbox status", entries))


def _serve(runtime: Runtime, catalogue: Catalogue, given: dict[str, Any]) -> None:
    from unified_cli.sandbox.server import serve  # noqa: PLC0415  help needs no server

    serve(
        runtime,
        catalogue,
        lambda lines: stdout.write(runtime, [lines]),
        port=_number("--port", given["port"] or "0", 65535),
        seed=given["seed"],
        state=given["state"],
        faults=given["faults"],
        records=dict(_amount(catalogue, text) for text in given["records"] or ()),
    )


def _amount(catalogue: Catalogue, text: str) -> tuple[tuple[str, str], int]:
    place, _, number = text.partition("=")
    api, _, resource = place.partition("/")
    if api not in catalogue.apis or resource not in catalogue.apis[api].resources:
        raise UsageError(f"--records {text}: no resource {place!r} (it must look like ticketing/tickets=1000)")
    return (api, resource), _number(f"--records {place}=", number, 100_000_000)


def _number(flag: str, text: str, most: int) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > most:
        raise UsageError(f"{flag} takes a whole number up to {most}, not {text!r}")
    return int(text)


def _reset(runtime: Runtime, seed: str | None) -> None:
    from unified_cli.sandbox.location import own_store  # noqa: PLC0415  help needs no database

    store = own_store(runtime)
    store.reset(seed)
    runtime.stderr.note(f"the sandbox is as it was at first (seed {store.seed})")


def _status(runtime: Runtime, given: dict[str, Any]) -> None:
    from unified_cli.sandbox.accounts import CHARACTERS  # noqa: PLC0415  help needs no database
    from unified_cli.sandbox.location import own_store  # noqa: PLC0415  as above

    store = own_store(runtime)
    changes: dict[str, int] = {}
    for account, _api, _resource, count in store.sizes():
        changes[account] = changes.get(account, 0) + count
    accounts = {**CHARACTERS, **{name: "" for name in changes if name not in CHARACTERS}}
    rows = [(name, str(changes.get(name, 0)), about) for name, about in accounts.items()]
    runtime.stderr.note(f"records of seed {store.seed} in {store.path or 'memory'}")
    value = {
        "seed": store.seed,
        "state": str(store.path) if store.path else None,
        "connections": [{"account_id": name, "changed": int(count), "about": about} for name, count, about in rows],
    }
    show(runtime, given.get("output"), ("account id", "changed records", "about"), rows, value)
