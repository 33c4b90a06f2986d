"""The columns of `--columns`: paths into records, and the message for those that no
record has.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

from unified_cli.json_text.members import Record, parts
from unified_cli.json_text.record_columns import pick

LIST = "ticketing tickets list"
RECORD = b"""{"id":"1","status":{"name":"open"},
"tags":[{"name":"a","n":[1,2]},{"name":"b"},{}],"none":null,
"empty":[],"a.b":{"c":1},"x[0]":2,"words":["u","v"],"deep":[[{"k":1}],[{"k":2}]]}"""


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id", b'"1"'),
        ("status.name", b'"open"'),
        ("tags.name", b'["a","b",null]'),
        ("tags[].name", b'["a","b",null]'),
        ("tags[1].name", b'"b"'),
        ("tags[0].n[1]", b"2"),
        ("tags[7].name", b"null"),
        ("words[1]", b'"v"'),
        ("deep[1][0].k", b"2"),
        ("deep.k", b"[[1],[2]]"),
        ("empty.name", b"[]"),
        ("empty[0].name", b"null"),
        ("none.name", b"null"),
        ("a.b.c", b"1"),
        ("x[0]", b"2"),
        ("tags.nmae", None),
        ("status.nmae", None),
        ("id.name", None),
        ("id[0]", None),
        ("nmae", None),
        ("nmae[0]", None),
        ("tags[-1]", None),
        (".", None),
        ("[0]", None),
        ("tags.", None),
    ],
)
def test_a_path_leads_into_objects_and_lists(column: str, value: bytes | None) -> None:
    members = parts(Record(RECORD))
    assert members is not None
    assert pick(members, column) == value


def pages(*pages: Sequence[str]) -> list[Reply]:
    """The pages of a list, each with these records."""
    cursors = [*(f'"c{number}"' for number in range(1, len(pages))), "null"]
    texts = (
        f'{{"result":[{",".join(page)}],"next_cursor":{cursor}}}'
        for page, cursor in zip(pages, cursors, strict=True)
    )
    return [Reply(body=text.encode()) for text in texts]


def answer(service: Service, *replies: Reply) -> None:
    """Have the service answer so, one after the other."""
    following = iter(replies)
    service.reply = lambda _: next(following)


FORMATS = {
    "csv": 'id,nmae,tags.name\n1,,"[""a""]"\n2,,[]\n',
    "tsv": 'id\tnmae\ttags.name\n1\t\t["a"]\n2\t\t[]\n',
    "table": "ID  NMAE  TAGS.NAME\n1         a\n2\n",
    "ndjson": '{"id":"1","nmae":null,"tags.name":["a"]}\n{"id":"2","nmae":null,"tags.name":[]}\n',
    "json": (
        '{"result": [\n{"id":"1","nmae":null,"tags.name":["a"]},\n'
        '{"id":"2","nmae":null,"tags.name":[]}\n], "next_cursor": null}\n'
    ),
    "yaml": (
        "result:\n- id: '1'\n  nmae: null\n  tags.name:\n  - a\n- id: '2'\n  nmae: null\n "
        " tags.name: []\nnext_cursor: null\n"
    ),
}


@pytest.mark.parametrize("more", ["", "--all", "--limit 9"])
@pytest.mark.parametrize("form", FORMATS)
def test_a_column_in_no_record_is_named_with_the_nearest_one(
    form: str, more: str, unified: Unified, service: Service
) -> None:
    answer(
        service,
        *pages(['{"id":"1","name":"x","tags":[{"name":"a"}]}', '{"id":"2","name":"y","tags":[]}']),
    )
    result = unified(
        f"{LIST} --columns id,nmae,tags.name -o {form} {more}", environ=service.environ
    )
    # In rows, which programs read, it is missing.
    rows = form in {"csv", "tsv"}
    assert (result.stdout, result.code) == (FORMATS[form], 9 if rows else 0)
    complete = "complete: 2 records in 1 page\n" if more else ""
    said = 'no record has the column "nmae" (did you mean "name"?)\n'
    assert result.stderr == (f"{complete}error: {said}" if rows else f"{said}{complete}")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", [LIST, f"{LIST} --all", "ticketing tickets get 1"])
def test_nothing_is_printed_where_no_record_has_any_of_the_columns(
    command: str, form: str, unified: Unified, service: Service
) -> None:
    record = '{"id":"1","label":"x"}'
    answer(service, Reply(body=record.encode()) if " get " in command else pages([record])[0])
    result = unified(
        f"{command} --columns lable,label.text,nmae -o {form}", environ=service.environ
    )
    assert (result.stdout, result.code) == ("", 2)
    said = (
        'no record has any of the columns "lable", "label.text", "nmae" (did you mean "label",'
        ' "name"?)'
    )
    assert said in result.stderr.replace("\\", "")


def test_a_column_that_appears_late_is_accepted(unified: Unified, service: Service) -> None:
    answer(service, *pages(['{"id":"1"}'], ['{"id":"2","due":"now"}']))
    result = unified(f"{LIST} --all --columns due -o csv", environ=service.environ)
    assert (result.stdout, result.stderr) == ('due\n""\nnow\n', "complete: 2 records in 2 pages\n")


@pytest.mark.parametrize("form", FORMATS)
def test_an_empty_list_has_no_wrong_columns(form: str, unified: Unified, service: Service) -> None:
    answer(service, *pages([]))
    result = unified(f"{LIST} --columns nmae -o {form} --quiet", environ=service.environ)
    assert (result.stderr, result.code) == ("", 0)


def test_a_known_field_without_values_is_reported_without_a_guess(
    unified: Unified, service: Service
) -> None:
    answer(service, *pages(['{"id":"1","nom":"x"}']))
    result = unified(f"{LIST} --columns id,name -o csv", environ=service.environ)
    assert (result.stderr, result.code) == ('no record has the column "name"\n', 0)


def test_an_unknown_column_gets_the_list_of_columns(unified: Unified, service: Service) -> None:
    answer(service, *pages(['{"id":"1","label\\u001b[2J":{"x":1}}']))
    result = unified(f"{LIST} --columns zzz -o csv", environ=service.environ)
    assert (
        result.stderr
        == 'error: no record has the column "zzz" (the columns are id, label\\x1b[2J)\n'
    )


def test_several_connections_are_one_result(
    unified: Unified, config: Callable[[str], Path]
) -> None:
    config(
        '[profiles.a]\nbase_url="sandbox:"\naccount_id="empty"\n[profiles.b]\nbase_url="sandbox:"\naccount_id="full"'
    )
    some = unified("-p a -p b ticketing tickets list --columns id,nmae -o csv --quiet")
    assert (some.stdout.splitlines()[:2], some.code) == (["_profile,id,nmae", "b,tickets-1,"], 9)
    none = unified("-p a -p b ticketing tickets list --columns nmae -o csv --quiet")
    assert (none.stdout, none.code) == ("", 2)
    assert none.stderr == 'error: no record has the column "nmae" (did you mean "name"?)\n'


def test_a_connection_that_failed_may_have_the_columns(
    unified: Unified, config: Callable[[str], Path]
) -> None:
    config(
        '[profiles.a]\nbase_url="sandbox:"\naccount_id="dead-provider"\n'
        '[profiles.b]\nbase_url="sandbox:"\naccount_id="full"'
    )
    result = unified("-p a -p b ticketing tickets list --columns nmae -o csv --quiet --retries 0")
    assert (result.stdout, result.code) == ("", 9)
    assert "a: the service" in result.stderr or "a: the provider" in result.stderr
    assert result.stderr.endswith(
        'error: 1 of 2 connections failed: a; no record has the column "nmae" (did you mean'
        ' "name"?)\n'
    )


@pytest.mark.parametrize("command", ["create -f name=x", "update - -f name=x"])
def test_missing_columns_are_not_an_error_after_a_write(command: str, unified: Unified) -> None:
    result = unified(
        f"-p sandbox ticketing tickets {command} --columns nmae -o ndjson", stdin=b"tickets-1\n"
    )
    assert (result.stdout, result.code) == ('{"nmae":null}\n', 0)
    assert result.stderr == 'no record has the column "nmae" (did you mean "name"?)\n'


def test_a_file_with_blank_columns_only_is_not_written(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    answer(service, *pages(['{"id":"1","name":"x"}'], ['{"id":"2","name":"y"}']))
    result = unified(
        f"{LIST} --all --columns nmae -o csv --out {tmp_path}/t.csv", environ=service.environ
    )
    assert (result.stderr, result.code) == (
        'error: no record has the column "nmae" (did you mean "name"?)\n',
        2,
    )
    assert [one.name for one in tmp_path.glob("*t.csv*")] == []


def test_columns_of_a_file_are_remembered_by_a_run_that_resumes(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    first, second, third = pages(['{"id":"1","due":"now"}'], ['{"id":"2"}'], ['{"id":"3"}'])
    command = f"{LIST} --all --columns due,nmae -o csv --out {tmp_path}/t.csv --retries 0"
    answer(service, first, Reply(500))
    assert unified(command, environ=service.environ).code == 5
    answer(service, second, third)
    result = unified(command, environ=service.environ)
    assert result.code == 9
    assert 'no record has the column "nmae"' in result.stderr
    assert '"due"' not in result.stderr


def test_columns_apply_to_the_records_in_an_actions_answer(
    unified: Unified, service: Service
) -> None:
    answer(service, Reply(body=b'{"result":{"id":"1","name":"x"}}'))
    result = unified(
        "ticketing tickets import -f a=b --columns name -o json", environ=service.environ
    )
    assert (result.stdout, result.stderr) == ('{"name":"x"}\n', "")
