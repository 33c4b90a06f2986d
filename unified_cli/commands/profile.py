"""`unified profile`: the named connections of this user, kept in one file."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from unified_cli.catalogue import Catalogue
from unified_cli.commands import page, tree
from unified_cli.commands.built_in import Complete
from unified_cli.commands.entry import Entry
from unified_cli.runtime import Runtime

_ABOUT: Mapping[str, tuple[str, str]] = {
    "list": ("profile_list", "The profiles there are"),
    "show": ("profile_show", "The settings a profile amounts to, and where each comes from"),
    "path": ("profile_list", "Where the configuration is kept"),
    "add": ("profile_change", "Add a profile"),
    "set": ("profile_change", "Change a profile"),
    "use": ("profile_change", "Choose the profile that is used when none is named"),
    "login": ("profile_login", "Keep a profile's token where it is safe"),
    "logout": ("profile_login", "Remove a profile's token"),
    "import": ("profile_import", "Add many profiles at once, from a CSV file"),
    "test": ("profile_test", "Ask each connection one thing, side by side"),
    "remove": ("profile_change", "Remove a profile"),
}


def command(runtime: Runtime, catalogue: Catalogue, complete: Complete) -> Any:
    """The group of commands."""
    entries = {
        name: Entry(about, partial(_build, module, name, about, runtime, catalogue, complete))
        for name, (module, about) in _ABOUT.items()
    }
    return tree.group(
        "profile",
        "command",
        entries,
        lambda: page.for_group(
            "Name the connections you work with, and say once where their tokens are.", "unified profile list", entries
        ),
    )


def _build(module: str, name: str, about: str, *world: Any) -> Any:
    from importlib import import_module  # noqa: PLC0415  only the asked command is imported

    make: Callable[..., Any] = getattr(import_module(f"unified_cli.commands.{module}"), f"{name}_command")
    return make(about, *world)
