"""Figures at the end of a test run: of the faults that were survived, of the mutants
that were killed.
"""

from typing import Any

_COUNTED = {
    "faults survived / tried": "test_faults.py::test_survives[",
    "mutants killed / tried": "test_mutants.py::test_the_suite_kills[",
}


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many of each were good of how many tried, and which were not tried and
    why.
    """
    for what, test in _COUNTED.items():
        _tell(terminalreporter, what, test)


def _tell(terminalreporter: Any, what: str, test: str) -> None:
    outcomes = {
        kind: [
            report
            for report in terminalreporter.stats.get(kind, [])
            if test in getattr(report, "nodeid", "")
        ]
        for kind in ("passed", "failed", "error", "skipped")
    }
    good = len(outcomes["passed"])
    bad = sorted({report.nodeid for kind in ("failed", "error") for report in outcomes[kind]})
    if not good and not bad:
        return
    terminalreporter.write_line(f"{what}: {good} / {good + len(bad)}")
    for name in bad:
        terminalreporter.write_line(f"  not: {_name(name, test)}")
    for report in outcomes["skipped"]:
        reason = report.longrepr[2].removeprefix("Skipped: ")
        terminalreporter.write_line(f"  not tried: {_name(report.nodeid, test)} ({reason})")


def _name(test_id: str, test: str) -> str:
    return test_id.partition(test)[2].removesuffix("]")
