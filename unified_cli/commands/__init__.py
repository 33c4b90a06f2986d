"""The command line: options, the tree of commands, and what each command does."""
