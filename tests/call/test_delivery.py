"""How a result is delivered is one value, decided from the options; what means nothing
is refused, for every combination there is.
"""

from collections import Counter
from typing import Any

import pytest
from combinations import FORMATS, KINDS, MODES, OUTS, SWITCHES, Combination, every

from unified_cli import app
from unified_cli.call import Delivery, Mode, Place, delivery
from unified_cli.call.delivery import Asked
from unified_cli.catalogue import load
from unified_cli.cli import tree
from unified_cli.commands.operation.mode import mode_of
from unified_cli.errors import UsageError
from unified_cli.output import formats
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

CATALOGUE = load()
NOWHERE = Runtime(stdin=None, stdout=None, stderr=Stderr(None), environ={}, columns=80, folders={})
PLACES = {"none": Place.STDOUT, "-": Place.STDOUT, "file": Place.FILE, "folder": Place.FOLDER}
PLAIN = Combination("", "", "json", "none", "config", *[False] * len(SWITCHES))


def asked(kind: str, mode: str) -> Asked | None:
    """The delivery of a kind of operation in a mode; None where the command line does
    not take it.
    """
    words = PLAIN._replace(kind=kind, mode=mode).words
    try:
        parsed: Any = tree.read(app.whole(NOWHERE, CATALOGUE), words, NOWHERE)
        options = parsed.options
        if kind == "request":
            return delivery.asked_by(options, Mode(shown=options.shown), formats.JSON, None)
        operation = CATALOGUE.operation(*words[:3])
        return delivery.asked_by(options, mode_of(operation, options), formats.JSON, operation)
    except UsageError:
        return None


def decided(one: Combination, base: Asked | None) -> Delivery | None:
    """How the result of a combination is delivered; None where it is refused."""
    if base is None:
        return None
    form = next(each for each in formats.RESULTS if each.name == one.form)
    switches = {name: getattr(one, name) for name in SWITCHES}
    try:
        return delivery.decide(
            base._replace(form=form, place=PLACES[one.out], named=one.source == "flag", **switches)
        )
    except UsageError:
        return None


def test_every_combination_is_decided() -> None:
    found: Counter[Delivery | None] = Counter()
    for kind in KINDS:
        bases = {mode: asked(kind, mode) for mode in MODES}
        for one in every(kind):
            how = decided(one, bases[one.mode])
            found[how] += 1
            match how:
                case Delivery.DOWNLOAD:
                    assert one.out in {"file", "folder"}
                case Delivery.PAGES:
                    assert (one.out, one.mode) in {("file", "--all"), ("file", "--limit")}
                case Delivery.DOCUMENT | Delivery.RECORDS:
                    assert one.out != "folder"
            if one.out == "-":
                assert how == decided(one._replace(out="none"), bases[one.mode])
    assert sum(found.values()) == 8 * 9 * len(FORMATS) * len(OUTS) * 4 * 2 ** len(SWITCHES)
    assert {*found} == {None, *Delivery}


# The delivery of a result, for some that people type.
DELIVERED = [
    ("list", "one", "json", "none", Delivery.DOCUMENT),
    ("list", "one", "csv", "none", Delivery.RECORDS),
    ("list", "one", "csv", "file", Delivery.RECORDS),
    ("list", "one", "yaml", "file", Delivery.DOCUMENT),
    ("list", "--all", "json", "none", Delivery.RECORDS),
    ("list", "--all", "csv", "file", Delivery.PAGES),
    ("list", "--limit", "markdown", "file", Delivery.PAGES),
    ("list", "--all", "raw", "file", None),
    ("list", "one", "json", "folder", None),
    ("list", "several", "csv", "file", None),
    ("get", "one", "json", "file", Delivery.DOWNLOAD),
    ("get", "one", "json", "folder", Delivery.DOWNLOAD),
    ("get", "one", "ndjson", "file", Delivery.DOCUMENT),
    ("get", "one", "ndjson", "folder", None),
    ("get", "--expect", "ndjson", "file", None),
    ("create", "one", "ndjson", "file", Delivery.DOCUMENT),
    ("create", "one", "json", "folder", None),
    ("delete", "lines", "json", "file", None),
    ("download", "one", "csv", "folder", Delivery.DOWNLOAD),
    ("download", "several", "json", "none", None),
    ("request", "--all", "tsv", "file", Delivery.PAGES),
]


@pytest.mark.parametrize(("kind", "mode", "form", "out", "how"), DELIVERED)
def test_how_a_result_is_delivered(
    kind: str, mode: str, form: str, out: str, how: Delivery | None
) -> None:
    one = PLAIN._replace(kind=kind, mode=mode, form=form, out=out)
    assert decided(one, asked(kind, mode)) == how
