"""What `unified` alone says to somebody who has not configured anything yet."""

from unified_cli.config import file
from unified_cli.config.keys import KEYS
from unified_cli.output import stdout, terminal
from unified_cli.runtime import Runtime

_TEXT = """\
Try it, without an account:  unified -p sandbox ticketing tickets list -o table
Add your first connection:   unified profile add NAME
See all commands:            unified --help
"""


def are_due(runtime: Runtime) -> bool:
    """Whether neither a config file nor a variable says anything."""
    if any(runtime.environ.get(key.variable) for key in KEYS.values() if key.env):
        return False
    path = file.locate(runtime)
    return path is None or not path.exists()


def show(runtime: Runtime) -> None:
    """Print the commands that lead to a first result."""
    stdout.show(runtime, [terminal.styled(_TEXT)])
