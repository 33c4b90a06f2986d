"""`unified runs`: the runs of many writes, what became of them, and how they go on."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from unified_cli.cli import help_page, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import CommandStub

_ABOUT: Mapping[str, tuple[str, str]] = {
    "list": ("list_runs", "List the runs, the newest first"),
    "show": ("show_run", "Show what became of each call of a run"),
    "resume": ("resume_run", "Do what a run has not tried, and what is in doubt where that is safe"),
    "retry": ("resume_run", "Repeat the calls of a run that failed, each with its key"),
    "remove": ("remove_runs", "Remove the journals of runs"),
}


def command(context: CommandContext) -> Any:
    """The group of commands."""
    entries = {
        name: CommandStub(about, partial(_build, module, name, about, context))
        for name, (module, about) in _ABOUT.items()
    }
    return tree.group(
        "runs",
        "command",
        entries,
        lambda: help_page.for_group(
            "Continue work of many writes, each of which stands in a journal before it is sent.",
            "unified runs list",
            entries,
        ),
    )


def _build(module: str, name: str, about: str, context: CommandContext) -> Any:
    make: Callable[[str, CommandContext], Any] = getattr(
        import_module(f"unified_cli.commands.runs.{module}"), f"{name}_command"
    )
    return make(about, context)
