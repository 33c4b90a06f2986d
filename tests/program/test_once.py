"""Code that many commands share is in one place: workers, clients, the order of exit
codes, and who can be asked.
"""

import ast
from collections.abc import Iterator
from functools import cache

from program.test_layers import TEXTS, tree

ROOMS = ("fleet/", "writes/")
"""Where workers and clients are made for all commands."""
THREADS = {"Thread", "Timer", "ThreadPoolExecutor", "ProcessPoolExecutor", "start_thread"}
WORKERS = {"WorkerPool", "WorkerSlots", "ClientPool"}
CLIENTS = {"Clients"}

Use = tuple[str, str]
"""A module, and the name that it calls."""

OWN_THREADS: dict[Use, str] = {
    ("os_limits.py", "Thread"): "starts the threads of all others",
    ("signals.py", "Timer"): "sends a signal again that Python lost",
    ("os_limits.py", "start_thread"): "one call that no deadline can end",
    ("output/progress.py", "start_thread"): "draws the line that shows how far the work is",
    ("output/pager.py", "start_thread"): "shows what fits the screen although more may come",
    ("sandbox/pytest_plugin.py", "Thread"): "a server for the tests of other projects",
    ("commands/export/store_lease.py", "start_thread"): "renews a lease while the work goes on",
    ("commands/mcp/process.py", "start_thread"): "speaks with the agent while calls are under way",
}
ONE_CONNECTION: dict[Use, str] = {
    ("call/single.py", "Clients"): "one connection, without workers",
    ("commands/connections/link.py", "Clients"): "one connection, without workers",
}


@cache
def nodes(path: str) -> list[ast.AST]:
    """All of the syntax of a module."""
    return [*ast.walk(tree(path))]


def called(node: ast.AST) -> str:
    """The name that is called, without what it is in."""
    function = node.func if isinstance(node, ast.Call) else None
    # `Clients[…](…)` is a call of `Clients`, too.
    function = function.value if isinstance(function, ast.Subscript) else function
    return (
        function.id
        if isinstance(function, ast.Name)
        else function.attr
        if isinstance(function, ast.Attribute)
        else ""
    )


def uses(names: set[str]) -> set[Use]:
    """Who calls one of these names outside the two rooms."""
    paths = [path for path, text in TEXTS.items() if any(name in text for name in names)]
    found = {
        (path, called(node)) for path in paths for node in nodes(path) if called(node) in names
    }
    return {(path, name) for path, name in found if not path.startswith(ROOMS)}


def texts() -> Iterator[tuple[str, str]]:
    """The texts of all modules that are not about themselves."""
    for path in TEXTS:
        told = {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}
        for node in nodes(path):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in told
            ):
                yield path, node.value


def attributes(node: ast.AST) -> set[str]:
    """The attributes that are looked at in an expression."""
    return {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


def orders(node: ast.AST) -> bool:
    """Whether an expression compares exit codes, or puts them in order."""
    if not (
        called(node) in {"min", "max", "sorted", "sort", "index"} or isinstance(node, ast.Compare)
    ):
        return False
    named = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return bool({"code", "exit_code"} & attributes(node) or {"ExitCode", "ORDER"} & named)


def test_no_command_makes_workers_or_clients_of_its_own() -> None:
    assert uses(THREADS) == {*OWN_THREADS}
    assert uses(WORKERS | CLIENTS) == {*ONE_CONNECTION}


def test_no_command_puts_exit_codes_in_order() -> None:
    found = {(path, ast.unparse(node)) for path in TEXTS for node in nodes(path) if orders(node)}
    # A connection that is blocked, a config that cannot be read, and a page about a
    # code are not an order.
    allowed = {
        ("call/connection_probe.py", "error.code == ExitCode.ACCESS"),
        ("os_limits.py", "error.code is ExitCode.CONFIG"),
        ("commands/help.py", "int(words[0]) in {*ExitCode}"),
    }
    assert {(path, what) for path, what in found if path != "fleet/conclude.py"} == allowed


def test_the_message_without_a_terminal_is_in_one_place() -> None:
    for words, where in (
        ("-a names one connection", "fleet/selection.py"),
        ("cannot ask", "cli/prompt.py"),
        ("no terminal", "commands/profile/sign_in.py"),
    ):
        assert [path for path, text in texts() if words in text] == [where]


def test_one_function_knows_whether_a_person_can_answer() -> None:
    both = [
        path
        for path in TEXTS
        for node in nodes(path)
        if isinstance(node, ast.BoolOp)
        and attributes(node) >= {"stdin_is_terminal", "stderr_is_terminal"}
    ]
    assert both == ["cli/prompt.py"]
