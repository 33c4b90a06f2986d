"""An empty id, as from a variable that is not set, is refused before it is sent."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

LEFT_OUT = "leave it out, or give an id"
CLEARED = (
    "is a shell variable unset? -F {0}=null clears the field, -F '{0}=\"\"' sends an empty text"
)
NESTED = (
    "is a shell variable unset? -F 'account[id]=null' clears the field, -F 'account[id]=\"\"'"
    " sends an empty text"
)

TYPED = {
    "ticketing comments create -f ticket_id=": CLEARED.format("ticket_id"),
    "ticketing comments create -F ticket_id=": CLEARED.format("ticket_id"),
    "ticketing comments create -F ticket_id=@{empty}": CLEARED.format("ticket_id"),
    'ticketing comments create -d \'{{"body":"x"}}\' -f ticket_id=': CLEARED.format("ticket_id"),
    "ticketing contacts create -f 'account[id]='": NESTED,
    "ticketing contacts update contacts-1 -f account_id=": CLEARED.format("account_id"),
    "ticketing contacts update - -f account_id=": CLEARED.format("account_id"),
    "ticketing contacts update contacts-1 -f id=": CLEARED.format("id"),
    "user-directory users suspend -f user_id=": CLEARED.format("user_id"),
    "-p a -p b user-directory users suspend -f user_id= --yes": CLEARED.format("user_id"),
    "request POST /custom/x -f user_id=": CLEARED.format("user_id"),
    "request POST /custom/x --upload file={empty} -f user_id=": LEFT_OUT,
    "user-directory users downgrade -q user_id=": LEFT_OUT,
    "ticketing contacts list -q account_id=": LEFT_OUT,
    "ticketing contacts list --all -o ids -q 'account[id]='": LEFT_OUT,
    "-p a -p b ticketing contacts list -q account_id=": LEFT_OUT,
    "ticketing contacts delete - --yes -q account_id=": LEFT_OUT,
    "export ticketing/contacts --to {empty}.dump -q account_id=": LEFT_OUT,
    "import ticketing/contacts {records} -q account_id=": LEFT_OUT,
    "request GET /custom/x -q account_id=": LEFT_OUT,
}
SENT = {
    "ticketing comments create -F ticket_id=null": b'{"ticket_id":null}',
    "ticketing comments create -F 'ticket_id=\"\"'": b'{"ticket_id":""}',
    'ticketing comments create -d \'{"ticket_id":""}\'': b'{"ticket_id":""}',
    "ticketing comments create -f body=": b'{"body":""}',
    "ticketing contacts list -q 'account_id[ne]='": b"",
    "ticketing contacts list -q 'remote_query[account_id]='": b"",
    "ticketing contacts list -q name=": b"",
}


@pytest.mark.parametrize("typed", TYPED)
def test_an_empty_id_is_refused(
    typed: str,
    unified: Unified,
    service: Service,
    config: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    config("".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in "ab"))
    empty, records = tmp_path / "empty", tmp_path / "in.ndjson"
    empty.write_text("")
    records.write_text('{"name":"x"}\n')
    line = typed.format(empty=empty, records=records)
    result = unified(line, environ=service.environ, stdin=b'{"id":"contacts-1"}\n')
    assert (result.code, result.stdout, service.seen) == (2, "", [])
    assert f": the id is empty ({TYPED[typed]})" in result.stderr


@pytest.mark.parametrize("typed", SENT)
def test_an_intentionally_empty_value_is_sent(
    typed: str, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: Reply(200, b'{"result": [], "next_cursor": null}')
    result = unified(typed, environ=service.environ)
    assert (result.code, [seen.body for seen in service.seen]) == (0, [SENT[typed]]), result.stderr
