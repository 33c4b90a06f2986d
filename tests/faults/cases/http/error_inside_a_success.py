"""A 200 whose body is the service's error object is that error."""

from faults.case import LIST, PAGE, Case, envelope, listing
from faults.script import reply

HUGE = b'{"statusCode":1e300,"error":"Error","message":"large"}'
RECORD = b'{"id":"1","statusCode":500,"error":"a field of a record"}'

CASES = {
    "refused": Case(
        LIST, [reply(envelope(400, "no"))], exit=4, stderr=["answered 400 .*: no"], requests=1
    ),
    "not authorised": Case(LIST, [reply(envelope(401))], exit=7, requests=1),
    "once": Case(LIST, [reply(envelope(500)), listing()], stdout=PAGE + b"\n", requests=2),
    "a number that is no status": Case(LIST, [reply(HUGE)], exit=5, stderr=["large"], requests=5),
    "a record that only looks like it": Case(
        LIST, [reply(RECORD)], stdout=RECORD + b"\n", requests=1
    ),
}
