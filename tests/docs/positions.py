"""Positions on command lines and what belongs there, from the table of options and the
tree of commands.
"""

import random

from entries import ENTRIES

from unified_cli.cli.command_index import CommandEntry
from unified_cli.output import formats

PROFILES = ("acme", "globex-2", "north.west")
CONFIG = """
base_url = "https://api.example.com"
[profiles.acme]
account_id = "1"
  [profiles.globex-2]   # with a comment
[profiles."north.west"]
"""


def positions() -> list[tuple[str, set[str]]]:
    """Fifty-odd lines of every kind, the same in each run, each with all that may be
    offered there.
    """
    dice = random.Random(8)
    groups = [entry for entry in ENTRIES if entry.words]
    commands = [entry for entry in ENTRIES if not entry.words]
    some = [ENTRIES[0], *dice.sample(groups[1:], 16)]
    found = [(_line(entry), {name for name, _ in entry.words}) for entry in some]
    found += [
        (f"unified -p acme -v {' '.join(entry.path)} ", {n for n, _ in entry.words})
        for entry in some[1:4]
    ]
    for entry in dice.sample(commands, 16):
        found.append((f"{_line(entry)}-", _options(entry)))
    found.append(("unified -", _options(ENTRIES[0])))
    for entry in dice.sample([one for one in commands if one.flags], 16):
        valued = [flag for flag in entry.flags if flag.choices or flag.takes == "connection"]
        flag = dice.choice(valued) if valued else None
        if flag:
            spelling = dice.choice(flag.spellings)
            found.append(
                (f"{_line(entry)}-v {spelling} ", set(flag.choices) or {"sandbox", *PROFILES})
            )
    exported = {*formats.names(formats.EXPORTS)}
    found += [
        (f"unified export ticketing {spelling} ", exported)
        for spelling in ("-o", "--output", "--format")
    ]
    found.append(("unified runs list -o ", {*formats.names(formats.TABLES)}))
    found.append(("unified -p ", {"sandbox", *PROFILES}))
    found.append(("unified --profile g", {"globex-2"}))
    found.append(("unified request ", {"GET", "POST", "PATCH", "PUT", "DELETE"}))
    found.append(("unified export tic", {"ticketing"}))
    found.append(
        (
            "unified import ticketing/ta",
            {"ticketing/tags", "ticketing/tasks", "ticketing/task_lists"},
        )
    )
    found.append(("unified help exi", {"exit-codes"}))
    found.append(("unified profile set acme time", {"timeout="}))
    found.append(("unified help req", {"request"}))
    found.append(("unified help exp", {"export"}))
    found.append(("unified help voice ", {"calls", "recordings"}))
    found.append(("unified help voice calls li", {"list"}))
    found.append(("unified help voice calls list -", {"--help", "-h", "--skill"}))
    found.append(("unified help profile sh", {"show"}))
    found.append(("unified profile show gl", {"globex-2"}))
    return found


def _line(entry: CommandEntry) -> str:
    return " ".join(["unified", *entry.path]) + " "


def _options(entry: CommandEntry) -> set[str]:
    return {"--help", "-h", *(spelling for flag in entry.flags for spelling in flag.spellings)}


def valued(spelling: str) -> bool:
    """Whether a value follows the option."""
    return any(
        flag.takes_value for entry in ENTRIES for flag in entry.flags if spelling in flag.spellings
    )
