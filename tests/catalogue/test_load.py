"""The catalogue: what its data may say, what follows from one line of it, and that the
known facts fit it.
"""

import ast
import io
import re
import shlex
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest

import unified_cli
from unified_cli import app
from unified_cli.catalogue import CatalogueError, load, read
from unified_cli.catalogue.known import known
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

CATALOGUE = load()


def of_api(name: str) -> str:
    """The file of an API, as tables of the whole catalogue."""
    text = files("unified_cli.catalogue").joinpath("apis", f"{name}.toml").read_text("utf-8")
    return re.sub(r"(?m)^\[", f"[api.{name}.", text)


WORDS = files("unified_cli.catalogue").joinpath("catalogue.toml").read_text("utf-8")
TEXT = "\n".join([WORDS, *map(of_api, CATALOGUE.apis)])
SHOP = f"""{TEXT[: TEXT.index("[api.")]}
[api.shop]
title = "Shop API"
about = "What a shop sells"

[api.shop.resources]
orders = {{ operations = "crud import", one = "an order", about = "What was bought" }}

[api.shop.actions]
"orders import" = "Bring in an order"
"""


def _texts(tree: ast.AST) -> Iterator[str]:
    """Every text that code holds, docstrings aside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = None


OWN = {
    ("results.py", "result"),
    ("run_output.py", "result"),
    ("checkpoint.py", "next_cursor"),
    ("jq_program.py", "result"),
    ("jq_program.py", "sort_by"),
    ("other_tools.py", "sort_by["),
}
"""Words of the service that mean something else here: members of printed or kept
records, and a function of jq. The options of other tools are answered by an example,
for which no catalogue is read.
"""


def test_the_words_of_the_service_are_in_the_catalogue_only() -> None:
    service = CATALOGUE.service
    # These are words of everyday use as well; the others are seen within a text, too.
    common = {service.prefix, service.items, service.schema}
    others = {one for one in service if "_" in one} | {service.capabilities.split("/")[1]}
    words = {word for text in service.connections for word in text.split()}
    others |= {word for word in words if "_" in word or word.count("/") > 1} - {
        *service.times.split()
    }
    others |= {service.connections.batch, service.connections.custom}
    found = [
        f"{path.name}: {text}"
        for path in Path(unified_cli.__file__).parent.rglob("*.py")
        for text in _texts(ast.parse(path.read_text("utf-8")))
        if (path.name, text) not in OWN
        if text in common or any(word in text for word in others)
    ]
    assert found == []


def test_reading_it_in_parts_gives_what_reading_it_whole_gives() -> None:
    whole = read(TEXT)
    assert CATALOGUE.service == whole.service
    parts, apis = CATALOGUE.apis.values(), whole.apis.values()
    assert [(one.name, one.title, one.about) for one in parts] == [
        (one.name, one.title, one.about) for one in apis
    ]
    assert [one.resources for one in parts] == [one.resources for one in apis]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"crud import"',
            '"crud import get"',
            "catalogue.toml: shop.orders: 'get' is listed twice",
        ),
        ('"crud import"', '""', "catalogue.toml: shop.orders: no operations"),
        (
            'one = "an order", about',
            'one = "an order", abuot',
            (
                "catalogue.toml: shop.orders: unknown key 'abuot' (known: about, one, operations,"
                " origin, read, safe)"
            ),
        ),
        (
            '"orders import"',
            '"orders imprt"',
            "catalogue.toml: shop.actions: no operation 'orders imprt'",
        ),
        (
            "[api.shop]",
            "[api.Shop]",
            "catalogue.toml: Shop: 'Shop' must be at most 64 lower-case letters, digits, dashes",
        ),
        ('= "result"', "= 7", "catalogue.toml: service: 'items' must be text"),
        ("[service]", "[service", "catalogue.toml: Expected ']'"),
        (
            '{ operations = "crud import"',
            "7 #",
            "catalogue.toml: shop.orders: expected words or a table, found 7",
        ),
        ("[api.shop.resources]", "[api.shop.things]", "catalogue.toml: shop: unknown key 'things'"),
    ],
)
def test_bad_data_is_refused_and_the_place_named(old: str, new: str, said: str) -> None:
    assert old in SHOP
    with pytest.raises(CatalogueError) as caught:
        read(SHOP.replace(old, new))
    assert str(caught.value).startswith(said)


def test_a_resource_may_be_just_its_words() -> None:
    text = SHOP.replace(
        '{ operations = "crud import", one = "an order", about = "What was bought" }',
        '"list get import"',
    )
    assert [*read(text).apis["shop"].resources["orders"].operations] == ["list", "get", "import"]


def test_a_request_line_finds_its_operation() -> None:
    for operation in CATALOGUE:
        path = operation.path.replace("{id}", "a%2Fb")
        expected = "a%2Fb" if operation.takes_id else None
        assert CATALOGUE.match(operation.method, path) == (operation, expected)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/unified/ticketing"),
        ("GET", "/unified/ticketing/tickets/1/2"),
        ("GET", "/unified/nothing/tickets"),
        ("GET", "/other/ticketing/tickets"),
        ("PUT", "/unified/ticketing/tickets"),
        ("GET", "/unified/ticketing/tickets/"),
        ("POST", "/unified/user-directory/me"),
    ],
)
def test_any_other_request_line_finds_nothing(method: str, path: str) -> None:
    assert CATALOGUE.match(method, path) is None


def test_known_facts_are_about_resources_and_operations_that_exist() -> None:
    for api in CATALOGUE.apis.values():
        for resource in api.resources.values():
            facts = known(api.name, resource.name)
            assert {one.references for one in facts.fields if one.references} <= set(api.resources)
            assert {*facts.query, *facts.body, *facts.example} <= set(resource.operations)


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str], tuple[str, str]]:
    """The program with one line of its catalogue changed."""
    text, found = re.subn(
        r"^calls .*$",
        'calls = { operations = "crud redial", one = "a call" }',
        TEXT,
        flags=re.MULTILINE,
    )
    assert found == 1
    catalogue = read(text)

    def run(command: str) -> tuple[str, str]:
        stdout, stderr = io.BytesIO(), io.BytesIO()
        folders = {"config": tmp_path, "data": tmp_path}
        runtime = Runtime(io.BytesIO(), stdout, Stderr(stderr), {}, folders=folders)
        if work := app.read(shlex.split(command), runtime, catalogue):
            work()
        return stdout.getvalue().decode(), stderr.getvalue().decode()

    return run


def test_one_changed_line_gives_command_help_sandbox_route_and_row(
    changed: Callable[[str], tuple[str, str]],
) -> None:
    help_page, _ = changed("voice calls redial --help")
    assert "POST /unified/voice/calls/redial" in help_page
    assert "unified -p sandbox voice calls redial -f id=calls-1" in help_page
    made, said = changed("-p sandbox voice calls create -f name=Hello")
    assert '"name":"Hello"' in made
    answer, said = changed("-p sandbox voice calls redial -f id=calls-1")
    assert ('"id":"calls-1"' in answer, said) == (True, "")
    rows, _ = changed("operations redial")
    assert rows == "voice calls redial\tPOST\t/unified/voice/calls/redial\tRun redial on calls\n"
