"""One request, from its parts to a whole answer or a failure with a name."""

import sys

# httpx's own command line would pull in click, rich and pygments where they are installed; nothing here runs it. It
# stands here because every module of this package, whichever comes first, imports httpx after it.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
