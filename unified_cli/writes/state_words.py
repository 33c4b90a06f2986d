"""The words for the state of a run, each with what it means and what comes next."""

RUNNING, INTERRUPTED, DONE = "running", "interrupted", "done"
FAILED, IN_DOUBT, UNREADABLE = "failed in part", "in doubt", "unreadable"
STATES = {
    RUNNING: "a process is at work on it",
    INTERRUPTED: "something was not tried: runs resume",
    DONE: "all of it is done",
    FAILED: "something failed, and nothing else is left: runs retry",
    IN_DOUBT: "calls may or may not be done: runs show names the next command",
    UNREADABLE: "its journal is gone, damaged or not yours: runs remove",
}
