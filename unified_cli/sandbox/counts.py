"""How many records a resource is to have, as it is written on the command line: `ticketing/tickets=100000`."""

import re
from collections.abc import Iterable

from unified_cli.catalogue import Catalogue
from unified_cli.errors import UsageError

_COUNT = re.compile(r"(?P<api>[^/=]+)/(?P<resource>[^/=]+)=(?P<count>\d{1,12})", re.ASCII)


def counts_of(catalogue: Catalogue, texts: Iterable[str]) -> dict[tuple[str, str], int]:
    """The counts by API and resource. Raises UsageError for what is not written so, or names no resource."""
    counts = {}
    for text in texts:
        match = _COUNT.fullmatch(text)
        if match is None:
            raise UsageError(f"cannot understand {text!r} (such as ticketing/tickets=100000)")
        api = catalogue.apis.get(match["api"])
        if api is None or match["resource"] not in api.resources:
            raise UsageError(f"no resource {match['api']}/{match['resource']} (unified operations lists them)")
        counts[match["api"], match["resource"]] = int(match["count"])
    return counts
