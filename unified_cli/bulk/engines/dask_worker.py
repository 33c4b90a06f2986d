"""What runs on a worker of Dask: one task, in a thread that the scheduler's count of threads does not hold up."""

from distributed import get_worker, secede

from unified_cli.bulk.engines.engine import Work
from unified_cli.errors import StateError


def perform(work: Work, payload: bytes, topic: str) -> bytes:
    """Do the work, and log its news under the topic.

    The driver decides how many tasks run at a time: they wait for the service more than they compute.
    """
    worker = get_worker()
    key = worker.get_current_task()
    secede()

    def tell(news: bytes) -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state not in {"executing", "long-running"} or worker.status.name != "running":
            raise StateError("the driver of this task wants it no more")
        if news:
            worker.log_event(topic, [key, news])

    return work(payload, tell)
