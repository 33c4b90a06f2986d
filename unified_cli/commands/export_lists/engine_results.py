"""What the workers of an engine say of the tasks of an export, put together."""

from collections.abc import Mapping

from unified_cli.bulk.engines.engine import TaskEnd, TaskNews
from unified_cli.bulk.export import selection
from unified_cli.bulk.export.destinations.destination import Destination
from unified_cli.bulk.export.folder_export import ExportSummary
from unified_cli.bulk.export.found_lists import FoundLists
from unified_cli.commands.export_lists import task_export, worker_messages
from unified_cli.commands.export_lists.connection_task import ConnectionTask
from unified_cli.commands.export_lists.worker_messages import TaskNumbers, TaskOutcome
from unified_cli.config import address
from unified_cli.errors import NetworkError, StateError, UnifiedError, UnsafeError
from unified_cli.masking import excerpt
from unified_cli.output.progress import Progress

_LONGEST_LINE = 300


class EngineResults:
    """The summary of all tasks; a result that is not one of its task is a failure of that task.

    What is done is what the driver finds at the destination.
    """

    def __init__(self, tasks: Mapping[str, ConnectionTask], form: str, destination: Destination) -> None:
        self.summary = ExportSummary()
        self._tasks = tasks
        self._form = form
        self._destination = destination
        self._told = dict.fromkeys(tasks, TaskNumbers())
        self._found: dict[str, FoundLists] = {}

    def begin(self, name: str) -> None:
        """Note what is at the destination before the task is done. Raises StorageError."""
        task = self._tasks[name]
        origin = address.written(task.base_url, "a task").origin
        self._found[name] = FoundLists(
            self._destination, task_export.manifest_name(name), (origin, task.account), self._files(task)
        )

    def note(self, event: TaskNews | TaskEnd, shown: Progress) -> int | None:
        """Count what is new; gives, at the end of a task, how many of its sends may count for the limits still.

        Raises StorageError where it cannot be seen what the task left.
        """
        task = self._tasks[event.task.name]
        if isinstance(event, TaskNews):
            numbers = worker_messages.read_numbers(event.data)
            if numbers is not None and numbers.lists <= len(task.lists) and numbers.failed <= numbers.lists:
                self._count(task.name, self._told[task.name].reached(numbers), shown)
            return None
        sent, found = self._end(task, event)
        self._add(found)
        # Whatever it said before, it is this.
        before = self._told[task.name]
        numbers = TaskNumbers(found.records, before.pages, len(task.lists), len(found.failed))
        self._count(task.name, numbers, shown)
        return sent

    def _end(self, task: ConnectionTask, end: TaskEnd) -> tuple[int, ExportSummary]:
        """How many sends may count still, and what came of the task."""
        where = f"the worker {end.where}" if end.where else "a worker"
        outcome = self._outcome(end, where)
        if isinstance(outcome, TaskOutcome):
            failed = {name: failure.error() for name, failure in outcome.failed.items()}
            try:
                found = self._found[task.name].summary(task.name, failed, where)
            except StateError as error:
                outcome = error
            else:
                found.ahead += (excerpt(line, _LONGEST_LINE) for line in outcome.ahead[: len(task.lists)])
                return outcome.sent, found
        return 1 << 30, ExportSummary(failed=dict.fromkeys(self._files(task), outcome))

    def _outcome(self, end: TaskEnd, where: str) -> TaskOutcome | UnifiedError:
        if end.result is None:
            kind = UnsafeError if end.refused else NetworkError
            return kind(f"{where} did not do the task of {end.task.name}: {end.why}", hint=end.hint)
        report = worker_messages.read_report(end.result, end.task.payload)
        if report is not None and report.error:
            error = report.error.error()
            return error.retold(f"{where} did not do the task of {end.task.name}: {error.message}")
        outcome = report.outcome if report else None
        if outcome is None or not outcome.failed.keys() <= {*self._files(self._tasks[end.task.name])}:
            return UnsafeError(
                f"{where} answered the task of {end.task.name} with what is no result of it; nothing of it was used",
                hint="is the worker yours?",
            )
        return outcome

    def _add(self, found: ExportSummary) -> None:
        summary = self.summary
        summary.written += found.written
        summary.unchanged += found.unchanged
        summary.records += found.records
        summary.not_offered += found.not_offered
        summary.partial += found.partial
        summary.ahead += found.ahead
        summary.failed |= found.failed
        summary.without_lists |= found.without_lists

    def _count(self, name: str, after: TaskNumbers, shown: Progress) -> None:
        new = after.since(self._told[name])
        self._told[name] = after
        shown.add(new.records, pages=new.pages, parts=new.lists, failed=new.failed)

    def _files(self, task: ConnectionTask) -> list[str]:
        return [f"{selection.folder_for(task.name)}/{name}.{self._form}" for name in task.lists]
