"""The English of the project: turns that colleagues would not use may only become
fewer.

The list is that of the design. Another change may lower a limit, never raise it.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest
from front_door import ROOT

TURNS = re.compile(
    r"""
    (?-i:\b(?:is|are)\ none\b | \bnone\ is\b) | \b(?:nobody|somebody|whoever)\b
    | \bstands?\b(?!\ (?:between|out|still|up|alone|down)\b)(?!-)
    | \btold\b | \bso\ many\b | \bwhat\ is\b | \bgo(?:es)?\ on\b | \bas\ it\ were\b
    | \banother\ one\b | \bof\ ours\b | \bmeanwhile\b
    | \b(?:takes?|taken|took)\ (?:(?:it|that|this|them|an?\ \w+|the\ \w+)\ )?
      for\ (?:an?|the|what|granted|one|more|less|none|no)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""None is a value, and "none" a word."""
BEGINS_WITH_WHAT = re.compile(r"(?:^|(?<=[.:!?] )|(?<=\n))What\b(?![^.]*\?)")
WORD = re.compile(r"[a-z]{2,}(?: |$)")

LIMITS = {
    "comments and docstrings": 1,
    "messages": 1,
    "documents": 0,
    "comments of tests": 10,
    "names of tests": 10,
}
"""The most turns in 10,000 words."""


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yield the texts that stand alone, as those below a definition do."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def explained(source: str) -> Iterator[str]:
    """Yield the comments and docstrings of a module."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not re.match(r"#\s*(?:noqa|type:|!)", token.string):
            yield token.string.lstrip("# ")
    for text in docstrings(ast.parse(source)):
        if isinstance(text.value, str):
            yield " ".join(text.value.split())


def messages(source: str) -> Iterator[str]:
    """Yield the texts of a module that people may read: all of several words."""
    tree = ast.parse(source)
    explaining = {id(one) for one in docstrings(tree)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in explaining:
            continue
        if isinstance(node.value, str) and len(WORD.findall(node.value)) > 1:
            yield node.value


def names(source: str) -> Iterator[str]:
    """Yield the names of the tests of a module, as words."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name.replace("_", " ")


def documents() -> Iterator[str]:
    """Yield the documents, and the newest chapter of the changelog."""
    yield (ROOT / "README.md").read_text("utf-8")
    yield (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
    yield "".join((ROOT / "CHANGELOG.md").read_text("utf-8").split("\n## ")[:2])
    for path in sorted((ROOT / "unified_cli" / "commands" / "topics").glob("*.*")):
        yield path.read_text("utf-8")


def texts(kind: str) -> Iterator[str]:
    if kind == "documents":
        yield from documents()
        return
    folder = "tests" if "tests" in kind else "unified_cli"
    read = {"messages": messages, "names of tests": names}.get(kind, explained)
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield from read(path.read_text("utf-8"))


@pytest.mark.parametrize("kind", LIMITS)
def test_odd_turns_only_become_fewer(kind: str) -> None:
    words = odd = 0
    for text in texts(kind):
        words += len(text.split())
        odd += len(TURNS.findall(text)) + len(BEGINS_WITH_WHAT.findall(text))
    assert words > 1000
    assert odd / words * 10_000 <= LIMITS[kind]


def functions() -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions and methods of the package."""
    for path in sorted((ROOT / "unified_cli").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node


def test_docstrings_are_on_at_most_60_percent_of_the_functions() -> None:
    """A private function whose name says it all needs none."""
    documented = [ast.get_docstring(node) is not None for node in functions()]
    assert len(documented) > 1000
    assert sum(documented) / len(documented) <= 0.6
