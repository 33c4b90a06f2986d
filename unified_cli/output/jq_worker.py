"""The process that runs jq programs for `jq_program`: started by its path, it imports
nothing of the package.
"""

import fcntl
import json
import os
import signal
import sys

import jq


def serve() -> None:
    """Answer each request on standard input with a line.

    Says first that it runs, and ends with standard input. A request is a line of JSON
    with the program, the bytes of its input and the seconds it may take, then the
    input.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            # A handler of Python would not run while jq does.
            signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGALRM, signal.SIGIO):
        signal.signal(number, signal.SIG_DFL)
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    # Standard error is not read any more once the worker runs.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        text = sys.stdin.buffer.read(request["size"]).decode()
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])
        # If the parent is killed, the end of the input sends the signal.
        fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC)
        try:
            answer = json.dumps({"results": jq.compile(request["program"]).input_text(text).all()})
        except ValueError as error:
            answer = json.dumps({"error": str(error)})
        fcntl.fcntl(0, fcntl.F_SETFL, flags)
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
