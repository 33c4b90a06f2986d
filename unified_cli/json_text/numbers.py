"""Numbers that a jq program writes differently, because it computes in doubles."""

import re
from math import isinf

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_NUMBER = re.compile(rb"-?\d[\d.eE+-]*")
_SAFE_DIGITS = 15


def changed_by_jq(text: bytes) -> str | None:
    """The first number of a JSON text that jq writes as another text, as `1.10` becomes `1.1`; None without one."""
    for match in _NUMBER.finditer(_STRING.sub(b"", text)):
        number = match[0]
        if not (len(number) <= _SAFE_DIGITS and number.isdigit()) and _as_jq_writes(number) != number:
            return number.decode()
    return None


def _as_jq_writes(number: bytes) -> bytes:
    value = float(number)
    # What is greater than any double, jq writes as the greatest one.
    whole = not isinf(value) and value.is_integer()
    return (str(int(value)) if whole else repr(value)).encode()
