"""The page as HTML.

All values are escaped as text. The page's policy allows neither resources nor scripts.
"""

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from unified_cli.commands.report.page import ReportPage
from unified_cli.masking import excerpt
from unified_cli.plural import ago, counted, named

_PACKAGE = "unified_cli.commands.report"
_TEMPLATE, _STYLE = "page.html", "page.css"
_LONGEST = 200
"""The most characters of a name, so that a page of a thousand connections has at most
two megabytes.
"""
_FLUSH = 64 * 1024


class _Bounded(str):
    """A text with its own limit of characters."""

    __slots__ = ("limit",)
    limit: int


def document(page: ReportPage) -> Iterator[bytes]:
    """Yield the page in pieces."""
    style = files(_PACKAGE).joinpath(_STYLE).read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    # The hash allows only this style element and no style attributes.
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    template = _environment().get_template(_TEMPLATE)
    kept: list[str] = []
    size = 0
    # The style is a file of this package, and the only text that is not escaped.
    for piece in template.generate(page=page, policy=policy, style=Markup(style)):  # noqa: S704
        kept.append(piece)
        size += len(piece)
        if size > _FLUSH:
            yield "".join(kept).encode()
            kept, size = [], 0
    yield "".join(kept).encode()


@cache
def _environment() -> Environment:
    text = files(_PACKAGE).joinpath(_TEMPLATE).read_text("utf-8")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=DictLoader({_TEMPLATE: text}),
        finalize=_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "ago": ago,
        "counted": counted,
        "named": named,
        "upto": _limited,
        "time": _time,
    }
    return environment


def _text(value: object) -> object:
    """Return a value as text: secrets masked, control characters escaped, and cut."""
    if isinstance(value, Markup | int | float):
        return value
    return excerpt(str(value), value.limit if isinstance(value, _Bounded) else _LONGEST)


def _limited(text: str, limit: int) -> str:
    result = _Bounded(text)
    result.limit = limit
    return result


def _time(text: str) -> str:
    """Return a time in UTC to the minute.

    Returns the text itself if it is not a time.
    """
    return f"{text[:10]} {text[11:16]} UTC" if text[10:11] == "T" else text
