"""The figures of the fault rig at the end of a test run."""

from typing import Any

_TEST = "test_faults.py::test_survives["


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many faults were survived of how many tried, and which were not tried and why."""
    outcomes = {
        kind: [report for report in terminalreporter.stats.get(kind, []) if _TEST in getattr(report, "nodeid", "")]
        for kind in ("passed", "failed", "error", "skipped")
    }
    survived = len(outcomes["passed"])
    tried = survived + len({report.nodeid for kind in ("failed", "error") for report in outcomes[kind]})
    if not tried:
        return
    terminalreporter.write_line(f"faults survived / tried: {survived} / {tried}")
    for report in outcomes["skipped"]:
        name = report.nodeid.partition(_TEST)[2].removesuffix("]")
        terminalreporter.write_line(f"  not tried: {name} ({report.longrepr[2].removeprefix('Skipped: ')})")
