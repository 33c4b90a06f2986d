"""Imports are at the top of a module; these are in functions, and why."""

import ast
from collections import Counter
from pathlib import Path

import unified_cli

ROOT = Path(unified_cli.__file__).parent
MOST = 60

EXTRA = "an extra"
DISPATCH = "what one command, mode, format or kind of source needs, where it is chosen"
HELP = "8 ms that help on a pipe does without"
RICH = "rich is for terminals, and few texts need it"
START = "the process answers --version, and handles signals, before it is imported"

# Numbers are milliseconds that the module takes with all that it alone imports:
# measured with python -X importtime after what a plain list imports.
REASONS: dict[tuple[str, str], str | float] = {
    ("__main__", "signal"): START,
    ("__main__", "unified_cli.signals"): START,
    ("__main__", "unified_cli.main.main"): START,
    ("__main__", "unified_cli.runtime.Runtime"): START,
    ("main", "unified_cli.app"): START,
    ("main", "unified_cli.cli.next_steps"): START,
    ("app", "unified_cli.commands.help.first_steps_are_due"): DISPATCH,
    ("app", "unified_cli.commands.operation.mode"): DISPATCH,
    ("app", "unified_cli.http.evidence"): 4.4,
    ("app", "unified_cli.writes.selection"): 16.3,
    ("call.builder", "unified_cli.call.uploading"): DISPATCH,
    ("call.delivery", "unified_cli.call.result_file"): DISPATCH,
    ("call.delivery", "unified_cli.storage.output_file"): DISPATCH,
    ("call.record_output", "unified_cli.output.jq_program.JqProgram"): 3.1,
    ("call.single", "unified_cli.call.capability_hint"): DISPATCH,
    ("call.single", "unified_cli.call.doubt_hint"): DISPATCH,
    ("call.single", "unified_cli.call.dry_run"): DISPATCH,
    ("call.single", "unified_cli.call.seen_words"): DISPATCH,
    ("call.single", "unified_cli.cli.prompt"): DISPATCH,
    ("cli.help_page", "unified_cli.config.known_capabilities"): 7.0,
    ("cli.tree", "unified_cli.cli.help_page"): DISPATCH,
    ("cli.tree", "unified_cli.cli.operation_pages"): DISPATCH,
    ("cli.tree", "unified_cli.cli.usage_errors"): 3.1,
    ("commands.export.delta_folder", "unified_cli.commands.export.delta_table.ListTable"): EXTRA,
    ("commands.export.engine", "unified_cli.commands.export.engine_worker"): EXTRA,
    ("commands.mcp.run", "unified_cli.commands.mcp.server"): EXTRA,
    ("commands.operation.mode", "unified_cli.call.body_check"): DISPATCH,
    ("commands.operation.mode", "unified_cli.call.dry_run"): DISPATCH,
    ("commands.operation.mode", "unified_cli.call.file_download"): 5.6,
    ("commands.operation.mode", "unified_cli.writes.stop_rules"): DISPATCH,
    ("commands.report.run", "unified_cli.commands.report.markup"): EXTRA,
    ("commands.sandbox", "unified_cli.sandbox.serve.ServerSettings"): 47.1,
    ("commands.sql.run", "unified_cli.commands.sql.answer.answer"): EXTRA,
    ("config.keyring", "keyring"): EXTRA,
    ("config.token", "unified_cli.config.keyring"): DISPATCH,
    ("config.token", "unified_cli.config.token_command"): DISPATCH,
    ("exported.exported_lists", "unified_cli.exported.delta_rows"): EXTRA,
    ("exported.parquet_file", "pyarrow"): EXTRA,
    ("exported.parquet_file", "pyarrow.PythonFile"): EXTRA,
    ("exported.parquet_file", "pyarrow.parquet"): EXTRA,
    ("fleet.clients", "unified_cli.sandbox.in_process.OwnSandbox"): 52.1,
    ("http.transport.tls", "truststore"): "only on macOS",
    ("json_text.json_check", "msgspec"): HELP,
    ("output.stdout", "msgspec"): HELP,
    ("output.layout", "rich.padding.Padding"): 9.2,
    ("output.layout", "rich.tree.Tree"): 19.5,
    ("output.printer", "unified_cli.output.yaml_text.convert"): 12.6,
    ("output.progress", "rich.progress_bar.ProgressBar"): 20.0,
    ("output.screen", "rich.table.Table"): 16.2,
    ("output.screen", "rich.text.Text"): 12.7,
    ("output.stdout", "unified_cli.output.json_highlight.highlighted"): 14.2,
    ("output.terminal", "rich.console.Console"): 20.5,
    ("output.terminal", "rich.text.Text"): 12.7,
    ("storage.object_store", "obstore.exceptions"): EXTRA,
    ("storage.object_store", "obstore.store"): EXTRA,
    ("text_width", "rich.cells.cell_len"): RICH,
    ("text_width", "rich.cells.chop_cells"): RICH,
}


def imports_in_functions(path: Path) -> list[str]:
    """The first name of each import statement in a function of a module."""
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    statements = {node for function in functions for node in ast.walk(function)}
    return [
        f"{node.module}.{node.names[0].name}"
        if isinstance(node, ast.ImportFrom)
        else node.names[0].name
        for node in statements
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def found() -> Counter[tuple[str, str]]:
    """How often each module imports each name in functions."""
    return Counter(
        (".".join(path.relative_to(ROOT).with_suffix("").parts), name)
        for path in sorted(ROOT.rglob("*.py"))
        for name in imports_in_functions(path)
    )


def test_each_import_in_a_function_is_on_the_list() -> None:
    assert sorted(found().keys() - REASONS.keys()) == []
    assert sorted(REASONS.keys() - found().keys()) == []


def test_few_imports_are_in_functions() -> None:
    assert found().total() <= MOST
