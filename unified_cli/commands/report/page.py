"""The contents of the page, as values.

`-o json` prints these values, and the template shows them. Scripts depend on their
names. Ages are in seconds, and times in ISO 8601.
"""

from collections.abc import Mapping, Sequence

import msgspec

VERSION = 1
WELL, UNKNOWN, NOT_SEEN, LACKS_SCOPES = "well", "unknown", "not seen", "lacks scopes"
"""Conditions of a connection in addition to its status."""


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the page."""


class ShownConnection(_Part, frozen=True):
    """A connection on the page.

    `condition` is its state in a word or two. `offers` is the letter of its column in
    the map. `age` is the age of its oldest known fact, 0 if all facts are new. `unseen`
    says why the request failed.
    """

    name: str
    account: str
    product: str
    tenant: str
    status: str
    condition: str
    remark: str = ""
    offers: str = ""
    age: int = 0
    unseen: str = ""


class ConnectionCount(_Part, frozen=True):
    """The connections with a status or a product.

    It has the number of healthy connections, of connections that need a person, and of
    connections without known facts.
    """

    name: str
    well: int
    trouble: int
    unseen: int

    @property
    def number(self) -> int:
        """The number of these connections."""
        return self.well + self.trouble + self.unseen


class NeededPerson(_Part, frozen=True):
    """The actions that connections need, and the person who can take them.

    Each reason has the names of its connections.
    """

    condition: str
    who: str
    number: int
    reasons: Mapping[str, Sequence[str]]


class MapColumn(_Part, frozen=True):
    """Connections that offer the same operations, under one letter.

    `held` is the problem that keeps all their calls from working.
    """

    letter: str
    number: int
    held: str
    products: Mapping[str, int]
    names: Sequence[str]


class MapRow(_Part, frozen=True):
    """Resources of an API with equal cells in each column."""

    resources: Sequence[str]
    cells: Sequence[str]


class ExtraOffer(_Part, frozen=True):
    """An offered operation that the catalogue lacks, in words, with the number of its
    connections and some of their names.
    """

    what: str
    number: int
    names: Sequence[str]


class OfferMap(_Part, frozen=True):
    """The map of operations.

    The columns are connections, and the rows of each API are resources. `more` is the
    number of connections without a column. `extra` are offered operations that the
    catalogue lacks.
    """

    columns: Sequence[MapColumn]
    rows: Mapping[str, Sequence[MapRow]]
    more: int = 0
    extra: Sequence[ExtraOffer] = ()


class CausedOutcome(_Part, frozen=True):
    """Calls of a run with the same outcome for the same reason."""

    outcome: str
    number: int
    why: str
    named: str


class ShownRun(_Part, frozen=True):
    """A run on the page: its outcomes by cause, as `runs list` counts them, and the
    command that continues it.
    """

    id: str
    started: str
    command: str
    state: str
    outcomes: Mapping[str, int]
    causes: Sequence[CausedOutcome] = ()
    next: str = ""


class ShownRuns(_Part, frozen=True):
    """The runs of the last days, the newest first.

    `states` has the number of runs in each state. `foreign` is the number of runs that
    were not read.
    """

    shown: Sequence[ShownRun]
    states: Mapping[str, int]
    foreign: int
    days: int
    unseen: str = ""


class ExportedResource(_Part, frozen=True):
    """One resource of an export: how many connections have a complete list, and the
    records.
    """

    name: str
    complete: int
    lists: int
    records: int
    oldest: str


class ShownExport(_Part, frozen=True):
    """The contents of an export's folder: complete lists, gaps and, if files were
    compared, differences.
    """

    folder: str
    ended: str
    age: int
    lists: Sequence[ExportedResource]
    complete: int
    gaps: Sequence[str]
    not_offered: int
    records: int
    verified: bool
    differences: Sequence[str] = ()
    unseen: str = ""


class DriftedShape(_Part, frozen=True):
    """A difference in the shape of records, and the connections that have it."""

    kind: str
    path: str
    before: str
    now: str
    connections: Sequence[str]


class SchemaDrift(_Part, frozen=True):
    """The differences in a file of `schema --against`."""

    file: str
    age: int
    differences: Sequence[DriftedShape]


class FailedCase(_Part, frozen=True):
    """A test of a file of `--junit` that did not pass."""

    connection: str
    name: str
    outcome: str
    message: str


class CheckedExpectations(_Part, frozen=True):
    """The contents of a file of `--junit`: counts by outcome, and tests that did not
    pass.
    """

    file: str
    age: int
    connections: int
    outcomes: Mapping[str, int]
    failed: Sequence[FailedCase]


class ReportPage(_Part, frozen=True):
    """The contents of the page; `unseen` names missing parts, and `command` creates the
    page again.

    `stores` are destinations of exports outside this machine, which are not read.
    """

    version: int
    made: str
    tool: str
    command: str
    asked: int
    known: int
    oldest: int
    unseen: Sequence[str]
    connections: Sequence[ShownConnection]
    statuses: Sequence[ConnectionCount]
    products: Sequence[ConnectionCount]
    needs: Sequence[NeededPerson]
    offers: OfferMap
    runs: ShownRuns
    exports: Sequence[ShownExport]
    stores: Sequence[str]
    drift: Sequence[SchemaDrift]
    expectations: Sequence[CheckedExpectations]
