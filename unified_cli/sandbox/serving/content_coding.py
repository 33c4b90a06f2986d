"""Answers compressed with gzip, for clients that accept it."""

import gzip

from unified_cli.sandbox.messages import SandboxResponse

# A smaller body fits into one packet as it is.
_SMALLEST = 1024


def coded(answer: SandboxResponse, accepted: str) -> SandboxResponse:
    """The answer, its text in gzip where `accepted`, the Accept-Encoding of the request, allows it.

    A file keeps its bytes: its ETag and its ranges are about them. So does an answer that a fault cuts off.
    """
    kind = answer.headers.get("content-type", "")
    if len(answer.body) < _SMALLEST or "json" not in kind or "etag" in answer.headers or answer.cut is not None:
        return answer
    answer.headers["vary"] = "Accept-Encoding"
    if _accepts_gzip(accepted):
        answer.body = gzip.compress(answer.body, compresslevel=1, mtime=0)
        answer.headers["content-encoding"] = "gzip"
    return answer


def _accepts_gzip(accepted: str) -> bool:
    weights = {}
    for word in accepted.lower().split(","):
        name, _, weight = word.partition(";")
        weights[name.strip()] = weight.replace(" ", "").removeprefix("q=")
    weight = weights.get("gzip", weights.get("x-gzip", weights.get("*", "0")))
    return not weight or bool(weight.strip("0."))
