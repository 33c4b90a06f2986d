"""Fields of bodies and columns of imports that are near to a known one are named."""

from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

SAID = '"{}" is not a known field of {}: the provider may ignore it (did you mean "{}"?)\n'
TYPED = {
    "ticketing tags create -f nmae=x": ("nmae", "ticketing tags create", "name"),
    'ticketing tags create -d \'{"colour":"x"}\'': ("colour", "ticketing tags create", "color"),
    "ticketing tags update tags-1 -F colro=1": ("colro", "ticketing tags update", "color"),
    "ticketing tags update - -f colro=x": ("colro", "ticketing tags update", "color"),
    "user-directory users suspend -f usr_id=users-1": (
        "usr_id",
        "user-directory users suspend",
        "user_id",
    ),
    "-p a -p b ticketing tags create -f nmae=x --yes": ("nmae", "ticketing tags create", "name"),
}
CONFIG = """rate = 0
[profiles.a]
base_url = "sandbox:"
account_id = "full:a"
[profiles.b]
base_url = "sandbox:"
account_id = "full:b"
"""


@pytest.mark.parametrize("typed", TYPED)
def test_a_misspelt_field_is_named_and_sent(typed: str, unified: Unified, config: object) -> None:
    assert callable(config)
    config(CONFIG)
    words = typed if typed.startswith("-p") else f"-p a {typed}"
    result = unified(words, stdin=b"tags-1\n")
    assert SAID.format(*TYPED[typed]) in result.stderr, result.stderr
    strict = unified(f"{words} --strict", stdin=b"tags-1\n")
    name, command, meant = TYPED[typed]
    assert (strict.code, strict.stdout) == (2, "")
    assert strict.stderr == (
        f'error: "{name}" is not a known field of {command} (did you mean "{meant}"?)\n'
    )


OBJECTS = {
    "ticketing tickets update tickets-1 -f status=closed": ("status", "status[name]"),
    "ticketing tickets update - -f status=closed": ("status", "status[name]"),
    "ticketing tickets create -f name=x -f priority=high": ("priority", "priority[id]"),
    'ticketing tickets create -d \'{"name":"x","contact":"c-1"}\'': ("contact", "contact[id]"),
    "-p a -p b ticketing tickets create -f priority=high --yes": ("priority", "priority[id]"),
}


@pytest.mark.parametrize("typed", OBJECTS)
def test_a_text_for_an_object_is_named_and_sent(
    typed: str, unified: Unified, config: object
) -> None:
    assert callable(config)
    config(CONFIG)
    name, meant = OBJECTS[typed]
    words = typed if typed.startswith("-p") else f"-p a {typed}"
    said = f'"{name}" is an object, not a text'
    result = unified(words, stdin=b"tickets-1\n")
    assert f'{said}: the provider may ignore it (did you mean "{meant}"?)\n' in result.stderr
    strict = unified(f"{words} --strict", stdin=b"tickets-1\n")
    assert (strict.code, strict.stdout) == (2, "")
    assert strict.stderr == f'error: {said} (did you mean "{meant}"?)\n'


def test_an_object_for_an_object_is_not_named(unified: Unified) -> None:
    result = unified("-p sandbox ticketing tickets update tickets-1 -f 'status[name]=open'")
    assert (result.stderr, result.code) == ("", 0)


@pytest.mark.parametrize(
    "typed",
    [
        "ticketing tags create -f name=x -f something_else=y",
        "ticketing tags create -f workspace_id=x",
        # Of every record, though not known of each resource.
        "knowledge-base pages create -f title=x -f created_at=x -f updated_at=x -f etag=x",
        "ticketing tags delete tags-1 --yes",
        "ticketing tags create -d '[]'",
    ],
)
def test_a_field_without_a_similar_name_gets_no_suggestion(
    typed: str, unified: Unified, service: Service
) -> None:
    result = unified(typed, environ=service.environ)
    assert (result.stderr, len(service.seen)) == ("", 1)


INPUTS = {
    "a.csv": "name , emial\nA,b\n",
    "a.tsv": "name\temial\nA\tb\n",
    "a.ndjson": '{"name":"A","emial":"b"}\n',
    "typed.csv": 'name,emial:json\nA,"""b"""\n',
}


@pytest.mark.parametrize("name", INPUTS)
def test_a_misspelt_column_is_named(
    name: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(201, b'{"id":"x"}')
    path = tmp_path / name
    path.write_text(INPUTS[name])
    command = f"import ticketing/contacts {path}{' --trim-header' if name == 'a.csv' else ''}"
    strict = unified(f"{command} --strict", environ=service.environ)
    assert (strict.code, service.seen) == (2, [])
    assert strict.stderr.endswith(
        'error: "emial" is not a known field of ticketing contacts create (did you mean'
        ' "emails"?)\n'
    )
    result = unified(command, environ=service.environ)
    assert (result.code, len(service.seen)) == (0, 1)
    assert SAID.format("emial", "ticketing contacts create", "emails") in result.stderr
    assert '"name"' not in result.stderr
