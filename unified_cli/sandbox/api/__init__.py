"""The operations of the sandbox: create, read, update and delete, lists and filters, and the actions."""
