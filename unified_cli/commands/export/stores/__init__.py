"""The places an export can go to."""
