"""HTTP archives (HAR 1.2): every exchange of a command written to a file, and a command answered from one."""
