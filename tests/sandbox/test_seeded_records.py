import contextlib
import itertools
from typing import Any

import httpx
import pytest

from unified_cli.catalogue import Catalogue
from unified_cli.catalogue.known import known
from unified_cli.catalogue.model import SHOWN_AS
from unified_cli.json_text.typed_json import compact_objects
from unified_cli.sandbox.seeded_records import SeededRecords
from unified_cli.sandbox.store import SandboxStore
from unified_cli.sandbox.stored_records import Records
from unified_cli.sandbox.vocabulary import NAMELESS, number_of, record_id, target
from unified_cli.values import JsonColumns, JsonObject


@pytest.fixture(scope="module")
def world() -> SeededRecords:
    return SeededRecords("x", "full", {})


def everything(catalogue: Catalogue, world: SeededRecords) -> Any:
    for api in catalogue.apis.values():
        for name in api.resources:
            numbers = range(1, world.count(api.name, name) + 1)
            for number, record in zip(numbers, world.records(api.name, name, numbers), strict=True):
                yield api.name, name, number, record


def one(world: SeededRecords, api: str, resource: str, number: int) -> JsonObject:
    return world.records(api, resource, (number,))[0]


def pointers(value: Any) -> list[str]:
    if isinstance(value, list):
        return [one for item in value for one in pointers(item)]
    if isinstance(value, dict):
        return [value["id"]]
    return [] if value is None else [value]


def test_every_record_has_the_known_fields_and_a_name_of_its_own(
    catalogue: Catalogue, world: SeededRecords
) -> None:
    for api, resource, number, record in everything(catalogue, world):
        fields = {field.name for field in known(api, resource).fields}
        assert fields <= record.keys()
        if resource not in NAMELESS:
            assert record["id"] == record_id(resource, number)
            assert record["created_at"] <= record["updated_at"] <= "2026-01-01T12:00:00.000Z"


def test_every_value_is_of_its_type_and_one_of_the_known(
    catalogue: Catalogue, world: SeededRecords
) -> None:
    kinds = {"string": str, "number": (int, float), "boolean": bool, "array": list, "object": dict}
    for api, resource, _, record in everything(catalogue, world):
        for field in known(api, resource).fields:
            value = record[field.name]
            assert value is None or isinstance(value, kinds[field.type]), (
                api,
                resource,
                field,
                value,
            )
            assert not field.values or value in field.values


def test_every_pointer_leads_to_a_record(catalogue: Catalogue, world: SeededRecords) -> None:
    seen = 0
    for api, resource, _, record in everything(catalogue, world):
        for field in known(api, resource).fields:
            to = target(api, resource, field)
            for identity in pointers(record[field.name]) if to else ():
                number = number_of(to or "", identity)
                assert number is not None
                assert 1 <= number <= world.count(api, to or "")
                seen += 1
    assert seen > 3000


def test_references_in_both_directions_agree(world: SeededRecords) -> None:
    pointed_at = 0
    for number in range(1, 121):
        ticket = one(world, "ticketing", "tickets", number)
        contact = one(
            world, "ticketing", "contacts", number_of("contacts", ticket["contact"]["id"]) or 0
        )
        assert contact["account_id"] == ticket["account"]["id"]
        for pointed in ticket["attachments"]:
            attachment = one(
                world, "ticketing", "attachments", number_of("attachments", pointed["id"]) or 0
            )
            assert attachment["ticket_id"] == ticket["id"]
            pointed_at += 1
    assert pointed_at > 60


def test_the_same_people_work_in_every_api(catalogue: Catalogue, world: SeededRecords) -> None:
    names = {
        tuple(one(world, api.name, "users", number)["name"] for number in range(1, 61))
        for api in catalogue.apis.values()
        if "users" in api.resources
    }
    assert len(names) == 1
    assert len(set(*names)) == 60


def test_two_runs_and_no_two_seeds_agree(world: SeededRecords) -> None:
    assert one(SeededRecords("x", "full", {}), "ats", "jobs", 7) == one(world, "ats", "jobs", 7)
    others = [SeededRecords("y", "full", {}), SeededRecords("x", "full:b", {})]
    assert all(one(other, "ats", "jobs", 7) != one(world, "ats", "jobs", 7) for other in others)


