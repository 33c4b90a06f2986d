"""What the workers of an engine say of the tasks of an export, put together."""

from collections.abc import Mapping

from unified_cli.bulk.engines.engine import TaskEnd, TaskNews
from unified_cli.bulk.export import selection
from unified_cli.bulk.export.folder_export import ExportSummary
from unified_cli.bulk.export.manifest import ManifestEntry
from unified_cli.commands.export_lists import worker_messages
from unified_cli.commands.export_lists.connection_task import ConnectionTask
from unified_cli.commands.export_lists.worker_messages import TaskNumbers, TaskOutcome
from unified_cli.errors import NetworkError, UnifiedError, UnsafeError
from unified_cli.masking import excerpt, masked
from unified_cli.output.progress import Progress

_LONGEST_LINE = 300


class EngineResults:
    """The summary of all tasks; a result that is not one of its task is a failure of that task."""

    def __init__(self, tasks: Mapping[str, ConnectionTask], form: str) -> None:
        self.summary = ExportSummary()
        self._tasks = tasks
        self._form = form
        self._told = dict.fromkeys(tasks, TaskNumbers())

    def note(self, event: TaskNews | TaskEnd, shown: Progress) -> int | None:
        """Count what is new; gives, at the end of a task, how many of its sends may count for the limits still."""
        task = self._tasks[event.task.name]
        if isinstance(event, TaskNews):
            if (numbers := worker_messages.read_numbers(event.data)) is not None:
                self._count(task.name, numbers, shown)
            return None
        outcome = self._outcome(event)
        if isinstance(outcome, TaskOutcome):
            self._add(task, outcome)
            failed, records = len(outcome.failed), outcome.records
        else:
            failed, records = len(task.lists), 0
            self.summary.failed |= {self._file(task, name): outcome for name in task.lists}
        self._count(task.name, TaskNumbers(records, lists=len(task.lists), failed=failed), shown)
        return outcome.sent if isinstance(outcome, TaskOutcome) else 1 << 30

    def _outcome(self, end: TaskEnd) -> TaskOutcome | UnifiedError:
        where = f"the worker {end.where}" if end.where else "a worker"
        if end.result is None:
            kind = UnsafeError if end.refused else NetworkError
            return kind(f"{where} did not do the task of {end.task.name}: {end.why}", hint=end.hint)
        report = worker_messages.read_report(end.result, end.task.payload)
        if report is not None and report.error:
            return report.error.error()
        outcome = report.outcome if report else None
        if outcome is None or len(outcome.partial) + len(outcome.failed) > len(self._tasks[end.task.name].lists):
            return UnsafeError(
                f"{where} answered the task of {end.task.name} with what is no result of it; nothing of it was used",
                hint="is the worker yours?",
            )
        return outcome

    def _add(self, task: ConnectionTask, outcome: TaskOutcome) -> None:
        summary = self.summary
        summary.written += outcome.written
        summary.unchanged += outcome.unchanged
        summary.records += outcome.records
        summary.not_offered += outcome.not_offered
        summary.partial += outcome.partial
        summary.ahead += (excerpt(line, _LONGEST_LINE) for line in outcome.ahead[: len(task.lists)])
        summary.failed |= {name: failure.error() for name, failure in outcome.failed.items()}
        if outcome.without_lists is not None:
            why = masked(outcome.without_lists)
            summary.without_lists[task.name] = [
                ManifestEntry(self._file(task, name), task.name, "", "", "", name, offered=False, why=why)
                for name in task.lists
            ]

    def _count(self, name: str, numbers: TaskNumbers, shown: Progress) -> None:
        before = self._told[name]
        after = self._told[name] = before.reached(numbers)
        new = after.since(before)
        shown.add(new.records, pages=new.pages, parts=new.lists, failed=new.failed)

    def _file(self, task: ConnectionTask, name: str) -> str:
        return f"{selection.folder_for(task.name)}/{name}.{self._form}"
