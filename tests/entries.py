"""Every level and command of the program, built once for all tests that go through them."""

from unified_cli.app import index
from unified_cli.catalogue import load

ENTRIES = index(load())
