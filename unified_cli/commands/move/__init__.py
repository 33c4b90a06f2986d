"""`unified diff`, `unified plan` and `unified apply`."""
