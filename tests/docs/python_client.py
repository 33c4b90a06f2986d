"""Call every operation through the client that openapi-python-client generated.

Run by the interpreter of that tool: python_client.py FOLDER-OF-THE-CLIENT CALLS-FILE
URL TOKEN; prints a JSON object of the type of each operation's answer.
"""

import importlib
import inspect
import json
import re
import sys
import typing
from pathlib import Path


def word(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


def main(folder: str, calls: str, url: str, token: str) -> None:
    sys.path.insert(0, folder)
    package = importlib.import_module("generated")
    client = package.AuthenticatedClient(base_url=url, token=token, timeout=60)
    told = {}
    for one in json.loads(Path(calls).read_text("utf-8")):
        name = re.sub("[^a-z0-9]", "_", one["operation"])
        module = importlib.import_module(f"generated.api.{one['tag'].replace('-', '_')}.{name}")
        names = {word(name): name for name in inspect.signature(module.sync_detailed).parameters}
        given = {names[word(key)]: value for key, value in {**one["path"], **one["query"]}.items()}
        if one["body"] is not None:
            kind = typing.get_type_hints(module.sync_detailed)["body"]
            # A body that may be left out has a union of types, the body's own first.
            (kind, *_) = typing.get_args(kind) or (kind,)
            given["body"] = kind.from_dict(one["body"])
        for key, value in given.items():
            if "list[" in str(inspect.signature(module.sync_detailed).parameters[key].annotation):
                given[key] = [value]
        answer = module.sync_detailed(client=client, **given)
        parsed = answer.parsed
        record = getattr(parsed, "result", parsed)
        record = record[0] if isinstance(record, list) else record
        told[one["operation"]] = [
            int(answer.status_code),
            type(parsed).__name__,
            type(getattr(record, "id", None)).__name__,
        ]
    sys.stdout.write(json.dumps(told))


main(*sys.argv[1:])
