"""The generated documents: the committed ones match the code."""

import re

import pytest
from entries import ENTRIES

from unified_cli.catalogue import load
from unified_cli.docs import documents
from unified_cli.docs.completion import FILES, grammar, script
from unified_cli.docs.documents import ROOT, generated

CATALOGUE = load()


def test_the_committed_documents_match_the_code() -> None:
    documents = dict(generated(CATALOGUE, ENTRIES))
    assert len(documents) > 5
    stale = [path.name for path, text in documents.items() if path.read_text("utf-8") != text]
    assert stale == [], "run: python -m unified_cli.docs --write"


PAGE = (ROOT / documents.CONTRIBUTING).read_text("utf-8")


def test_the_page_for_contributors_has_each_region_once() -> None:
    assert all(PAGE.count(f"<!-- generated: {name} -->") == 1 for name in documents.regions())


def test_a_region_left_out_is_an_error() -> None:
    with pytest.raises(ValueError, match="has the regions"):
        documents.filled(PAGE.replace("<!-- generated: layers -->", ""))


def test_filling_changes_only_the_regions() -> None:
    spoilt = PAGE.replace("| `commands` |", "| by hand |")
    assert spoilt != PAGE
    assert documents.filled(spoilt) == PAGE


@pytest.mark.parametrize("shell", FILES)
def test_a_script_starts_no_program_and_evaluates_nothing(shell: str) -> None:
    text = "\n".join(
        line
        for line in script(shell, CATALOGUE, ENTRIES).splitlines()
        if not line.lstrip().startswith("#")
    )
    for word in ("eval ", "Invoke-Expression", "python", "$(unified", "`unified", "curl -"):
        assert word not in text


def test_completion_knows_each_kind_of_value() -> None:
    known = grammar(CATALOGUE, ENTRIES)
    kinds = {
        "",
        "file",
        "folder",
        "@file",
        "profile",
        "connection",
        "record",
        "column",
        "parameter",
        "field",
        "field@file",
        "run",
        "last-run",
        "api/resource",
        "offered",
        "added",
    }
    words = re.compile(r"[\w./-]+=?([ |][\w./-]+=?)+|curl|id")
    everything = {
        *known.values.values(),
        *(kind for kinds in known.arguments.values() for kind in kinds),
    }
    assert {kind for kind in everything - kinds if not words.fullmatch(kind)} == set()
