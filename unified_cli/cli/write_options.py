"""The options of writes, and of every other action."""

from dataclasses import dataclass

from unified_cli.cli.option_parts import StopOptions
from unified_cli.cli.options import (
    ConfirmOptions,
    OperationOptions,
    SendOptions,
    WriteModeOptions,
)


@dataclass(frozen=True, kw_only=True)
class WriteOptions(WriteModeOptions, ConfirmOptions, StopOptions, SendOptions, OperationOptions):
    """The options of writes, and of every other action."""
