"""A signal at a line of the program: what Python's own handler can interrupt, beside
calls of the system.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

_TRACED = ("commands", "exported", "storage", "writes")


def watch_lines(reached: Callable[[], None]) -> None:
    """Call this before each line that the main thread runs in the code that keeps
    state.
    """
    parts = tuple(f"/unified_cli/{name}/" for name in _TRACED)

    def on_call(frame: FrameType, _event: str, _argument: Any) -> Any:
        return on_line if any(part in frame.f_code.co_filename for part in parts) else None

    def on_line(_frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            reached()
        return on_line

    sys.settrace(on_call)
