"""Bodies: the values of -d, -f and -F arrive, to the digit, or it is refused with the
place.
"""

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from hypothesis import given, settings, strategies as st
from server import Service

from unified_cli.http.request_body import BodyField, compose
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

CREATE = ["ticketing", "tickets", "create"]

texts = st.text(st.characters(exclude_categories=["Cs"]))
# An empty id is refused, so no name is that of an id.
names = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="[]="), min_size=1
).filter(lambda name: name != "id" and not name.endswith("_id"))
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values: st.SearchStrategy[Any] = st.deferred(
    lambda: leaves | st.lists(values, max_size=3) | st.dictionaries(texts, values, max_size=3)
)
flat = st.dictionaries(names, leaves, min_size=1, max_size=3)


@st.composite
def alike(draw: st.DrawFn) -> list[dict[str, Any]]:
    keys = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    return [{key: draw(leaves) for key in keys} for _ in range(draw(st.integers(1, 3)))]


trees: st.SearchStrategy[Any] = st.deferred(
    lambda: (
        leaves | st.lists(leaves, max_size=3) | alike() | st.dictionaries(names, trees, max_size=3)
    )
)


def runtime(stdin: bytes = b"") -> Runtime:
    return Runtime(stdin=io.BytesIO(stdin), stdout=None, stderr=Stderr(None), environ={})


def spelled(tree: Any, path: str) -> list[BodyField]:
    """The fields that build the tree: strings with -f, everything else with -F."""
    if isinstance(tree, dict) and tree:
        return [
            field for name, value in tree.items() for field in spelled(value, f"{path}[{name}]")
        ]
    if isinstance(tree, list) and tree:
        return [field for value in tree for field in spelled(value, f"{path}[]")]
    if isinstance(tree, str):
        return [BodyField(f"{path}={tree}", raw=True)]
    return [BodyField(f"{path}={json.dumps(tree)}", raw=False)]


@settings(max_examples=300)
@given(st.dictionaries(names, trees, min_size=1, max_size=3))
def test_fields_build_any_tree(tree: dict[str, Any]) -> None:
    fields = [field for name, value in tree.items() for field in spelled(value, name)]
    composed = compose(None, fields, runtime())
    assert composed is not None
    assert json.loads(composed) == tree


