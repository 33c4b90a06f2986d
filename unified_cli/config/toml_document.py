"""The config file's text while it is changed, with comments, order and blank lines preserved."""

from typing import Any

import tomlkit
from tomlkit.items import AoT, Null, Table as TomlTable

from unified_cli.config.draft import Draft, Table


class Document(Draft):
    """A draft that preserves the file's text."""

    data: tomlkit.TOMLDocument

    def __init__(self, text: str) -> None:
        super().__init__(tomlkit.parse(text if text.endswith("\n") or not text else f"{text}\n"))
        self._ended_blank = text.endswith("\n\n")

    def empty(self, *, outer: bool = False) -> Table:
        """A new table, `outer` if it only contains tables and needs no header."""
        return tomlkit.table(is_super_table=outer)

    def put_on_top(self, key: str, value: Any) -> None:
        """Add a key after the last one at the top; a comment below belongs to what follows."""
        body = self.data.body
        keys = [
            index
            for index, (name, item) in enumerate(body)
            if name is not None and not isinstance(item, (TomlTable, AoT, Null))
        ]
        item = tomlkit.item(value)
        item.trivia.trail = "\n"
        index = keys[-1] + 1 if keys else 0
        body.insert(index, (tomlkit.key(key), item))
        if not keys and len(body) > 1:
            body.insert(1, (None, tomlkit.ws("\n")))

    def text(self) -> str:
        """The changed text, without a new blank line at its end."""
        text = self.data.as_string()
        return text if self._ended_blank or not text.endswith("\n\n") else text.rstrip("\n") + "\n"
