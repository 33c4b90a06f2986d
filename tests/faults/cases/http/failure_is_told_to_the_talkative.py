"""With -v each request and answer is a line, with -vv also headers and bodies, cut and
masked.
"""

from faults.case import CREATE, LIST, PAGE, Case, failure, listing
from faults.script import reply

LARGE = b'{"result":["' + b"\\u001b" * 200_000 + b'"]}'

CASES = {
    "one line each": Case(
        f"{LIST} -v",
        [failure(500), listing()],
        stderr=[
            r"(?m)^> GET @ORIGIN@/unified/ticketing/tickets\?integrated_account_id=ACCT-\w+$",
            r"(?m)^< 500 GET /unified/ticketing/tickets after \d+\.\d{3} s: ",
            r"(?m)^< 200 GET /unified/ticketing/tickets after \d+\.\d{3} s$",
        ],
        never=["(?i)authorization"],
        stdout=PAGE + b"\n",
    ),
    "headers and bodies": Case(
        f"{CREATE} -vv",
        [reply(b'{"id":"7"}', headers={"X-Seen": "yes\x1b[31m"})],
        stderr=[
            r'> {"name":"x"}',
            r"(?i)> idempotency-key: ",
            r'< {"id":"7"}',
            r"(?i)< x-seen: yes\\x1b\[31m",
        ],
    ),
    "a large body": Case(f"{LIST} -vv", [reply(LARGE)], stderr=["more characters"]),
    "a large request": Case(
        ["ticketing", "tickets", "list", "-v", "-q", "x=" + "y" * 60_000],
        stderr=["more characters"],
    ),
    "a large header": Case(
        f"{LIST} -vv", [reply(PAGE, headers={"X-Large": "x" * 60_000})], stderr=["more characters"]
    ),
    "quiet": Case(f"{LIST} --quiet", [failure(500), listing()], never=["."], stdout=PAGE + b"\n"),
    "quiet, but for the error": Case(
        f"{LIST} --quiet", [failure(500)], exit=5, stderr=["^error: [^\n]*\n$"]
    ),
}
