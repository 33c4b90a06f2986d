"""The doctor's checks of this machine. They send nothing."""

import os
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from unified_cli import __version__, hints, os_limits
from unified_cli.cli import aliases
from unified_cli.cli.command import CommandContext
from unified_cli.commands.doctor import versions
from unified_cli.config import (
    address,
    connection_facts,
    file,
    keyring,
    old_files,
    other_program,
    resolution,
    token,
)
from unified_cli.config.connection_facts import ConnectionFact
from unified_cli.config.file import Config
from unified_cli.config.keys import KEYS, PREFIX, Overrides
from unified_cli.config.profiles import names_no_connection
from unified_cli.config.settings import Settings
from unified_cli.config.token import TokenSource
from unified_cli.errors import ConfigError, UnifiedError
from unified_cli.fleet.tokens import Tokens
from unified_cli.http.transport import proxy, tls
from unified_cli.plural import ago, counted, named
from unified_cli.runtime import Runtime
from unified_cli.storage import permissions


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    `error` is the error that a call would raise, and `remedy` the way to fix it. Unless
    `always` is set, the result is printed only if there is a problem.
    """

    check: str
    subject: str
    message: str
    remedy: str = ""
    error: UnifiedError | None = None
    doubtful: bool = False
    always: bool = False

    @property
    def level(self) -> str:
        """`ok`, `warning` or `error`."""
        return "error" if self.error else "warning" if self.doubtful else "ok"

    @classmethod
    def failed(cls, check: str, subject: str, error: UnifiedError) -> "Finding":
        """Return a finding that makes calls fail."""
        return cls(check, subject, error.reason, error.hint or "", error)


_LEFTOVER = re.compile(r"\..+\.[0-9a-f]{12}\.part")
_ANY = address.Address("https", "service.invalid", 443)


def machine(runtime: Runtime, ca_bundle: str | None) -> Iterator[Finding]:
    """Yield the versions, the environment, the network settings, and the folders."""
    about = versions.program_in_words()
    yield Finding("program", f"unified {__version__}", about, always=True)
    yield Finding("packages", "", versions.packages_in_words())
    yield from _variables(runtime)
    yield from _network_settings(runtime, ca_bundle)
    data = runtime.folder("data")
    if data is None or not _is_writable(data):
        message = (
            f"{data or 'no home directory'}: not writable, so each command starts with a fresh"
            " sandbox"
        )
        yield Finding("data folder", str(data or ""), message, doubtful=True)
    else:
        yield Finding("data folder", str(data), "writable")
    if old := old_files.powershell_script(runtime.environ):
        message = "made by an older version; there is no completion for PowerShell any more"
        remedy = f"rm {shlex.quote(str(old))}, and remove its line from your $PROFILE"
        yield Finding("completion", str(old), message, remedy, doubtful=True)


def _is_writable(folder: Path) -> bool:
    try:
        existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    except OSError:
        # This user may not be allowed to search a parent folder.
        return False
    return os.access(existing, os.W_OK)


def _variables(runtime: Runtime) -> Iterator[Finding]:
    known = {key.variable: key for key in KEYS.values() if key.env}
    for name in sorted(name for name in runtime.environ if name.startswith(PREFIX)):
        if name not in known:
            close = get_close_matches(name, known, 1)
            remedy = f"unset {name}" + (f", or did you mean {close[0]}" if close else "")
            yield Finding("environment", name, "unknown variable, ignored", remedy, doubtful=True)
        elif value := runtime.environ[name]:
            try:
                known[name].parse(value)
            except ValueError as error:
                yield Finding.failed(
                    "environment", name, ConfigError(f"{name} {error}", hint=f"unset {name}")
                )
            else:
                yield Finding("environment", name, "set")


def _network_settings(runtime: Runtime, ca_bundle: str | None) -> Iterator[Finding]:
    try:
        setting = proxy.proxy_for(_ANY, runtime.environ)
    except ConfigError as error:
        yield Finding.failed("proxy", "", error)
    else:
        words = (
            f"{address.masked(setting.text)} by {setting.variable}"
            if setting
            else "none: direct connection"
        )
        yield Finding("proxy", "", words)
    bundle = ca_bundle or runtime.environ.get(KEYS["ca_bundle"].variable)
    try:
        tls.tls_context(bundle, runtime.environ)
    except ConfigError as error:
        yield Finding.failed("authorities", str(bundle or ""), error)
    else:
        own = [name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if runtime.environ.get(name)]
        system = (
            "those of the system"
            if tls.system_has_authorities()
            else "those of certifi, as the system has none,"
        )
        words = f"those of {' and '.join(own)}" if own else system
        yield Finding("authorities", str(bundle or ""), f"{words} can be used")


def configuration(runtime: Runtime, first_words: Collection[str]) -> Iterator[Finding]:
    """Yield the findings on the config file.

    They are about its path, permissions, names and aliases. `first_words` are the names
    of commands and APIs, which an alias cannot have.
    """
    path = file.locate(runtime)
    if path is None:
        yield Finding(
            "config",
            "",
            "no home directory for the config file; only the environment is used",
            doubtful=True,
        )
        return
    try:
        found = file.content(path)
        if found is None:
            yield Finding("config", str(path), "no such file; only the environment is used")
            return
        data = file.load(path, found[0])
    except ConfigError as error:
        yield Finding.failed("config", str(path), error)
        return
    wrong = [(problem, False) for problem in file.problems(data)] or [
        *aliases.problems(file.parse(path, found[0]), first_words)
    ]
    for problem, ignored in wrong:
        failed = Finding.failed("config", str(path), problem)
        yield replace(failed, error=None, doubtful=True) if ignored else failed
    if not wrong:
        yield Finding("config", str(path), counted(len(data.get("profiles", {})), "profile"))
    if permissions.readable_by_others(found[1]):
        yield Finding(
            "permissions",
            str(path),
            "others can read it",
            hints.make_private(path),
            doubtful=True,
        )
    else:
        yield Finding("permissions", str(path), "only this user can read and write it")
    yield from _leftovers(path)


def _leftovers(path: Path) -> Iterator[Finding]:
    folder = os_limits.resolve_path(path).parent
    for entry in sorted(folder.iterdir()):
        if _LEFTOVER.fullmatch(entry.name):
            message = "left by a process that was killed; the next change removes it"
            yield Finding("config", str(entry), message, f"rm {entry}", doubtful=True)


def profiles(
    context: CommandContext, config: Config, names: Sequence[str | None], tokens: Tokens
) -> Iterator[Finding]:
    """Check that each profile is complete and its token readable.

    Valid profiles share a row, and so do profiles with the same failure.
    """
    found = [*_each_profile(context, config, names, tokens)]
    failing: dict[tuple[str, str, str], list[str]] = {}
    for finding in found:
        if finding.error is not None:
            failing.setdefault((finding.check, finding.message, finding.remedy), []).append(
                finding.subject
            )
    for finding in found:
        if finding.error is None:
            yield finding
        elif subjects := failing.pop((finding.check, finding.message, finding.remedy), None):
            yield replace(finding, subject=named(subjects))


def _each_profile(
    context: CommandContext, config: Config, names: Sequence[str | None], tokens: Tokens
) -> Iterator[Finding]:
    runtime = context.runtime
    ready: Counter[str] = Counter()
    listed: dict[str, ConnectionFact] = {}
    examined: dict[str, ConfigError | None] = {}
    unused: Counter[str] = Counter()
    for name in names:
        subject = name or ""
        try:
            resolved = resolution.resolve(Overrides(name), runtime, config)
            if name is None and resolved.address is None and resolved.account_id is None:
                message = "no profiles, and no connection in the environment"
                yield Finding("profile", "", message, "unified profile add NAME", doubtful=True)
                continue
            if name and names_no_connection(config, name):
                resolved = resolved.without_account()
                message = "names no connection: only connections and doctor can use it"
                yield Finding("profile", name, message)
            resolved.reachable()
            yield from _base_url_finding(subject, resolved, context)
            unused.update(_unused_token_reason(resolved))
            source = _token_of(resolved)
        except UnifiedError as wrong:
            yield Finding.failed("profile", subject, wrong)
            continue
        key = repr((source.kind, source.detail, source.origin, source.source))
        if key not in examined:
            examined[key] = _token_error(source, runtime, tokens)
        error = examined[key]
        if error is not None:
            yield Finding.failed("token", subject, error)
            continue
        if source.kind == "token":
            yield _plain(subject, source)
        ready[source.kind] += 1
        if known := connection_facts.recall(runtime, resolved):
            listed[subject] = known
    for kind, count in ready.items():
        yield Finding("profiles", kind, f"{count} ready, token {_WORDS.get(kind, f'by {kind}')}")
    yield from _left_out(unused)
    yield from _last_states(listed, context)


def _left_out(unused: Mapping[str, int]) -> Iterator[Finding]:
    for why, count in unused.items():
        yield Finding(
            "token", KEYS["token"].variable, f"not used by {counted(count, 'profile')}: {why}"
        )


def _plain(name: str, source: TokenSource) -> Finding:
    remedy = f"unified profile login {source.profile or '--shared'} --store keyring"
    return Finding("token", name, "plain text in the config file", remedy, doubtful=True)


def _base_url_finding(name: str, resolved: Settings, context: CommandContext) -> Iterator[Finding]:
    found, prefix = resolved.address, context.catalogue.service.prefix
    if found and found.path.endswith(prefix):
        source = resolved.values["base_url"].source
        shorter = str(found).removesuffix(prefix)
        variable = KEYS["base_url"].variable
        option = name if source.startswith("profile") else "--default"
        remedy = (
            f"{variable}={shorter}"
            if source == variable
            else f"unified profile set {option} base_url={shorter}"
        )
        message = (
            f"ends in {prefix}, which each path already begins with: all calls would end with 404"
        )
        yield Finding("base URL", name, message, remedy, doubtful=True)


def _unused_token_reason(resolved: Settings) -> Iterator[str]:
    variable = KEYS["token"].variable
    if resolved.token is not None:
        for left in resolved.tokens_left:
            if left.startswith(variable):
                why = left.removeprefix(variable).removeprefix(", which ")
                yield f"it {why}" if why else "a profile's own token takes precedence"


def _last_states(
    listed: Mapping[str, ConnectionFact], context: CommandContext
) -> Iterator[Finding]:
    active = [known for known in listed.values() if known.status == connection_facts.ACTIVE]
    for name, known in listed.items():
        if known.status not in {"", connection_facts.ACTIVE}:
            reauth = known.status in context.catalogue.service.connections.needs_login.split()
            remedy = hints.needs_login(name) if reauth else "unified connections list --health"
            yield Finding("connection", name, known.in_words, remedy, doubtful=True)
    if active:
        products = Counter(known.product for known in active if known.product)
        shown = ", ".join(f"{product} {count}" for product, count in products.most_common())
        age = ago(max(known.age for known in active))
        yield Finding("connections", shown, f"{len(active)} active, listed {age}")


_WORDS = {
    "environment": "in the environment",
    "keyring": "in the keyring",
    "token_file": "in a file",
    "token_command": "from a command, which was not run",
    "token": "in the config file",
    "sandbox": "not needed",
}


def _token_of(resolved: Settings) -> TokenSource:
    if resolved.token is None:
        raise resolved.no_token_error()
    return resolved.token


def _token_error(source: TokenSource, runtime: Runtime, tokens: Tokens) -> ConfigError | None:
    try:
        if source.kind == "token_command":
            if other_program.find(source.detail[0], runtime.environ) is None:
                return ConfigError(f"no program {source.detail[0]!r}", hint=hints.NAME_PROGRAM)
        elif source.kind == "token":
            # Do not call `token.read`: it would warn of plain text, which has its own
            # finding.
            token.checked(os.fsencode(source.detail), f"the token from {source.source}")
        else:
            if source.kind == "keyring":
                keyring.backend_name()
            tokens.get(source)
    except ConfigError as error:
        return error
    return None
