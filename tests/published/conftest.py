from collections.abc import Iterator

import pytest
from publishing import PublishedService, publishing


@pytest.fixture
def published() -> Iterator[PublishedService]:
    """The service as it is published; `unified(…, environ=published.environ())` talks
    to it.
    """
    with publishing() as service:
        yield service
