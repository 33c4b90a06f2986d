"""gzip where it is asked for."""

import gzip

import httpx
import pytest
from sandbox_asking import TICKETS
from sandbox_shop import Shop

from unified_cli.sandbox.wsgi_application import GzippedPages


@pytest.mark.parametrize(
    ("accepted", "coded"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("", False),
        ("identity", False),
        ("gzip;q=0, *", False),
        ("gzip; q=0.000", False),
    ],
)
def test_a_page_comes_in_gzip_where_it_is_accepted(shop: Shop, accepted: str, coded: bool) -> None:
    headers = {"Authorization": f"Bearer {shop.token}", "Accept-Encoding": accepted}
    url = f"{shop.url}{TICKETS}?integrated_account_id=full"
    with httpx.stream("GET", url, headers=headers, timeout=60) as answer:
        content = b"".join(answer.iter_raw())
    assert (answer.headers.get("content-encoding") == "gzip", answer.headers["vary"]) == (
        coded,
        "Accept-Encoding",
    )
    assert int(answer.headers["content-length"]) == len(content)
    assert (gzip.decompress(content) if coded else content).startswith(b'{"result":[')


# The place in the list, and the owner of the record there.
TURNS = [(1, 1), (2, 1), (3, 2), (4, 1), (5, 3), (6, 4), (7, 2)]


@pytest.mark.parametrize("most", [0, 3000, 1 << 24])
def test_a_repeated_page_has_the_same_records_and_the_current_ones_after_them(
    most: int,
) -> None:
    pages = GzippedPages(most)
    bodies = [
        b'{"result":[%b],"next_cursor":"%d"}' % (b'{"id":"%d"}' % whose * 100, at)
        for at, whose in TURNS
    ]
    for body in (*bodies, b"", b"]", b"no list" * 1000):
        assert gzip.decompress(pages.gzip(body)) == body


def test_a_file_and_a_small_answer_come_as_they_are(shop: Shop) -> None:
    with shop.client(params={"integrated_account_id": "full"}) as client:
        small = client.get("/unified/ticketing/ticket_types", params={"limit": 1})
        file = client.post("/unified/voice/recordings/download", json={"id": "recordings-1"})
        assert [one.headers.get("content-encoding") for one in (small, file)] == [None, None]
        assert len(file.content) > 1024
