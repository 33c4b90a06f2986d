"""Numbers as JSON text: which of them a jq program changes, and which are the same number."""

import re
from math import isinf

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_NUMBER = re.compile(rb"-?\d[\d.eE+-]*")
_SAFE_DIGITS = 15
_PARTS = re.compile(rb"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?")
# An exponent of more digits is no measure of anything, and Python refuses to read very long ones.
_LONGEST_EXPONENT = 18


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


def canonical(number: bytes) -> bytes:
    """The one way to write this number: `1.10`, `1.1` and `11e-1` become the same text, and no digit is lost."""
    match = _PARTS.fullmatch(number)
    if match is None or len(match[4] or b"") > _LONGEST_EXPONENT:
        return number
    sign, whole, fraction, exponent = match[1], match[2], match[3] or b"", int(match[4] or 0)
    digits = (whole + fraction).lstrip(b"0")
    if not digits:
        return b"0"
    kept = digits.rstrip(b"0")
    exponent += len(digits) - len(kept) - len(fraction)
    return sign + kept + (b"e%d" % exponent if exponent else b"")
