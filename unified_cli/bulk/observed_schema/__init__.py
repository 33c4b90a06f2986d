"""The shape of records as they were seen, and how it differs from another one."""
