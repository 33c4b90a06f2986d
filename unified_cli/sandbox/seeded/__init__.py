"""The seeded records of the sandbox: believable, related, and the same for the same seed."""
