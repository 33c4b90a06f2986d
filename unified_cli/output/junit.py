"""Write results as JUnit XML, for CI systems."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from unified_cli.masking import masked

# The characters that XML 1.0 does not allow, even as escapes. Each is replaced.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REPLACEMENT = "\ufffd"


class JUnitCase(NamedTuple):
    """One test. `message` says why the test did not pass, and `value` is the actual
    value.
    """

    classname: str
    name: str
    outcome: Literal["passed", "failure", "error", "skipped"] = "passed"
    message: str = ""
    value: str = ""
    seconds: float | None = None


class JUnitSuite(NamedTuple):
    """The tests of one connection."""

    name: str
    cases: Sequence[JUnitCase]


def suite(name: str, cases: Iterable[JUnitCase], *, several: bool) -> JUnitSuite:
    """Return the tests of a connection.

    With `several` connections, the class of a test begins with the name of its
    connection, because some tools show only the class and the name of a test.
    """
    if several:
        cases = [case._replace(classname=f"{name}.{case.classname}") for case in cases]
    return JUnitSuite(name, [*cases])


def document(suites: Sequence[JUnitSuite]) -> Iterator[bytes]:
    """Yield the suites as XML, in pieces."""
    cases = [case for suite in suites for case in suite.cases]
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="unified"{_counts(cases)}>\n'.encode()
    for suite in suites:
        known = [case.seconds for case in suite.cases if case.seconds is not None]
        totals = f'{_counts(suite.cases)} skipped="{_number(suite.cases, "skipped")}"'
        time = _seconds(sum(known) if known else None)
        yield f"  <testsuite name={_quoted(suite.name)}{totals}{time}>\n".encode()
        for case in suite.cases:
            yield _case(case).encode()
        yield b"  </testsuite>\n"
    yield b"</testsuites>\n"


def _counts(cases: Sequence[JUnitCase]) -> str:
    return (
        f' tests="{len(cases)}" failures="{_number(cases, "failure")}"'
        f' errors="{_number(cases, "error")}"'
    )


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f' time="{seconds:.3f}"'


def _number(cases: Sequence[JUnitCase], outcome: str) -> int:
    return sum(case.outcome == outcome for case in cases)


def _case(case: JUnitCase) -> str:
    start = (
        f"    <testcase classname={_quoted(case.classname)}"
        f" name={_quoted(case.name)}{_seconds(case.seconds)}"
    )
    if case.outcome == "passed":
        return f"{start}/>\n"
    inner = (
        f"<{case.outcome}"
        f" message={_quoted(case.message)}>{escape(_allowed(case.value))}</{case.outcome}>"
    )
    return f"{start}>\n      {inner}\n    </testcase>\n"


def _quoted(text: str) -> str:
    return quoteattr(_allowed(text))


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub(_REPLACEMENT, masked(text))
