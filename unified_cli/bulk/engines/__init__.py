"""The clusters on which the tasks of long work can be done."""