@settings(max_examples=300)
@given(values, st.sampled_from([None, 2]), st.booleans())
def test_a_typed_body_arrives_byte_for_byte(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert compose("-", [], runtime(text.encode())) == text.encode()


@settings(max_examples=100)
@given(st.dictionaries(names, values, max_size=3), flat)
def test_fields_go_over_the_template_and_leave_the_rest(
    template: dict[str, Any], over: dict[str, Any]
) -> None:
    fields = [field for name, value in over.items() for field in spelled(value, name)]
    composed = compose(json.dumps(template), fields, runtime())
    assert composed is not None
    assert json.loads(composed) == {**template, **over}


ALREADY = "this name already has a value of another type (leave out one of the two)"
BUILD = " (-f NAME=STRING and -F NAME=JSON build a body, -d @FILE reads a body from a file)"


@pytest.mark.parametrize(
    ("argv", "sent"),
    [
        (
            ["-F", "price=1.10", "-F", "n=12345678901234567890123", "-F", "e=1e400"],
            b'{"price":1.10,"n":12345678901234567890123,"e":1e400}',
        ),
        (
            ["-f", "price=1.10", "-f", "open=true", "-f", "none=null"],
            b'{"price":"1.10","open":"true","none":"null"}',
        ),
        (
            ["-F", "a=true", "-F", "b=null", "-F", "c=[]", "-F", 'd={"x": 1.50}'],
            b'{"a":true,"b":null,"c":[],"d":{"x": 1.50}}',
        ),
        (
            ["-F", "a=NaN", "-F", "b=01", "-F", "c=Nov", "-F", "d=-", "-F", "e=", "-F", "f=+49 30"],
            b'{"a":"NaN","b":"01","c":"Nov","d":"-","e":"","f":"+49 30"}',
        ),
        (
            ["-f", "a[b][c]=1", "-f", "a[b][d]=2", "-f", "l[]=x", "-f", "l[]=y"],
            b'{"a":{"b":{"c":"1","d":"2"}},"l":["x","y"]}',
        ),
        (
            ["-f", "l[][a]=1", "-f", "l[][b]=2", "-f", "l[][a]=3"],
            b'{"l":[{"a":"1","b":"2"},{"a":"3"}]}',
        ),
        (
            ["-d", '{"keep":1.10,"l":[1],"o":{"x":1}}', "-f", "l[]=y", "-F", "o[y]=2"],
            b'{"keep":1.10,"l":[1,"y"],"o":{"x":1,"y":2}}',
        ),
        (["-d", '\ufeff {"a": 1.10}\n'], b'{"a": 1.10}'),
        (["-d", '{"half":"\\ud83d"}'], b'{"half":"\\ud83d"}'),
        (["-d", '{"a":1,"a":2}'], b'{"a":1,"a":2}'),
        (["-d", "[1,2]"], b"[1,2]"),
        (["-d", "null"], b"null"),
        (["-f", "a=x=y"], b'{"a":"x=y"}'),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_the_typed_body_arrives_unchanged(
    argv: list[str], sent: bytes, unified: Unified, service: Service
) -> None:
    result = unified([*CREATE, *argv], environ=service.environ)
    assert (result.code, result.stderr) == (0, "")
    assert [seen.body for seen in service.seen] == [sent]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-f", "a[b=1"], "-f a[b=1: this bracket is not closed\n  -f a[b=1\n      ^"),
        (["-f", "a]=1"], "-f a]=1: only [name] may follow\n  -f a]=1\n      ^"),
        (["-F", "[a]=1"], "-F [a]=1: a name is missing here\n  -F [a]=1\n     ^"),
        (["-F", "=1"], "-F =1: a name is missing here\n  -F =1\n     ^"),
        (["-f", "a[b]x=1"], "-f a[b]x=1: only [name] may follow\n  -f a[b]x=1\n         ^"),
        (["-f", "a=1", "-f", "a[b]=2"], f"-f a[b]=2: {ALREADY}\n  -f a[b]=2\n     ^"),
        (["-f", "a[]=1", "-f", "a[b]=2"], f"-f a[b]=2: {ALREADY}\n  -f a[b]=2\n     ^"),
        (
            ["-d", '{"x":{"a":[]}}', "-f", "x[a][b]=2"],
            f"-f x[a][b]=2: {ALREADY}\n  -f x[a][b]=2\n      ^",
        ),
        (["-f", "a"], "-f 'a' needs a value (-f NAME=VALUE sets a field, -d @FILE sends a file)"),
        (
            ["-d", "[1]", "-f", "a=1"],
            "-f and -F set fields of an object, but the body given with -d is not an object",
        ),
        (
            ["-d", '{"half":"\\ud83d"}', "-f", "a=1"],
            "the body given with -d holds half a surrogate pair, so -f and -F cannot change it",
        ),
        (
            ["-d", ""],
            "the body given with -d is empty, but must be JSON (-d '{}' sends an empty object)",
        ),
        (
            ["-d", "-"],
            "the body given with -d is empty, but must be JSON (-d '{}' sends an empty object)",
        ),
        (["-d", "{"], f"the body given with -d is not JSON: Input data was truncated{BUILD}"),
        (
            ["-d", "{} {}"],
            f"the body given with -d is not JSON: trailing characters (byte 4){BUILD}",
        ),
        (
            ["-d", "!!python/object/apply:os.system ['true']"],
            f"the body given with -d is not JSON: invalid character (byte 0){BUILD}",
        ),
        (["-d", "[" * 100_000], f"the body given with -d is nested deeper than 200 levels{BUILD}"),
        (
            ["-f", "a" + "[b]" * 300 + "=1"],
            "-f a[b][b][b][b][b][b][b][b][b][b][b][b][b]…: deeper than 200 levels",
        ),
        (
            ["-d", "-", "-F", "a=@-"],
            "standard input can be read only once (use @FILE for the other options)",
        ),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_invalid_input_is_refused_with_the_place(
    argv: list[str], message: str, unified: Unified, service: Service
) -> None:
    result = unified([*CREATE, *argv], environ=service.environ)
    assert (result.code, result.stdout, service.seen) == (2, "", [])
    assert result.stderr == f"error: {message}\n"


def test_a_field_takes_a_files_text_or_its_bytes_in_base64(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("grüß\n", "utf-8")
    (tmp_path / "bytes").write_bytes(bytes(range(256)))
    argv = [
        "-F",
        f"body=@{tmp_path / 'text'}",
        "-F",
        f"data=@base64:{tmp_path / 'bytes'}",
        "-F",
        "more=@base64:-",
    ]
    assert unified([*CREATE, *argv], environ=service.environ, stdin=b"\xff").code == 0
    sent = service.seen[0].json
    assert sent == {
        "body": "grüß\n",
        "data": base64.b64encode(bytes(range(256))).decode(),
        "more": "/w==",
    }


def test_bytes_in_a_text_field_are_refused(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "bytes").write_bytes(b"ab\xff")
    result = unified([*CREATE, "-F", f"a=@{tmp_path / 'bytes'}"], environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert (
        result.stderr
        == f"error: {tmp_path / 'bytes'} is not UTF-8 at byte 2 (@base64:FILE sends bytes)\n"
    )


def test_a_missing_file_is_named(unified: Unified, service: Service, tmp_path: Path) -> None:
    result = unified([*CREATE, "-d", f"@{tmp_path / 'none'}"], environ=service.environ)
    assert (result.code, service.seen) == (11, [])
    assert result.stderr == f"error: cannot read {tmp_path / 'none'}: No such file or directory\n"


def test_a_closed_standard_input_is_refused_as_a_body(unified: Unified, service: Service) -> None:
    result = unified([*CREATE, "-d", "-"], environ=service.environ, stdin=None)
    assert (result.code, service.seen) == (2, [])
    assert result.stderr == "error: -d - reads standard input, which is closed\n"


@settings(max_examples=60)
@given(st.dictionaries(names, values, min_size=1, max_size=4))
def test_a_record_created_in_the_sandbox_comes_back_equal(
    unified: Unified, record: dict[str, Any]
) -> None:
    # Fields of the service's own are written by it, or have a type.
    record = {f"own_{name}": value for name, value in record.items()}
    made = unified(["-p", "sandbox", *CREATE, "-d", "-"], stdin=json.dumps(record).encode())
    assert made.code == 0, made.stderr
    assert {name: made.json[name] for name in record} == record


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("a={bad", "a is not JSON: expected '\"' (byte 1)"),
        ("a[b]=[1,", "a is not JSON: Input data was truncated"),
        ('a="x', "a is not JSON: Input data was truncated"),
        ("a=[urgent] x", "a is not JSON: invalid character (byte 1)"),
    ],
)
def test_a_value_that_begins_like_json_but_is_not_is_refused(
    field: str, wrong: str, unified: Unified, service: Service
) -> None:
    result = unified([*CREATE, "-F", field], environ=service.environ)
    assert (result.stdout, result.code) == ("", 2)
    assert result.stderr == f"error: -F {wrong} (use -f for text that only looks like JSON)\n"
    assert service.seen == []
    assert unified([*CREATE, "-f", field], environ=service.environ).code == 0
