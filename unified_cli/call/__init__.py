"""One operation of the catalogue, from typed options to its result."""

from typing import NamedTuple

from unified_cli.catalogue import Catalogue
from unified_cli.cli.options import OperationOptions
from unified_cli.config.settings import Settings
from unified_cli.runtime import Runtime


class Call(NamedTuple):
    """What one call needs: the runtime, the catalogue, the settings of one connection, and the typed options."""

    runtime: Runtime
    catalogue: Catalogue
    settings: Settings
    options: OperationOptions