def test_most_resources_can_be_paged_through(catalogue: Catalogue, world: SeededRecords) -> None:
    small = [
        f"{api.name}/{name}"
        for api in catalogue.apis.values()
        for name in api.resources
        if world.count(api.name, name) < 60
    ]
    assert len(small) < 45
    assert all(
        world.count(api, "users") == 60
        for api in catalogue.apis
        if "users" in catalogue.apis[api].resources
    )


@pytest.mark.parametrize(
    "text", ["tickets-0", "tickets-01", "tickets-x", "tickets", "users-1", "tickets-1٣", ""]
)
def test_only_one_spelling_names_a_record(text: str) -> None:
    assert number_of("tickets", text) is None


def test_me_is_the_first_user(client: httpx.Client) -> None:
    assert SHOWN_AS == {"me": "users"}
    me = client.get("/unified/user-directory/me").json()
    assert me["result"] == [client.get("/unified/user-directory/users/users-1").json()]


def test_a_late_page_makes_no_more_records_than_an_early_one() -> None:
    made: list[str] = []

    def counted(columns: JsonColumns) -> list[bytes]:
        made.extend(columns["id"])
        return compact_objects(columns)

    with contextlib.closing(
        SandboxStore.open(None, records={("ticketing", "tickets"): 100_000})
    ) as store:
        store.encode = counted
        records = Records(store, "full", "ticketing", "tickets")
        for start in (0, 99_800):
            made.clear()
            assert [row.text[:8] for row in itertools.islice(records.rows(start), 100)] == [
                '{"id":"t'
            ] * 100
            assert made == [
                record_id("tickets", number) for number in range(start + 1, start + 101)
            ]


def test_a_resource_without_records_leaves_no_pointer_behind() -> None:
    world = SeededRecords("x", "full", {("ticketing", "users"): 0, ("ticketing", "accounts"): 0})
    ticket = one(world, "ticketing", "tickets", 1)
    assert (ticket["assignees"], ticket["created_by"], ticket["account"]) == ([], None, None)


@pytest.mark.parametrize("mapping", ["full", "remapped", "untimed"])
def test_records_made_together_are_those_made_one_after_another(
    catalogue: Catalogue, mapping: str
) -> None:
    counts = {
        ("user-directory", "users"): 0,
        ("ticketing", "contacts"): 1,
        ("ats", "jobs"): 100_000,
    }
    world = SeededRecords("x", mapping, counts)
    for api in catalogue.apis.values():
        for name in api.resources:
            numbers = (17, 3, *range(40, 60), 999, 1)
            together = SeededRecords("x", mapping, counts).records(api.name, name, numbers)
            assert together == [one(world, api.name, name, number) for number in numbers]
            assert [list(record) for record in together] == [
                list(one(world, api.name, name, 1))
            ] * len(numbers)


def test_both_ways_to_encode_give_the_same_bytes(
    catalogue: Catalogue, world: SeededRecords
) -> None:
    fast = SeededRecords("x", "full", {}, compact_objects)
    for api in catalogue.apis.values():
        for name in api.resources:
            assert fast.encoded(api.name, name, (1, 2, 3)) == world.encoded(
                api.name, name, (1, 2, 3)
            )


def test_a_seed_gives_the_records_that_earlier_versions_gave() -> None:
    records = SeededRecords("northwind", "full", {("ticketing", "tickets"): 5000})
    ticket = one(records, "ticketing", "tickets", 4321)
    assert {
        name: ticket[name]
        for name in ("name", "assignees", "status", "contact", "account", "created_at")
    } == {
        "name": "Invoice missing from search",
        "assignees": [
            {"id": "users-21", "name": "Claude Dubois"},
            {"id": "users-22", "name": "Dorothy Haddad"},
        ],
        "status": {"id": "ticket_status-3", "name": "resolved"},
        "contact": {"id": "contacts-78", "name": "Mónica Da Silva"},
        "account": {"id": "accounts-26", "name": "Stark & Söhne 2"},
        "created_at": "2024-06-01T08:12:43.000Z",
    }
    account = one(records, "ticketing", "accounts", 7)
    assert (account["etag"], account["updated_at"]) == ("32e54a57", "2024-08-07T20:51:37.000Z")
    application = one(records, "ats", "applications", 5)
    assert application["current_stage"] == {
        "id": "job_interview_stages-77",
        "name": "Phone screen 16",
    }
    assert application["reject_reason"] == "reject_reasons-3"
