"""Run jq programs for `jq_process`. This module is started by its path, and must not
import the package.
"""

import fcntl
import json
import os
import signal
import sys

import jq


def serve() -> None:
    """Read requests from stdin, and write one line for each response.

    Before the first request, the line "ready" reports the start. A request begins with
    a line of JSON, which has the program, the size of its input and its time limit in
    seconds. The input follows this line.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            # A handler would not run while jq runs.
            signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGALRM, signal.SIGIO):
        signal.signal(number, signal.SIG_DFL)
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    # The parent does not read stderr after the start.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        text = sys.stdin.buffer.read(request["size"]).decode()
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])
        # If the parent is killed, stdin ends, and this signal ends the process.
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
