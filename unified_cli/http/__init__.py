"""One request, from its parts to a whole answer or a failure with a name."""
