"""An empty answer to a read is no answer; to a delete or an action it is success."""

from faults.case import CREATE, DELETE, GET, LIST, Case
from faults.script import reply

SUSPEND = "user-directory users suspend -f user_id=42"

CASES = {
    "list": Case(LIST, [reply(b"")], exit=5, stderr=["the answer is empty"], requests=5),
    "get": Case(GET, [reply(b"")], exit=5, stderr=["the answer is empty"], requests=5),
    "list, 204": Case(
        LIST, [reply(b"", 204, kind=None, length=None)], exit=5, stderr=["empty"], requests=5
    ),
    "blanks": Case(LIST, [reply(b" \n")], exit=5, stderr=["empty"], requests=5),
    "delete": Case(DELETE, [reply(b"", 204, kind=None, length=None)], stderr=["done"], requests=1),
    "action": Case(SUSPEND, [reply(b"", 204, kind=None, length=None)], stderr=["done"], requests=1),
    "create": Case(CREATE, [reply(b"", 201)], stderr=["done"], requests=1),
}
