"""Records in files, and profiles of two connections of the sandbox."""

import json
from pathlib import Path
from typing import Any

TWO = """
[profiles.old]
base_url = "sandbox:"
account_id = "full"
[profiles.new]
base_url = "sandbox:"
account_id = "empty"
"""


def ndjson(path: Path, *records: Any) -> str:
    """A file with a record on each line; a text is a line as it is."""
    path.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in records))
    return str(path)
