"""A number with its noun, as messages say it: `1 record`, `2 records`, `0 replies`."""


def counted(number: int, noun: str) -> str:
    """The number and the noun, in the plural unless it is one."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural(noun)}"


def all_of(number: int, noun: str) -> str:
    """All of them: `the only record`, `all 2 records`."""
    return f"the only {noun}" if number == 1 else f"all {counted(number, noun)}"


def plural(noun: str) -> str:
    """The plural of an English noun that forms it with -s or -ies."""
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"
