"""The states of a run, each with its meaning and the next command."""

RUNNING, INTERRUPTED, DONE = "running", "interrupted", "done"
FAILED, IN_DOUBT, UNREADABLE = "failed in part", "in doubt", "unreadable"
STATES = {
    RUNNING: "a process is working on it",
    INTERRUPTED: "calls were not tried: runs resume",
    DONE: "everything is done",
    FAILED: "calls failed, and the others are done: runs retry",
    IN_DOUBT: "calls may or may not be done: runs show names the next command",
    UNREADABLE: "its journal is gone, damaged or not yours: runs remove",
}
