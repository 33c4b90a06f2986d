"""The options of a search: a list that is requested with POST."""

from dataclasses import dataclass

from unified_cli.cli.options import ReadOptions, SendOptions


@dataclass(frozen=True, kw_only=True)
class SearchOptions(SendOptions, ReadOptions):
    """The options of a search: those of a list, and the body that says what to find."""
