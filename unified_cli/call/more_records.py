"""Say that a list has more records than were printed, and how to get them."""

import re
import shlex

_PLAIN = re.compile(r"[\w.~+/=:@%-]+", re.ASCII)


def message(cursor: str | None) -> str:
    """Return the message about more records, with the options that read them."""
    return f"there are more records: --all, or {continuation(cursor)}"


def continuation(cursor: str | None) -> str:
    """Return the option that continues from this cursor."""
    if not cursor:
        return "from the start"
    if _PLAIN.fullmatch(cursor):
        return f"--cursor {cursor}"

    return f"--cursor {shlex.quote(cursor)}"
