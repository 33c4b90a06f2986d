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
    path.write_text(
        "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in records)
    )
    return str(path)


def ids_header(of_from: str | None, of_to: str | None) -> dict[str, Any]:
    """The first line of a file of --ids, for these accounts of the sandbox; None is a
    file of records.
    """
    sides = {
        name: account and {"origin": "http://sandbox", "account": account}
        for name, account in (("from", of_from), ("to", of_to))
    }
    return {"unified_ids": 1, **sides}
