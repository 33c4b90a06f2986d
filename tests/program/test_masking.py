"""Secrets are masked where text is made, in every form in which they may come back, and
sinks take no other text.
"""

import ast
import base64
import dataclasses
import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from inspect import get_annotations
from itertools import chain
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, get_type_hints
from urllib.parse import quote

import msgspec
import pytest

import unified_cli
from unified_cli import masking
from unified_cli.call import download_targets
from unified_cli.errors import ConfigError, UnifiedError, UsageError
from unified_cli.masking import MaskedText, cut, excerpt, hide, masked, visible
from unified_cli.output import screen, terminal

SECRET = "T0ken/with+signs=and_more"
ROOT = Path(unified_cli.__file__).parent
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "lower case": str.lower,
    "in a URL": lambda text: quote(text, safe=""),
    "in a path": quote,
    "each byte of a URL": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "in JSON": lambda text: text.replace("/", "\\/"),
    "each character of JSON": lambda text: "".join(f"\\u{ord(one):04X}" for one in text),
    "as a literal of Python": lambda text: "".join(f"\\x{ord(one):02x}" for one in text),
    "in HTML": lambda text: "".join(f"&#{ord(one)};" for one in text),
    "in HTML, hexadecimal": lambda text: "".join(f"&#x{ord(one):X};" for one in text),
    "backwards": lambda text: text[::-1],
    "backwards in JSON": lambda text: json.dumps(text[::-1]).strip('"').replace("/", "\\/"),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal, in capitals": lambda text: text.encode().hex().upper(),
    "every other one escaped": lambda text: "".join(
        quote(one, safe="") if at % 2 else f"%{ord(one):02x}" for at, one in enumerate(text)
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_masked_in_every_form(form: str) -> None:
    hide(SECRET)
    for before, after in (("", ""), ("Bearer ", "!"), ("a%20b ", ' \\n"'), ("ünï", "ö")):
        assert masked(f"{before}{FORMS[form](SECRET)}{after}") == f"{before}***{after}"


@pytest.mark.parametrize("before", ["", "u", "us", "user:", "Bearer "])
def test_a_secret_is_masked_in_base64(before: str) -> None:
    hide(SECRET)
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        found = masked(f"<{encode((before + SECRET).encode()).decode()}>")
        assert "***" in found
        # The first and the last characters may belong to the text beside the secret.
        assert len(found.replace("***", "")) <= len(base64.b64encode(before.encode())) + 6


@pytest.mark.parametrize("before", ["", "u", "us", "use", "user", "user:", "Bearer "])
def test_a_secret_is_masked_in_base32(before: str) -> None:
    hide(SECRET)
    for change in (str, str.lower):
        found = masked(f"<{change(base64.b32encode((before + SECRET).encode()).decode())}>")
        assert "***" in found
        assert len(found.replace("***", "")) <= len(base64.b32encode(before.encode())) + 8


@pytest.mark.parametrize("length", range(8, len(SECRET)))
def test_the_beginning_of_a_secret_is_masked_where_the_service_cut_it(length: int) -> None:
    hide(SECRET)
    for end in ("", " and more", "…"):
        assert masked(f"no: {SECRET[:length]}{end}") == f"no: ***{end}"


def test_several_secrets_that_begin_alike_are_masked_whole() -> None:
    for secret in (SECRET, SECRET[:12], f"{SECRET}-and-a-longer-one", "tiny", "päss/wörd"):
        hide(secret)
    text = f"{SECRET}-and-a-longer-one {SECRET} {SECRET[:12]} tiny {quote('päss/wörd')} päss/wörd"
    assert masked(text) == "*** *** *** *** *** ***"
    assert masked(f"{SECRET}{SECRET}") == "******"


def test_text_without_secrets_stays() -> None:
    hide("abc")
    hide("")
    hide(SECRET)
    begun = (
        f"{SECRET[:7].encode().hex()} {base64.b32encode(SECRET[:7].encode()).decode()[:11]}"
        f" {SECRET[::-1][:7]}"
    )
    text = f"abc {SECRET[:7]} {SECRET[1:]} {begun} 100% \\ & &#99999999; %zz \\u12"
    assert masked(text) == text


def test_a_text_is_masked_before_it_is_cut() -> None:
    hide(SECRET)
    for limit in range(1, 40):
        assert SECRET[:3] not in excerpt(f"no: {SECRET} is not the one", limit)
        assert SECRET[:3] not in cut(masked(f"no: {SECRET} is not the one"), limit)


def test_piled_marks_are_escaped_however_many_there_are() -> None:
    piled = "e" + "\u0301" * 50
    assert visible(piled) == "e" + "\u0301" * 4 + "\\u0301" * 46
    assert visible(f"{piled}\x1b\n", but="\n").endswith("\\u0301\\x1b\n")


def test_an_error_masks_its_text_when_it_is_made() -> None:
    hide(SECRET)
    error = ConfigError(f"no {SECRET}", hint=f"not {quote(SECRET)}")
    assert (error.reason, error.hint) == ("no ***", "not ***")
    assert (error.message, str(error)) == ("no *** (not ***)", "no *** (not ***)")
    assert SECRET not in repr((error, error.args, error.facts(), vars(UsageError(SECRET))))


def modules(word: str) -> Iterator[tuple[Path, ast.Module]]:
    """The modules that contain a word."""
    for path in ROOT.rglob("*.py"):
        if word in (text := path.read_text("utf-8")):
            yield path, ast.parse(text)


def test_only_the_module_of_masking_calls_a_text_masked() -> None:
    makers = [
        f"{path.name}:{node.lineno}"
        for path, tree in modules("MaskedText")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "MaskedText"
        if path != Path(masking.__file__)
    ]
    assert makers == []


WORDS = {"why", "error", "reason", "message", "hint"}


def sinks() -> Iterator[tuple[str, Any]]:
    """The fields for words about a run, of all that is written to a file, with their
    types.
    """
    places = (
        "commands/export",
        "commands/import_",
        "commands/move",
        "commands/operation",
        "exported",
        "writes",
    )
    folders = [(str(ROOT / name), f"unified_cli.{name.replace('/', '.')}.") for name in places]
    for found in chain.from_iterable(walk_packages([folder], prefix) for folder, prefix in folders):
        try:
            module = import_module(found.name)
        except ModuleNotFoundError as error:
            assert error.name in {  # noqa: PT017  the library of an extra
                "dask",
                "deltalake",
                "distributed",
                "pyarrow",
            }, error.name
            continue
        for kind in vars(module).values():
            stored = dataclasses.is_dataclass(kind) or (
                isinstance(kind, type) and issubclass(kind, msgspec.Struct)
            )
            if stored and isinstance(kind, type) and kind.__module__ == found.name:
                for name, annotation in get_annotations(kind).items():
                    if name in WORDS and "Error" not in str(annotation):
                        yield f"{kind.__name__}.{name}", annotation


def test_the_kept_text_of_a_failure_is_masked_by_its_type() -> None:
    found = dict(sinks())
    assert {
        "ManifestEntry.why",
        "DownloadEntry.error",
        "JournalEntry.why",
        "LineMark.why",
    } <= found.keys()
    plain = [
        name
        for name, annotation in found.items()
        if annotation not in (MaskedText, MaskedText | None)
    ]
    assert plain == []


def test_every_door_for_words_takes_masked_text() -> None:
    assert get_type_hints(download_targets.safe_name)["proposals"] is MaskedText
    for door in (screen.table, terminal.tabbed):
        assert "MaskedText" in str(get_type_hints(door)["rows"])
    error = UnifiedError("x")
    assert json.loads(json.dumps(error.facts()))["message"] == error.message


def test_secrets_that_several_threads_read_are_all_masked() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    names = [f"{number:04}-secret" for number in range(400)]
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(hide, names))
    finally:
        sys.setswitchinterval(before)
    assert masked(" ".join(names)) == " ".join(["***"] * len(names))


def test_unsafe_text_is_never_classified_as_harmless() -> None:
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    unsafe = masking.unsafe().findall("a".join(characters))
    known = {*unsafe}
    piled = masking.unsafe().findall(
        "".join(f"a{one * 5}" for one in characters[:0x10000] if one not in known)
    )
    assert (len(unsafe) > 2000, len(piled) > 100) == (True, True)
    assert [hex(ord(one)) for one in unsafe if masking.is_harmless(one)] == []
    assert [hex(ord(one)) for one in piled if masking.is_harmless(one * 5)] == []
    assert masking.is_harmless("Zoë, 東京, it's 20 °C 😀")
