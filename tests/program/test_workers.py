"""Each worker of pytest-xdist collects the same tests in the same order, wherever it
begins to read.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from front_door import ROOT
from workers import reading_order

FILES = [str(path) for path in sorted((ROOT / "tests").rglob("test_*.py"))]
TEXTS = {path: Path(path).read_text("utf-8") for path in FILES}
OPTIONAL = {
    name for text in TEXTS.values() for name in re.findall(r'importorskip\(\s*f?"(\w+)', text)
}
"""The packages that a test may do without."""

# A process for each order would take a second to start, so each is forked from one that
# has imported the program. There a package that is installed is not found; a folder
# with its name is.
COLLECT = """
import json, os, sys
from importlib.machinery import PathFinder
import pytest
import conftest

class NotInstalled:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in optional:
            return None
        places = [place for place in path or sys.path if "site-packages" not in place]
        if (found := PathFinder.find_spec(name, places)) is None:
            raise ModuleNotFoundError(name, name=name)
        return found

class Worker:
    def __init__(self, number, workers):
        self.input = {"workerid": f"gw{number}", "workercount": workers}

    def pytest_configure(self, config):
        config.workerinput = self.input

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        session.config.args = [file for file in session.config.args if file in files]

    def pytest_collection_finish(self, session):
        answer = json.dumps([self.input, sys.path, [item.nodeid for item in session.items]])
        os.write(1, answer.encode() + b"\\n")

files, optional, workers = json.load(sys.stdin)
sys.meta_path.insert(0, NotInstalled)
del sys.modules["conftest"]
options = ["-n0", "--collect-only", "-q", "-pno:cacheprovider"]
options.append("-Wignore::pytest.PytestAssertRewriteWarning")
for number, count in workers:
    if (child := os.fork()) == 0:
        sys.stdout = open(os.devnull, "w")
        os._exit(pytest.main(options, plugins=[Worker(number, count)]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, (number, count)
"""


def files_to_collect() -> list[str]:
    """Return the test files whose tests may depend on the order: those that need a
    package to be imported, and one of each folder with other folders, which would
    become packages if it were put on the path.
    """
    asks = re.compile(r"^(\w+ = )?pytest\.importorskip", re.MULTILINE)
    asking = {file for file, text in TEXTS.items() if asks.search(text)}
    folders = {Path(file).parent: file for file in FILES}
    return sorted(asking | {folders[one.parent] for one in folders if one.parent in folders})


def test_all_workers_collect_the_same() -> None:
    files = files_to_collect()
    assert len(files) > 15
    # Of the workers that read these files in the same order, one is enough.
    orders: dict[tuple[str, ...], tuple[int, int]] = {}
    for count in (3, 8, 16):
        for number in range(count):
            read = reading_order(FILES, number, count)
            orders[tuple(file for file in read if file in files)] = (number, count)
    assert len(orders) > 3
    ran = subprocess.run(
        [sys.executable, "-c", COLLECT],
        input=json.dumps([files, sorted(OPTIONAL), [*orders.values()]]).encode(),
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        timeout=120,
    )
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(answers) == len(orders)
    _, path, ids = answers[0]
    assert ids
    for worker, other_path, other_ids in answers:
        assert other_ids == ids, worker
        assert other_path == path, worker


@pytest.mark.parametrize("options", [{}, {"ignore": ["x"]}, {"ignore_glob": ["x"]}], ids=str)
def test_workers_get_files_by_name_unless_some_are_ignored(
    options: dict[str, list[str]], pytestconfig: pytest.Config
) -> None:
    conftest = pytestconfig.pluginmanager.get_plugin(str(ROOT / "tests" / "conftest.py"))
    config = SimpleNamespace(
        args=["tests"],
        workerinput={"workerid": "gw1", "workercount": 3},
        getini=lambda _: ["tests"],
        getoption=options.get,
    )
    conftest.pytest_collection(SimpleNamespace(config=config))
    assert config.args == (["tests"] if options else reading_order(FILES, 1, 3))


def test_each_name_on_the_path_of_the_tests_is_theirs_alone(pytestconfig: pytest.Config) -> None:
    """`import mcp` must not find the folder of the tests of `unified mcp`."""
    on_path = [
        found
        for folder in pytestconfig.getini("pythonpath")
        for found in Path(folder).iterdir()
        if found.suffix == ".py" or (found.is_dir() and found.name.isidentifier())
    ]
    modules = [found.stem for found in on_path if found.suffix and found.stem != "conftest"]
    assert [name for name, times in Counter(modules).items() if times > 1] == []
    assert {*modules} & ({*sys.stdlib_module_names} | OPTIONAL) == set()
    # A folder is found only where no package of its name is installed.
    assert {found.name for found in on_path} & OPTIONAL == set()
    # Reading the test files puts no further folder on the path.
    tests = [place for place in sys.path if Path(place).is_relative_to(ROOT / "tests")]
    assert {*map(Path, tests)} <= {*map(Path, pytestconfig.getini("pythonpath"))}
