"""A resource as a command line names it: API/RESOURCE."""

from unified_cli.catalogue import Catalogue, Resource
from unified_cli.errors import UsageError


def find(catalogue: Catalogue, text: str) -> Resource:
    """The resource of that name, with either dash. Raises UsageError where there is none."""
    api, slash, name = text.partition("/")
    if not slash or "/" in name:
        raise UsageError(f"{text!r} must be API/RESOURCE, like ticketing/contacts")
    known = catalogue.apis.get(api)
    resources = known.resources if known else {}
    spelled = {other.replace("_", "-"): other for other in resources}
    found = resources.get(name) or resources.get(spelled.get(name.replace("_", "-"), ""))
    if found is None:
        raise UsageError(f"no resource {text} (unified operations lists them)")
    return found
