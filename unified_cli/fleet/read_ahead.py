"""Read a list one page ahead: a worker reads the next page while the caller uses this one."""

from collections.abc import Generator
from contextlib import closing

from unified_cli.catalogue import Service
from unified_cli.fleet import pool
from unified_cli.http.client import Client
from unified_cli.http.pagination import ListReader, Page, Span
from unified_cli.http.request import Request


def pages(client: Client, request: Request, service: Service, span: Span) -> Generator[Page]:
    """The pages of a list, each read while the one before it is used; to be used with `contextlib.closing`.

    The client is closed at the end. Where the generator is closed while a request is under way, nothing waits for it:
    the worker closes the client after that request. Raises what `ListReader.read` raises, after the pages read before.
    """
    reader = ListReader(client.send, request, service, span)
    try:
        # Taken out when it is used, so that the first page is not kept to the end of the list.
        held = [reader.read()]
    except BaseException:
        client.close()
        raise
    if reader.done:
        # One page needs no worker.
        client.close()
        yield held.pop()
        return

    def all_pages(reader: ListReader) -> Generator[Page]:
        with closing(client):
            yield held.pop()
            while not reader.done:
                yield reader.read()

    yield from pool.results_of([reader], all_pages, 1)
