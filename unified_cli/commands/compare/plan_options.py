"""The options of `unified plan`."""

from typing import Annotated

from unified_cli.cli.flags import COMPARE, Flag
from unified_cli.commands.compare.compare_options import CompareOptions


class PlanOptions(CompareOptions):
    """What is compared, and what the plan may do."""

    delete: Annotated[bool, Flag(("--delete",), COMPARE, "also delete what is only in --to")] = False
    all_fields: Annotated[bool, Flag(("--all-fields",), COMPARE, "send all fields, not only the known ones")] = False
