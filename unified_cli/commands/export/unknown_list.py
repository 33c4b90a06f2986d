"""Suggest what to type for a name that matches no list."""

import os
import re
from difflib import get_close_matches

from unified_cli.catalogue import Catalogue
from unified_cli.cli import named_resource

_CLOSE = 0.9
_GLOB = re.compile(r"[*?\[]")


def suggest_list(catalogue: Catalogue, pattern: str, before: str) -> str:
    """Return what to type for a name that matches no list.

    `before` is the name before it.
    """
    if pattern == "all":
        return "leave it out: without a name every list is exported"
    if os.path.lexists(pattern):
        return "the shell made names of files of it: '*' in quotes"
    if "," in pattern:
        return f"unified export {pattern.replace(',', ' ')}"
    if not _GLOB.search(pattern):
        near = get_close_matches(pattern, [*catalogue.apis], 1, _CLOSE)
        both = named_resource.of_both(catalogue, before, pattern)
        meant = f"did you mean {near[0]}?" if near else named_resource.suggest(catalogue, pattern)
        if both or meant:
            return both or meant or ""
    return "unified operations list shows what there is"
