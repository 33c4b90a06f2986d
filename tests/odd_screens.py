"""Connections and records whose ids and names are long, Chinese or marked, and a
service that has them.
"""

import json
from pathlib import Path
from typing import Any

from pages import offer, served
from record_files import ndjson
from server import Reply, Seen, Service

IDS = [f"62f44730-dd91-461e-bd6a-aedd9e0ad{at:03}" for at in range(7)]
CHINESE = "\u4e2d\u6587\u540d\u79f0\u5f88\u957f" * 10
NAMES = (
    "n" * 60,
    CHINESE,
    "e\u0301" * 60,
    "Ada Lovelace of the sea " * 3,
    "name@example.com",
    "x",
    "no-profile-yet",
)
PROFILES = [f"{'a-profile-of-a-customer-' * 3}"[:60], "p1", "p2", "p3", "p4", "p5"]
STATES = (
    "active",
    "needs_reauth",
    "active",
    "post_install_error",
    "active",
    "connecting",
    "active",
)
ALL = " ".join(f"-p {name}" for name in PROFILES)
ENVIRON = {"UNIFIED_TOKEN": "t-0123456789", "NO_COLOR": "1"}


def prepare(service: Service, folder: Path) -> str:
    """Make the service answer so, and files to compare in the folder; the text of a
    config file.
    """
    tables = (
        f'[profiles.{name}]\naccount_id = "{at}"\ntags = ["a-tag-of-a-customer"]\n'
        for name, at in zip(PROFILES, IDS, strict=False)
    )
    records = [record(at) for at in range(len(IDS))]
    ndjson(folder / "one.ndjson", *records)
    ndjson(
        folder / "other.ndjson",
        *({**one, "name": NAMES[at - 1]} for at, one in enumerate(records[:-1])),
    )
    (folder / "shape.json").write_text(
        json.dumps({"properties": {"n" * 60: {"type": "object"}, CHINESE: {}}})
    )
    service.reply = lambda seen: reply(seen, records)
    return f'rate = 0\nretries = 0\nbase_url = "{service.url}"\n{"".join(tables)}'


def record(at: int) -> dict[str, Any]:
    name = NAMES[at]
    more = {
        "n" * 60: {"in": {"in": {"in": {"in": {"in": name}}}}},
        CHINESE: None if at % 2 else [name],
    }
    return {
        "id": IDS[at],
        "name": name,
        "status": STATES[at],
        "note": f"{name} {name}",
        "owner": {"name": name},
        **more,
    }


def reply(seen: Seen, records: list[dict[str, Any]]) -> Reply:
    """The service: connections, what they offer, and records."""
    if seen.segments[0] == "integrated-account":
        listed = [connection(at) for at in range(len(IDS))]
        if not seen.segments[1:]:
            return served({"result": listed})
        at = IDS.index(seen.segments[1])
        every = {
            "ticketing": {"tickets": ["list", "get", "create"]},
            "user-directory": {"users": ["list"]},
        }
        return served(offer(every if at else {}) if seen.segments[2:] else listed[at])
    if seen.method == "GET" and seen.segments[3:]:
        return served(records[0])
    if seen.method == "GET":
        return served({"result": records})
    account = dict(seen.query)["integrated_account_id"]
    refused = {"statusCode": 400, "error": "Bad Request", "message": f"{NAMES[3]} {CHINESE}"}
    return served(refused, 400) if IDS.index(account) % 2 else served(records[IDS.index(account)])


def connection(at: int) -> dict[str, Any]:
    integration = {
        "name": "deskly" if at % 2 else "a-product-of-a-rather-long-name",
        "category": "ticketing",
    }
    return {
        "id": IDS[at],
        "tenant_id": NAMES[at],
        "status": STATES[at],
        "integration": integration,
        "created_at": "2026-01-01T00:00:00Z",
        "last_error": f"{NAMES[3]} {CHINESE}" if at == 1 else None,
    }
