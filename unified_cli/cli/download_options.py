"""The options of downloads."""

from dataclasses import dataclass

from unified_cli.cli.option_parts import StopOptions
from unified_cli.cli.options import DownloadModeOptions, OperationOptions, SendOptions


@dataclass(frozen=True, kw_only=True)
class DownloadOptions(DownloadModeOptions, StopOptions, SendOptions, OperationOptions):
    """The options of downloads."""
