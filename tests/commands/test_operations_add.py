"""`operations add` and `remove`: what a connection offers becomes commands, shown and
asked for first.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import offer, served
from published.publishing import ACCOUNT, PublishedService, Shape, publishing
from server import Seen, Service

Config = Callable[[str], Path]
SALES = """\
base_url = "sandbox:"
[profiles.hub]
account_id = "sales"
[profiles.shop]
account_id = "sales:shop"
[profiles.yard]
account_id = "sales:yard"
"""
NOW = 1_800_000_000.0
CONTACTS = {
    "operations": "list create get update search",
    "about": "People you sell to",
    "origin": "hub, sales, 2027-01-15T08:00:00Z",
}


@pytest.fixture
def home(config: Config) -> Path:
    """The configuration folder, with three connections that lead to a CRM."""
    return config(SALES).parent


def written(home: Path, name: str = "crm") -> Any:
    return tomllib.loads((home / "catalogue.d" / f"{name}.toml").read_text())


def test_an_offer_is_shown_and_written_with_its_origin(unified: Unified, home: Path) -> None:
    refused = unified("operations add crm -p hub")
    assert refused.code == 2
    path = home / "catalogue.d" / "crm.toml"
    assert refused.stderr == (
        f"error: nothing added: cannot ask whether to add 8 operations to {path} (add --yes)\n"
    )
    assert not path.exists()
    result = unified("operations add crm -p hub --yes", wall=lambda: NOW)
    assert result.code == 0
    assert result.stdout == refused.stdout
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert ["\t".join(row[:4]) for row in rows] == [
        "crm contacts list\tGET\t/unified/crm/contacts\treads a list",
        "crm contacts create\tPOST\t/unified/crm/contacts\twrites",
        "crm contacts get\tGET\t/unified/crm/contacts/{id}\treads",
        "crm contacts update\tPATCH\t/unified/crm/contacts/{id}\twrites",
        "crm contacts search\tPOST\t/unified/crm/contacts/search\treads a list",
        "crm deals list\tGET\t/unified/crm/deals\treads a list",
        "crm deals get\tGET\t/unified/crm/deals/{id}\treads",
        "crm deals win\tPOST\t/unified/crm/deals/win\tunknown, not repeated",
    ]
    assert result.stderr == f"added 8 operations of crm to {path} (unified crm --help)\n"
    assert path.stat().st_mode & 0o777 == 0o600
    found = written(home)
    assert found["api"]["crm"]["title"] == "Unified CRM API"
    assert found["api"]["crm"]["resources"]["contacts"] == CONTACTS
    assert found["known"]["crm"]["deals"]["body"] == {"win": "id! note"}
    # All that is written was shown.
    for command, method, _, _, query, fields in rows:
        known = found["known"]["crm"][command.split()[1]]
        name = command.split()[2]
        assert query == known.get("query", {}).get(name, "")
        body = known.get("body", {}).get(name, "")
        assert fields == (body if method in ("POST", "PATCH") else known["fields"])
    again = unified("operations add crm -p hub --yes")
    assert (again.code, again.stdout) == (0, "")
    assert again.stderr == "nothing to add: the catalogue already has all of these operations\n"


def test_a_terminal_shows_the_fields_before_it_asks(unified: Unified, home: Path) -> None:
    no = unified("operations add crm/deals -p hub", tty=True, stdin=b"n\n")
    shown = re.sub(r"\x1b\[\d*m", "", no.stdout)
    assert "crm deals win   POST    /unified/crm/deals/win   unknown, not repeated" in shown
    assert "COMMAND         PARAMETERS            FIELDS" in shown
    assert "status=open|won|lost" in shown
    assert "crm deals win                         id! note" in shown
    assert "add 3 operations" in no.stderr
    assert not (home / "catalogue.d").exists()


def test_a_terminal_asks(unified: Unified, home: Path) -> None:
    no = unified("operations add crm/deals -p hub", tty=True, stdin=b"n\n")
    assert (no.code, (home / "catalogue.d").exists()) == (2, False)
    yes = unified("operations add crm/deals -p hub", tty=True, stdin=b"y\n")
    assert yes.code == 0
    assert [*written(home)["api"]["crm"]["resources"]] == ["deals"]


def test_entries_that_the_user_wrote_stay(unified: Unified, home: Path) -> None:
    assert unified("operations add crm/deals -p hub --yes", wall=lambda: NOW).code == 0
    path = home / "catalogue.d" / "crm.toml"
    own = path.read_text().replace('"list get win"', '"list win", safe = "win"  ')
    path.write_text(f"# mine\n{own}")
    assert unified("operations add crm -p shop --yes", wall=lambda: NOW).code == 0
    assert path.read_text().startswith("# mine\n")
    resources = written(home)["api"]["crm"]["resources"]
    assert resources["contacts"] == {**CONTACTS, "origin": "shop, sales:shop, 2027-01-15T08:00:00Z"}
    assert resources["deals"]["operations"] == "list win get"
    assert resources["deals"]["safe"] == "win"
    assert resources["deals"]["origin"] == (
        "hub, sales, 2027-01-15T08:00:00Z; shop, sales:shop, 2027-01-15T08:00:00Z"
    )
    listed = unified("operations crm deals -o json").json["operations"]
    assert {one["operation"]: one["outward"] for one in listed} == {
        "list": False, "get": False, "win": False,
    }  # fmt: skip


def test_a_method_may_have_any_effect_until_the_file_says_otherwise(
    unified: Unified, home: Path
) -> None:
    assert unified("operations add crm/deals -p hub --yes").code == 0
    path = home / "catalogue.d" / "crm.toml"
    text = path.read_text()

    def win() -> tuple[bool, str]:
        (one,) = unified("operations win -o json").json["operations"]
        return one["outward"], unified("crm deals win --help").stdout

    outward, page = win()
    assert (outward, "Its effects are not known" in page) == (True, True)
    for word, asks in (("safe", True), ("read", False)):
        path.write_text(text.replace('win", ', f'win", {word} = "win", '))
        outward, page = win()
        assert (outward, "not known" in page) == (False, False)
        several = unified("crm deals win -f id=deals-1 -p hub -p shop")
        assert (several.code == 2) == asks


def test_remove_takes_back_what_was_added(unified: Unified, home: Path) -> None:
    assert unified("operations add crm -p hub --yes").code == 0
    path = home / "catalogue.d" / "crm.toml"
    result = unified("operations remove crm/deals")
    assert (result.code, result.stderr) == (0, f"removed crm/deals from {path}\n")
    assert [*written(home)["api"]["crm"]["resources"], *written(home)["known"]["crm"]] == [
        "contacts",
        "contacts",
    ]
    assert unified("crm deals list -p hub").code == 2
    gone = unified("operations remove crm/deals")
    assert (gone.code, gone.stderr) == (
        2,
        (
            f"error: {path} has no crm/deals (unified operations --source shows the file of each"
            " operation)\n"
        ),
    )
    assert unified("operations remove crm", tty=True, stdin=b"n\n").code == 2
    assert unified("operations remove crm").code == 0
    assert not path.exists()
    assert unified("crm contacts list -p hub").code == 2
    for name in ("crm", "crm/deals", "ticketing", "nothing"):
        again = unified(f"operations remove {name}")
        none = f"no operations of {name.partition('/')[0]} were added"
        hint = "unified operations --source shows the file of each operation"
        assert (again.code, again.stderr) == (2, f"error: {none} ({hint})\n")


def test_a_method_of_a_known_resource_is_added_to_it(unified: Unified, home: Path) -> None:
    assert unified("operations add ticketing/tickets -p hub --yes").code == 0
    assert "title" not in written(home, "ticketing")["api"]["ticketing"]
    page = unified("ticketing tickets --help").stdout
    assert ("  search  " in page, "  import  " in page) == (True, True)
    found = unified("ticketing tickets search -f query=e --limit 2 -p hub -o ids")
    assert (found.code, len(found.stdout.splitlines())) == (0, 2)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("hris", "the connection does not offer hris (unified capabilities -p hub SHOWS)"),
        (
            "crm/nothing",
            "the connection does not offer crm/nothing (unified capabilities -p hub SHOWS)",
        ),
        ("crm -p shop", "operations are added from one connection (give one name to -p)"),
    ],
)
def test_operations_that_cannot_be_added_are_refused(
    typed: str, said: str, unified: Unified, home: Path
) -> None:
    result = unified(f"operations add -p hub {typed} --yes")
    shown = said.replace("SHOWS", "shows what it offers")
    assert (result.code, result.stderr) == (2, f"error: {shown}\n")
    assert not (home / "catalogue.d").exists()


ODD = {
    "crm": {"contacts": ["list", "Merge", "a" * 65], "Deals": ["list"], "../x": ["list"]},
    "doctor": {"visits": ["list"]},
    "t": {"things": ["list"]},
    "E\x1b": {"x": ["list"]},
}


@pytest.fixture
def odd(service: Service) -> Service:
    def reply(seen: Seen) -> Any:
        if seen.path.endswith("/capabilities"):
            return served(offer(ODD))
        return served({"statusCode": 404, "error": "Not Found", "message": "no"}, 404)

    service.reply = reply
    return service


def test_names_that_no_command_can_have_are_refused_by_name(
    unified: Unified, odd: Service, config: Config
) -> None:
    home = config('[alias]\nt = "ticketing tickets"\n').parent

    def add(name: str) -> tuple[int, str]:
        result = unified(["operations", "add", name, "--yes"], environ=odd.environ)
        return result.code, result.stderr

    code, said = add("crm")
    left = f"crm/contacts Merge, crm/contacts {'a' * 65}, crm/Deals list, crm/../x list"
    assert code == 0
    assert said.splitlines()[0] == f"not added, because no command can have the name: {left}"
    assert written(home)["api"]["crm"]["resources"] == {
        "contacts": {**written(home)["api"]["crm"]["resources"]["contacts"], "operations": "list"}
    }
    assert "known" not in written(home)
    assert add("crm/Deals") == (
        2, "error: not added, because no command can have the name: crm/Deals list\n",
    )  # fmt: skip
    assert add("doctor")[1] == (
        "error: doctor was not added: the program has a command named doctor\n"
    )
    assert add("t")[1].startswith("error: t was not added: an alias has this name")
    assert add("E\x1b") == (2, "error: no command can have the name 'E\\\\x1b'\n")
    assert [path.name for path in (home / "catalogue.d").glob("*.toml")] == ["crm.toml"]


META = {
    "method": "list",
    "schema": {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "stage": {"type": "string", "enum": ["lead", "customer"]},
            "odd name": {"type": "string"},
            "kind": {"enum": ["a b", "c|d"]},
            "owner": {"type": "object", "properties": {"id": {"type": "string"}}},
            "size": {"type": "integer"},
        },
    },
    "query_schema": {"type": "object", "properties": {"stage": {"type": "string"}}},
    "request_body_schema": None,
}


@pytest.fixture
def crm() -> Iterator[PublishedService]:
    with publishing() as service:
        entry = {
            "model": "crm",
            "model_label": "CRM\x1b[31m [bold]API[/bold]\nwith a second line",
            "resource": "contacts",
            "description": f"{'long ' * 100}\u202e",
            "methods": ["search", "list"],
        }
        service.change("capabilities", lambda body: {**body, "unified": [entry]})
        path = "/unified/crm/contacts/meta/list"
        service.answers["GET", path] = Shape("GET", path, 200, META)
        yield service


def test_texts_are_one_line_and_fields_those_that_meta_describes(
    unified: Unified, crm: PublishedService, tmp_path: Path
) -> None:
    result = unified("operations add crm --yes", environ=crm.environ(), wall=lambda: NOW)
    assert result.code == 0
    (path,) = (tmp_path / "config" / "catalogue.d").glob("*.toml")
    found = tomllib.loads(path.read_text())
    assert found["api"]["crm"]["title"] == "CRM [31m [bold]API[/bold] with a second line"
    contacts = found["api"]["crm"]["resources"]["contacts"]
    assert contacts["operations"] == "list search"
    assert contacts["about"] == ("long " * 40).strip()
    assert contacts["origin"] == f"{ACCOUNT}, 2027-01-15T08:00:00Z"
    assert found["known"]["crm"]["contacts"] == {
        "fields": "id stage=lead|customer kind owner:object size:number",
        "query": {"list": "stage"},
    }
    # The description of one connection is checked for every other.
    said = unified("crm contacts list -q stgae=lead", environ=crm.environ()).stderr
    assert said.startswith('"stgae" is not a known parameter of crm contacts list')
    page = unified("crm --help", tty=True, environ={"NO_COLOR": "1"}).stdout
    assert "CRM [31m [bold]API[/bold] with a second line" in page


def test_an_answer_to_meta_that_makes_no_sense_adds_no_fields(
    unified: Unified, crm: PublishedService, tmp_path: Path
) -> None:
    path = "/unified/crm/contacts/meta/list"
    crm.answers["GET", path] = Shape("GET", path, 200, [1])
    assert unified("operations add crm --yes", environ=crm.environ()).code == 0
    (file,) = (tmp_path / "config" / "catalogue.d").glob("*.toml")
    assert "known" not in tomllib.loads(file.read_text())


def test_a_file_that_cannot_be_used_is_left_alone(unified: Unified, home: Path) -> None:
    folder = home / "catalogue.d"
    folder.mkdir(mode=0o700)
    path = folder / "crm.toml"
    path.write_text("this is no TOML")
    path.chmod(0o600)
    result = unified("operations add crm -p hub --yes")
    assert result.code == 3
    assert result.stderr.splitlines()[-1].endswith("(repair or remove the file first)")
    assert path.read_text() == "this is no TOML"


def test_the_words_add_and_remove_can_still_be_searched_for(unified: Unified) -> None:
    found = unified("operations -- add").stdout.splitlines()
    assert any(line.startswith("user-directory groups add\t") for line in found)
    assert json.loads(unified("operations suspend -o json").stdout)["operations"]
