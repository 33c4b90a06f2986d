"""The built-in commands, one module or package each."""
