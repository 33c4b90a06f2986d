"""Has a process that runs many commands read once what each command of a user reads
anew: import it, and it does.
"""

import functools
import inspect
import io
from collections.abc import Callable, Sequence
from typing import Any

import typer.main

from unified_cli import catalogue
from unified_cli.cli import aliases, flags, help_page, options, tree
from unified_cli.cli.flags import Argument, Flag
from unified_cli.config import user_catalogue
from unified_cli.http.transport import tls
from unified_cli.main import main
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

# A process reads the catalogue once; the thousands of commands in this one would read
# it each, and so would each of hundreds of sandboxes and each module of tests that asks
# for its operations.
catalogue.load = user_catalogue.load = functools.cache(user_catalogue.load)

# So does Typer with the options of a command: a fourth of the time of all tests would
# go into that.
Flag.parameter = functools.cache(Flag.parameter)  # type: ignore[method-assign]
Argument.parameter = functools.cache(Argument.parameter)  # type: ignore[method-assign]
_flags_of = functools.cache(flags.flags_of)
for _module in (flags, aliases, help_page, options, tree):
    _module.flags_of = _flags_of  # type: ignore[attr-defined]

# To know the system's authorities its whole bundle is read, for each report on this
# machine.
tls.system_has_authorities = functools.cache(tls.system_has_authorities)


def _once(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Typer's reading of a function, read once for the same parameters."""
    known: dict[tuple[int, ...], tuple[inspect.Signature, Any]] = {}

    def of(callback: Any) -> Any:
        if not callback:
            return read(callback)
        signature = inspect.signature(callback)
        # The signature is kept, so that the ids are not given to other parameters.
        parameters = tuple(map(id, signature.parameters.values()))
        if parameters not in known:

            def command() -> None:
                """Have these parameters."""

            command.__signature__ = signature  # type: ignore[attr-defined]
            known[parameters] = signature, read(command)
        return known[parameters][1]

    return of


for _name in ("get_params_from_function", "get_params_convertors_ctx_param_name_from_function"):
    setattr(typer.main, _name, _once(getattr(typer.main, _name)))


def help_of(*commands: Sequence[str]) -> None:
    """Read what these commands need, so that it is known to the children that a process
    forks.
    """
    for command in commands:
        assert main([*command, "--help"], Runtime(None, io.BytesIO(), Stderr(None), {})) == 0
    assert list(user_catalogue.load())
