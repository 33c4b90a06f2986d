"""The service's operations as data: APIs, their resources and operations, and the known
fields.
"""

from unified_cli.catalogue.load import CatalogueError, load, read
from unified_cli.catalogue.model import (
    STANDARD,
    Api,
    Catalogue,
    Operation,
    Resource,
    Service,
    either_dash,
    plain,
)

__all__ = [
    "STANDARD",
    "Api",
    "Catalogue",
    "CatalogueError",
    "Operation",
    "Resource",
    "Service",
    "either_dash",
    "load",
    "plain",
    "read",
]
