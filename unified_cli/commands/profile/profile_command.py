"""`unified profile`: the named connections of this user, kept in one file."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from unified_cli.cli import help_page, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import CommandStub

_ABOUT: Mapping[str, tuple[str, str]] = {
    "list": ("list_profiles", "The profiles there are"),
    "show": ("show_profile", "The settings a profile amounts to, and where each comes from"),
    "path": ("list_profiles", "Where the configuration is kept"),
    "add": ("change", "Add a profile"),
    "set": ("change", "Change a profile"),
    "use": ("change", "Choose the profile that is used when none is named"),
    "login": ("sign_in", "Keep a profile's token where it is safe"),
    "logout": ("sign_in", "Remove a profile's token"),
    "import": ("import_profiles", "Add many profiles at once, from a CSV file"),
    "test": ("check_profile", "Ask each connection one thing, side by side"),
    "remove": ("change", "Remove a profile"),
}


def command(context: CommandContext) -> Any:
    """The group of commands."""
    entries = {
        name: CommandStub(about, partial(_build, module, name, about, context))
        for name, (module, about) in _ABOUT.items()
    }
    return tree.group(
        "profile",
        "command",
        entries,
        lambda: help_page.for_group(
            "Name the connections you work with, and say once where their tokens are.", "unified profile list", entries
        ),
    )


def _build(module: str, name: str, about: str, context: CommandContext) -> Any:
    from importlib import import_module  # noqa: PLC0415  only the asked command is imported

    make: Callable[[str, CommandContext], Any] = getattr(
        import_module(f"unified_cli.commands.profile.{module}"), f"{name}_command"
    )
    return make(about, context)
