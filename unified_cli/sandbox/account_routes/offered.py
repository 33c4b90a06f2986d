"""What a connection offers: its operations by API and resource, and as tools with their schemas."""

from unified_cli.catalogue import Catalogue
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.accounts import kind_of, offers
from unified_cli.sandbox.api.introspection import body_schema, query_schema
from unified_cli.sandbox.data.sample_requests import required_fields, required_parameters
from unified_cli.sandbox.messages import Refusal, SandboxResponse


def capabilities(catalogue: Catalogue, account: str) -> SandboxResponse:
    """The operations that a connection has. Raises Refusal 404 where there is no such connection."""
    kind = _kind(account)
    unified = {
        api.name: {one.name: list(one.operations) for one in api.resources.values() if offers(kind, api.name, one.name)}
        for api in catalogue.apis.values()
    }
    return SandboxResponse.json(dump({catalogue.service.connection: account, "type": "unified", "unified": unified}))


def tools(catalogue: Catalogue, account: str) -> SandboxResponse:
    """A description of each operation that a connection has. Raises Refusal 404 where there is no such connection."""
    kind = _kind(account)
    found = [
        {
            "resource": f"{one.api}/{one.resource}",
            "method": one.name,
            "name": one.command.replace(" ", "-"),
            "description": one.summary,
            "query_schema": query_schema(one),
            "body_schema": body_schema(one) if one.method in ("POST", "PATCH") else None,
            "required": [*(["id"] if one.takes_id else []), *required_parameters(one), *required_fields(one)],
        }
        for one in catalogue
        if offers(kind, one.api, one.resource)
    ]
    return SandboxResponse.json(dump(found))


def _kind(account: str) -> str:
    kind = kind_of(account)
    if kind is None:
        raise Refusal(404, f"no connection {account!r} that this token can see")
    return kind
