"""The end of a call that nobody waits for any more."""

from unified_cli.errors import StoppedError


class AbandonedError(StoppedError):
    """The client of a server cancelled the call or is gone: nothing more is sent for it. It never ends a command."""

    kind = "cancelled"
