"""The states of a run, each with its meaning and the next command."""

RUNNING, INTERRUPTED, DONE = "running", "interrupted", "done"
FAILED, IN_DOUBT, UNREADABLE = "failed in part", "in doubt", "unreadable"
STATES = {
    RUNNING: "a process is working on the run",
    INTERRUPTED: "calls were not sent; runs resume sends them",
    DONE: "everything is done",
    FAILED: "calls failed, and the others are done; runs retry repeats them",
    IN_DOUBT: "calls may or may not be done; runs show names the next command",
    UNREADABLE: "the journal is missing, damaged or not yours; see runs remove",
}
