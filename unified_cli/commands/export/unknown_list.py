"""Suggest what to type for a name that matches no list."""

import os
import re
from collections.abc import Collection
from difflib import get_close_matches

from unified_cli.catalogue import Catalogue
from unified_cli.cli import named_resource

_CLOSE = 0.9
_GLOB = re.compile(r"[*?\[]")


def suggest_list(
    catalogue: Catalogue, pattern: str, before: str, profiles: Collection[str] = ()
) -> str:
    """Return what to type for a name that matches no list, after the name `before`."""
    if pattern == "all":
        return "leave it out: without a name, all lists are exported"
    if pattern in {"list", "get"} and "/" in before:
        return "leave it out"
    if pattern in profiles:
        return f"-p {pattern}"
    if os.path.lexists(pattern):
        return "the shell expanded the * to file names; put it in quotes: '*'"
    if "," in pattern:
        return f"unified export {pattern.replace(',', ' ')}"
    if not _GLOB.search(pattern):
        near = get_close_matches(pattern, [*catalogue.apis], 1, _CLOSE)
        both = named_resource.of_both(catalogue, before, pattern)
        meant = f"did you mean {near[0]}?" if near else named_resource.suggest(catalogue, pattern)
        # The last part may be an id, so look for the name without it.
        meant = meant or named_resource.suggest(catalogue, "/".join(pattern.split("/")[:2]))
        if both or meant:
            return both or meant or ""
    return "unified operations list shows all lists"
