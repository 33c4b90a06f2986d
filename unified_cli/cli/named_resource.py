"""A resource as a command line names it: API/RESOURCE."""

from collections.abc import Collection
from difflib import get_close_matches

from unified_cli.catalogue import Catalogue, Resource
from unified_cli.errors import UsageError

_MOST_NAMED = 3
_CLOSE = 0.75


def find(catalogue: Catalogue, text: str, profiles: Collection[str] = ()) -> Resource:
    """The resource of that name, with either dash. Raises UsageError where there is none; one of `-p` is told so."""
    api, slash, name = text.partition("/")
    if not slash or "/" in name:
        hint = f"-p {text} selects this profile" if text in profiles else meant(catalogue, text)
        raise UsageError(f"{text!r} must be API/RESOURCE", hint=hint or "like ticketing/contacts")
    known = catalogue.apis.get(api)
    resources = known.resources if known else {}
    spelled = {other.replace("_", "-"): other for other in resources}
    found = resources.get(name) or resources.get(spelled.get(name.replace("_", "-"), ""))
    if found is None:
        raise UsageError(f"no resource {text}", hint=meant(catalogue, text) or "unified operations lists them")
    return found


def meant(catalogue: Catalogue, name: str) -> str | None:
    """The resource that may have been meant by a name without the right API; None where nothing comes close."""
    by_name = {f"{api.name}/{one}": one for api in catalogue.apis.values() for one in api.resources}
    spelled = name.replace(".", "/").replace(" ", "/").replace("_", "-").lower()
    close = [path for path, one in by_name.items() if spelled in {one, path}]
    if not close and spelled in catalogue.apis:
        return None
    api, slash, resource = spelled.rpartition("/")
    here = [one for path, one in by_name.items() if not slash or path.startswith(f"{api}/")]
    if not close and (near := get_close_matches(resource, here, 1, _CLOSE)):
        close = [path for path, one in by_name.items() if one == near[0] and path.startswith(f"{api}{slash}")]
    return f"did you mean {' or '.join(close[:_MOST_NAMED])}?" if close else None
