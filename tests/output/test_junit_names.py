"""JUnit of several connections: readers that know a test by its class and its name find
each of them, with its time.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from junitparser import JUnitXml
from many_connections import good, profiles
from server import Service

WRITERS = {
    "--expect": "ticketing tags list -p {p} --expect 'length > 0' --junit {file}",
    "schema": "schema ticketing/tags -p {p} --against known --junit {file}",
    "capabilities": "capabilities ticketing/tags -p {p} -o junit",
    "profile test": "profile test {p} -o junit --with 'ticketing tags'",
    "profile test alone": "profile test {p} -o junit",
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(("selected", "count"), [("c*", 3), ("c00", 1)])
def test_each_connection_has_a_name_and_a_time(
    writer: str,
    selected: str,
    count: int,
    unified: Unified,
    service: Service,
    config: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    names = profiles(config, service.url, 3)[:count]
    service.reply = good
    clock = iter(range(100_000))
    file = tmp_path / "j.xml"
    result = unified(
        WRITERS[writer].format(p=selected, file=file), monotonic=lambda: next(clock) / 1000
    )
    suites = [*JUnitXml.fromstring(file.read_bytes() if file.exists() else result.raw)]
    assert [suite.name for suite in suites] == names
    known = {(case.classname, case.name) for suite in suites for case in suite}
    assert len(known) == sum(len([*suite]) for suite in suites)
    kind = "profile" if writer == "profile test alone" else "ticketing.tags"
    for suite in suites:
        whose = f"{suite.name}.{kind}" if count > 1 else kind
        assert {case.classname for case in suite} == {whose}
        assert sum(case.time for case in suite) > 0
