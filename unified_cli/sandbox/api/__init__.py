"""What the sandbox answers: create, read, update and delete, lists and filters, and the actions."""
