"""Read a list one page ahead: a worker thread reads the next page while the caller uses this one."""

from collections.abc import Generator
from queue import SimpleQueue
from threading import Thread

from unified_cli.catalogue import Service
from unified_cli.http.client import Client
from unified_cli.http.pagination import ListReader, Page, Span
from unified_cli.http.request import Request


def pages(client: Client, request: Request, service: Service, span: Span) -> Generator[Page]:
    """The pages of a list, each read while the one before it is used; to be used with `contextlib.closing`.

    The client is closed at the end. Where the generator is closed while a request is under way, nothing waits for it:
    the worker thread closes the client after that request. Raises what `ListReader.read` raises, after the pages read
    before.
    """
    reader = ListReader(client.send, request, service, span)
    try:
        page = reader.read()
    except BaseException:
        client.close()
        raise
    if reader.done:
        # One page needs no thread.
        client.close()
        yield page
        return
    worker = _PageWorker(client, reader)
    try:
        yield page
        yield from iter(worker.take, None)
    finally:
        worker.stop()


class _PageWorker:
    """A thread that reads the pages that are left, one ahead of those taken, and then closes the client.

    It is a daemon, so that a program that ends does not wait for an answer.
    """

    def __init__(self, client: Client, reader: ListReader) -> None:
        self._client = client
        self._reader = reader
        self._allowed: SimpleQueue[None] = SimpleQueue()
        self._found: SimpleQueue[Page | BaseException | None] = SimpleQueue()
        self._stopped = False
        self._allowed.put(None)
        Thread(target=self._run, daemon=True).start()

    def take(self) -> Page | None:
        """The next page, None after the last one. Raises what reading it raised."""
        # The page after it is requested as soon as this one is here: nobody has to be woken up for it first.
        self._allowed.put(None)
        found = self._found.get()
        if isinstance(found, BaseException):
            raise found
        return found

    def stop(self) -> None:
        """Have no further request sent."""
        self._stopped = True
        self._allowed.put(None)

    def _run(self) -> None:
        end: BaseException | None = None
        try:
            self._read()
        except BaseException as error:  # noqa: BLE001  it is raised where the pages are taken
            end = error
        finally:
            self._found.put(end)

    def _read(self) -> None:
        try:
            while not self._reader.done:
                self._allowed.get()
                if self._stopped:
                    return
                self._found.put(self._reader.read())
        finally:
            self._client.close()
