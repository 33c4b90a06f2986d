"""A page of `unified report` as a browser reads it: its elements, its texts, its
policy.
"""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

_EMPTY = {"meta", "rect", "path", "circle", "br"}


class ReadPage(HTMLParser):
    """The elements of a page with their attributes, in their order, and the texts
    between them.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.text = path.read_text("utf-8")
        self.elements: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.style = ""
        self.feed(self.text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(attrs)))
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        elif data.strip():
            self.texts.append(" ".join(data.split()))

    @property
    def words(self) -> str:
        """All that it says."""
        return " ".join(self.texts)

    @property
    def tags(self) -> set[str]:
        """The elements of the page."""
        return {tag for tag, _ in self.elements}

    @property
    def attributes(self) -> set[str]:
        """The attributes of the page."""
        return {name for _, attributes in self.elements for name, _ in attributes}

    @property
    def policy(self) -> str:
        """The content security policy."""
        (found,) = [dict(a)["content"] for tag, a in self.elements if dict(a).get("http-equiv")]
        return found or ""

    @property
    def style_hash(self) -> str:
        """The hash of the style as a policy writes it."""
        return f"'sha256-{base64.b64encode(hashlib.sha256(self.style.encode()).digest()).decode()}'"

    def tile(self, name: str) -> int:
        """The number in the tile of that name."""
        found = re.search(rf"(\d+) {name}", self.words)
        assert found
        return int(found[1])


def cells_of(report: Any, name: str) -> dict[str, str]:
    """The map's entry for each resource of a connection."""
    letter = next(one["offers"] for one in report["connections"] if one["name"] == name)
    at = [one["letter"] for one in report["offers"]["columns"]].index(letter)
    rows = report["offers"]["rows"].items()
    return {
        f"{api}/{resource}": row["cells"][at]
        for api, of in rows
        for row in of
        for resource in row["resources"]
    }
