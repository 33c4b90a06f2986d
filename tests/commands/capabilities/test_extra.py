"""Offers of a connection beyond the catalogue: other models, methods, and the
provider's own resources.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from junitparser import JUnitXml
from published.publishing import ACCOUNT, PublishedService, publishing, shape

from unified_cli.catalogue import load

MADE = "unified operations add crm ticketing/tickets"
METHODS = {"crm contacts": ["get", "list", "create", "search"],
           "ticketing tickets": ["list", "get", "search"]}  # fmt: skip
BESIDE = "1 resource of the provider (deals)"
WORDS = "crm/contacts (get, list, create, search), ticketing/tickets (search)"
COUNT = len([*load()])


def entry(model: str, resource: str, methods: list[Any], label: str) -> Any:
    return {
        "model": model,
        "model_label": label,
        "resource": resource,
        "description": f"The {resource} of Dealdesk",
        "docs_url": f"https://docs.example.com/{model}/{resource}",
        "methods": methods,
        "env_overridden": False,
    }


def of_crm(body: Any) -> Any:
    """A connection to a product for sales: four methods of a model that the catalogue
    lacks, three of tickets.
    """
    of_provider = shape("capabilities").body["proxy"][0]["methods"]
    return body | {
        "unified": [
            entry(*name.split(), methods, f"Unified {name.split()[0].title()} API")
            for name, methods in METHODS.items()
        ],
        "proxy": [{"resource": "deals", "methods": of_provider}],
    }


@pytest.fixture
def crm() -> Any:
    with publishing() as service:
        service.change("capabilities", of_crm)
        yield service


def extra(records: Any) -> dict[str, str]:
    return {
        f"{one['api']} {one['resource']} {one['operation']}": one["why"]
        for one in records
        if one["state"] == "extra"
    }


EXTRA = {
    **{f"crm contacts {name}": "run unified operations add crm/contacts to add this command"
       for name in METHODS["crm contacts"]},
    "ticketing tickets search": "run unified operations add ticketing/tickets to add this command",
    "proxy deals list": "unified request GET /proxy/deals",
    "proxy deals get": "unified request GET /proxy/deals/ID",
}  # fmt: skip


@pytest.mark.parametrize("form", ["json", "ndjson", "csv", "junit", "table", "markdown"])
def test_every_format_has_all_that_is_offered(
    form: str, unified: Unified, crm: PublishedService
) -> None:
    result = unified(f"capabilities -o {form}", environ=crm.environ())
    assert result.code == 0
    assert result.stderr == f"also offered: {WORDS}; {BESIDE} ({MADE})\n"
    if form == "json":
        found = result.json["capabilities"]
        assert len(found) == COUNT + len(EXTRA)
        assert extra(found) == EXTRA
        assert {*found[0]} == {*found[-1]}
    elif form == "ndjson":
        assert extra(map(json.loads, result.stdout.splitlines())) == EXTRA
    elif form == "csv":
        lines = [line.split(",") for line in result.stdout.splitlines()]
        assert {" ".join(one[1:4]): one[5] for one in lines if one[4] == "extra"} == EXTRA
    elif form == "junit":
        (suite,) = JUnitXml.fromstring(result.raw)
        assert (suite.failures, suite.errors) == (0, 0)
        skipped = {
            f"{one.classname} {one.name}".replace(".", " ") for one in suite if one.is_skipped
        }
        assert skipped >= {*EXTRA}
    else:
        assert {one for one in EXTRA if one in result.stdout} == {*EXTRA}


def test_the_named_operations_limit_the_extra_offers_too(
    unified: Unified, crm: PublishedService
) -> None:
    for what in ("ticketing", "ticketing/tickets"):
        result = unified(f"capabilities {what} -o json", environ=crm.environ())
        assert [*extra(result.json["capabilities"])] == ["ticketing tickets search"]
        assert result.stderr == (
            "also offered: ticketing/tickets (search) (unified operations add ticketing/tickets)\n"
        )
    assert unified("capabilities voice", environ=crm.environ()).stderr == ""


def test_a_terminal_names_it_below_the_exceptions(unified: Unified, crm: PublishedService) -> None:
    result = unified("capabilities ticketing --color never", environ=crm.environ(), tty=True)
    assert result.stdout.splitlines()[-1] == f"extra ticketing/tickets (search): {ACCOUNT}"
    assert result.stderr.splitlines()[-1].startswith("also offered: ticketing/tickets (search)")


def test_names_that_no_command_can_have_are_shown_and_not_proposed(
    unified: Unified, crm: PublishedService
) -> None:
    odd = [
        entry("crm", "Deals\x1b[31m", ["list"], "x"),
        entry("crm", "deals", ["../x"], "x"),
        entry("doctor", "visits", ["list"], "x"),
    ]
    crm.change("capabilities", lambda body: {**of_crm(body), "unified": odd, "proxy": []})
    result = unified("capabilities -o table", environ=crm.environ())
    assert "\x1b" not in result.stdout + result.stderr
    assert "crm deals ../x" in result.stdout
    said = "crm/Deals\\x1b[31m (list), crm/deals (../x), doctor/visits (list)"
    assert result.stderr == f"also offered: {said}\n"
    found = extra(unified("capabilities -o json", environ=crm.environ()).json["capabilities"])
    assert found["crm deals ../x"] == "no command can have this name"


def test_a_product_shows_it_too(unified: Unified, crm: PublishedService) -> None:
    crm.change("product-capabilities", of_crm)
    name = shape("product-capabilities").path.split("/")[2]
    result = unified(f"capabilities --product {name} -o json", environ=crm.environ())
    assert extra(result.json["capabilities"]) == EXTRA
    # No connection could be asked for what to add.
    assert result.stderr == f"also offered: {WORDS}; {BESIDE}\n"


def test_the_page_of_all_connections_shows_it(
    unified: Unified, crm: PublishedService, tmp_path: Path
) -> None:
    folders = {"config": tmp_path / "config", "cache": tmp_path / "cache"}
    world: Any = {"environ": crm.environ(), "folders": folders}
    asked = unified("report -o json", **world).json["offers"]["extra"]
    assert asked == [{"what": f"{WORDS}; {BESIDE}", "number": 1, "names": [ACCOUNT]}]
    crm.seen.clear()
    # Facts kept for a day show it as well.
    assert unified("report -o json", **world).json["offers"]["extra"] == asked
    assert not any(seen.path.endswith("/capabilities") for seen in crm.seen)


def test_a_connection_that_offers_nothing_else_has_no_last_line(unified: Unified) -> None:
    with publishing() as service:
        service.change("capabilities", lambda body: {**body, "proxy": []})
        assert unified("capabilities", environ=service.environ()).stderr == ""


def test_the_printed_command_keeps_the_account_that_was_given(unified: Unified) -> None:
    result = unified("-p sandbox capabilities ticketing/tickets -a sales")
    step = "operations add ticketing/tickets -p sandbox -a sales"
    assert (result.code, f"(unified {step})" in result.stderr) == (0, True), result.stderr
    assert unified(f"{step} --yes").code == 0
