"""Find a resource by its name API/RESOURCE."""

from collections.abc import Collection
from difflib import get_close_matches

from unified_cli.catalogue import Catalogue, Resource, either_dash, plain
from unified_cli.config.file import RESERVED
from unified_cli.errors import UsageError
from unified_cli.hints import quoted

_MOST_NAMED = 3
_CLOSE = 0.75


def find(
    catalogue: Catalogue,
    text: str,
    profiles: Collection[str] = (),
    *,
    before: tuple[str, str] | None = None,
) -> Resource:
    """Return the resource of that name, with dashes or underscores.

    `before` has the command and the argument after the resource, to suggest the right
    order if they are swapped. Raises UsageError if the resource does not exist.
    """
    api, slash, name = text.partition("/")
    paths = _plain_paths(catalogue) if before else ()
    if before and plain(before[1]) in paths and plain(text) not in paths:
        line = f"{before[0]} {before[1]} {quoted(text)}"
        raise UsageError(f"{text!r} must be API/RESOURCE", hint=line)
    if not slash or "/" in name:
        hint = (
            f"-p {text} selects this profile"
            if text in {*profiles, RESERVED}
            else suggest(catalogue, text) or suggest(catalogue, f"{api}/{name.partition('/')[0]}")
        )
        raise UsageError(f"{text!r} must be API/RESOURCE", hint=hint or "like ticketing/contacts")
    known = either_dash(api, catalogue.apis)
    resources = catalogue.apis[known].resources if known else {}
    spelled = either_dash(name, resources)
    if spelled is None:
        raise UsageError(
            f"no resource {text}",
            hint=suggest(catalogue, text) or "unified operations lists them",
        )
    return resources[spelled]


def _plain_paths(catalogue: Catalogue) -> set[str]:
    return {
        plain(f"{api.name}/{resource}")
        for api in catalogue.apis.values()
        for resource in api.resources
    }


def suggest(catalogue: Catalogue, name: str) -> str | None:
    """Return a suggestion for an unknown resource name, or None."""
    paths = [f"{api.name}/{one}" for api in catalogue.apis.values() for one in api.resources]
    by_name = {path: plain(path).partition("/")[2] for path in paths}
    spelled = plain(name.replace(".", "/").replace(" ", "/").lower())
    close = [path for path, one in by_name.items() if spelled in {one, plain(path)}]
    if not close and either_dash(spelled, catalogue.apis):
        return None
    api, slash, resource = spelled.rpartition("/")
    here = {path: one for path, one in by_name.items() if plain(path).startswith(f"{api}{slash}")}
    if not close and (near := get_close_matches(resource, here.values(), 1, _CLOSE)):
        close = [path for path, one in here.items() if one == near[0]]
    return f"did you mean {' or '.join(close[:_MOST_NAMED])}?" if close else None


def of_both(catalogue: Catalogue, api: str, resource: str) -> str | None:
    """Return a suggestion for `API RESOURCE` as two words, or None."""
    is_known = api in catalogue.apis and resource in catalogue.apis[api].resources
    return f"instead of two words: {api}/{resource}" if is_known else None
