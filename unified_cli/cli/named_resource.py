"""A resource as a command line names it: API/RESOURCE."""

from difflib import get_close_matches

from unified_cli.catalogue import Catalogue, Resource
from unified_cli.errors import UsageError

_MOST_NAMED = 3
_CLOSE = 0.75


def find(catalogue: Catalogue, text: str) -> Resource:
    """The resource of that name, with either dash. Raises UsageError where there is none."""
    api, slash, name = text.partition("/")
    if not slash or "/" in name:
        raise UsageError(f"{text!r} must be API/RESOURCE", hint=meant(catalogue, text) or "like ticketing/contacts")
    known = catalogue.apis.get(api)
    resources = known.resources if known else {}
    spelled = {other.replace("_", "-"): other for other in resources}
    found = resources.get(name) or resources.get(spelled.get(name.replace("_", "-"), ""))
    if found is None:
        raise UsageError(f"no resource {text}", hint=meant(catalogue, name) or "unified operations lists them")
    return found


def meant(catalogue: Catalogue, name: str) -> str | None:
    """The resource that may have been meant by a name without the right API; None where nothing comes close."""
    by_name = {f"{api.name}/{one}": one for api in catalogue.apis.values() for one in api.resources}
    spelled = name.replace(".", "/").replace(" ", "/").replace("_", "-").lower()
    close = [path for path, one in by_name.items() if spelled in {one, path}]
    close = close or get_close_matches(spelled, by_name, 1, _CLOSE)
    close = close or [path for path in by_name if path.endswith(f"/{spelled}s")]
    return f"did you mean {' or '.join(close[:_MOST_NAMED])}?" if close else None
