"""`unified profile`: manage the user's named connections, stored in one file."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from unified_cli.cli import help_page, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import CommandStub

_ABOUT: Mapping[str, tuple[str, str]] = {
    "list": ("list_profiles", "List the profiles"),
    "show": ("show_profile", "Show the settings of a profile, and where each comes from"),
    "path": ("list_profiles", "Print the path of the config file"),
    "add": ("change", "Add a profile"),
    "set": ("set_values", "Change profiles, or what holds for all"),
    "use": ("change", "Choose the profile that is used when none is named"),
    "login": ("sign_in", "Store a profile's token safely"),
    "logout": ("sign_in", "Remove a profile's token"),
    "import": ("import_profiles", "Add many profiles at once, from a CSV file"),
    "test": ("check_profile", "Test each connection with one request"),
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
            "Manage the named connections that you work with, and their tokens.", "unified profile list", entries
        ),
    )


def _build(module: str, name: str, about: str, context: CommandContext) -> Any:
    from importlib import import_module  # noqa: PLC0415  only the chosen command is imported

    make: Callable[[str, CommandContext], Any] = getattr(
        import_module(f"unified_cli.commands.profile.{module}"), f"{name}_command"
    )
    return make(about, context)
