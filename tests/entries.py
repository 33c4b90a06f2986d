"""Every level and command of the program, built once for all tests that go through
them.
"""

from unified_cli.catalogue import load
from unified_cli.docs.__main__ import index

ENTRIES = index(load())
