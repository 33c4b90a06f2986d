import httpx
import pytest

from unified_cli.catalogue import Resource, load

RESOURCES = [resource for api in load().apis.values() for resource in api.resources.values()]
BODY = (
    rb'{"name":"caf\u00e9 \ud83d\ude00","price":1.10,"big":12345678901234567890123,"vast":1e400,'
    rb'"deep":{"a":[1 , 2.50]}}'
)


def having(*operations: str) -> pytest.MarkDecorator:
    """Run a test for each resource that has these operations."""
    those = [resource for resource in RESOURCES if set(operations) <= resource.operations.keys()]
    return pytest.mark.parametrize(
        "resource", those, ids=lambda resource: f"{resource.api}-{resource.name}"
    )


def path(resource: Resource) -> str:
    return f"/unified/{resource.api}/{resource.name}"


@having("list")
def test_every_list_pages_to_its_end_without_a_gap_or_a_repeat(
    client: httpx.Client, resource: Resource
) -> None:
    whole = client.get(path(resource), params={"limit": 500}).json()
    assert whole["next_cursor"] is None
    assert whole["result"]
    pages, cursor = [], ""
    while cursor is not None:
        page = client.get(path(resource), params={"limit": "7", "next_cursor": cursor}).json()
        pages.append(page["result"])
        cursor = page["next_cursor"]
    assert [record for page in pages for record in page] == whole["result"]
    assert all(len(page) == 7 for page in pages[:-1])


@having("list", "get")
def test_every_record_of_a_list_can_be_got(client: httpx.Client, resource: Resource) -> None:
    records = client.get(path(resource), params={"limit": 3}).json()["result"]
    assert records
    for record in records:
        assert client.get(f"{path(resource)}/{record['id']}").json() == record


@having("create")
def test_a_created_record_lives_changes_and_ends(client: httpx.Client, resource: Resource) -> None:
    created = client.post(
        path(resource), content=BODY, headers={"content-type": "application/json"}
    )
    assert created.status_code == 201
    identity, text = created.json()["id"], created.text
    assert BODY[1:-1].decode() in text
    one = f"{path(resource)}/{identity}"
    if "get" in resource.operations:
        assert client.get(one).text == text
    if "update" in resource.operations:
        changed = client.patch(one, json={"name": "other"})
        assert changed.json() == created.json() | {
            "name": "other",
            "updated_at": changed.json()["updated_at"],
        }
        assert '"price":1.10,"big":12345678901234567890123,"vast":1e400' in changed.text
        assert client.get(one).text == changed.text
    if "delete" in resource.operations:
        assert client.delete(one).json() == {"id": identity}
        gone = client.get(one)
        assert gone.status_code == 404
        assert gone.json()["statusCode"] == 404
        assert identity in gone.json()["message"]


@having("get")
def test_the_first_id_is_that_of_the_first_record(client: httpx.Client, resource: Resource) -> None:
    identity = resource.operations["get"].example_id
    assert client.get(f"{path(resource)}/{identity}").json()["id"] == identity
