"""The routes about the connections themselves: which there are, and what each offers."""
