"""The command line itself: options, the tree of commands, help pages, prompts."""
