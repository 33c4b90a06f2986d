"""The words of a specification of faults, each with what it does and an example: for help and for messages."""

from typing import NamedTuple


class FaultWord(NamedTuple):
    """A word as it is spelled, what it does, and an example."""

    spelling: str
    about: str
    example: str

    @property
    def name(self) -> str:
        """The word without its value."""
        return self.spelling.partition("=")[0]


FAULT_WORDS = (
    FaultWord("429=CHANCE", "this status as the answer, any of 400 to 599; nothing is done", "500=2"),
    FaultWord("reset=CHANCE", "the connection is reset before anything is done", "reset=1%"),
    FaultWord("truncate=CHANCE", "the answer is cut in the middle", "truncate=3"),
    FaultWord("html=CHANCE", "the answer is 200 with a web page", "html=1"),
    FaultWord("lose-reply=CHANCE", "a write takes effect and its answer is lost", "lose-reply=5%"),
    FaultWord("slow=TIME", "every answer comes after that time", "slow=200ms"),
    FaultWord("rate=N/TIME", "so many requests per connection in that time, then 429", "rate=5/1s"),
    FaultWord(
        "rate-headers=WORD",
        "the headers that tell of that rate: all, none, retry-after (with a 429) or ratelimit (always)",
        "rate-headers=retry-after",
    ),
    FaultWord("page-size=N", "pages are never longer", "page-size=3"),
    FaultWord("cursor-ttl=TIME", "how long a cursor is valid", "cursor-ttl=2s"),
    FaultWord("empty-pages=CHANCE", "a page without records though more follow", "empty-pages=2"),
    FaultWord("dup-cursor=CHANCE", "a page's cursor leads to that same page again", "dup-cursor=2"),
    FaultWord("drift=CHANCE", "between two pages a record is deleted or added", "drift"),
    FaultWord(
        "idempotency=WORD", "on; off: keys are ignored; cache500: a 500 is repeated for its key", "idempotency=off"
    ),
    FaultWord("actions=WORD", "an action's record comes wrapped in an envelope, or bare", "actions=bare"),
    FaultWord("delete=WORD", "what a delete answers: id, record or 204", "delete=204"),
)
"""Words are separated by commas or line breaks. A CHANCE is `5%`, a number n for the n-th request of those that the
fault can concern, or nothing for all of them; a TIME is `200ms`, `2s` or `1m`."""
