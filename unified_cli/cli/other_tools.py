"""Options as gh, aws, gcloud, kubectl, curl, httpie and jq spell them, and what to type
instead.

Used only if a command line could not be parsed.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from unified_cli.hints import quoted, selecting
from unified_cli.output import formats

_PLACE = re.compile(r"\{(.+?)\}")
_AWS_FILTER = re.compile(r"Name=([^,=]+),Values=([^,=]+)")


class OwnSpelling(NamedTuple):
    """The text to type instead. `{NAME}` represents the value.

    With an `option`, the advice is only for commands that have it.
    """

    option: str
    text: str

    def in_words(self, value: str = "") -> str:
        """Return the text with the value, or without a value with the placeholder's
        name.
        """
        return _PLACE.sub(lambda place: quoted(value) if value else place[1], self.text)


_TOKENS = (
    "--token --auth --auth-token --api-key --bearer --access-token --password --secret -u --user"
)
_FORMATS = ", ".join(formats.names(formats.RESULTS))
_GROUPS: Mapping[str, OwnSpelling] = {
    "--filter --filters --params --param --query-string --where": OwnSpelling(
        "--query", "-q {NAME=VALUE} filters"
    ),
    "--search -S --grep --keyword": OwnSpelling(
        "--query",
        "-q NAME=VALUE, with a filter that the list's help names; --jq selects from what was read",
    ),
    "--selector --labels --label --tag --tags -l": OwnSpelling(
        "--profile", "-p tag:{NAME} selects profiles"
    ),
    (
        "--namespace --context --connection --use-profile --repo --tenant --customer --env"
        " --environment -n -P -R"
    ): OwnSpelling("--profile", "-p {NAME} chooses a connection"),
    "--all-namespaces --all-profiles --all-connections -A": OwnSpelling(
        "--profile", "-p '*' takes every profile"
    ),
    "--account --account_id": OwnSpelling("--account-id", "-a {ID}"),
    "--json": OwnSpelling("--output", "-o json prints JSON; -d JSON is a body"),
    "--output-format --out-format --as-json --print": OwnSpelling(
        "--output", f"-o FORMAT: {_FORMATS}"
    ),
    "--format": OwnSpelling("--output", f"-o {{FORMAT}}: {_FORMATS}"),
    "--csv": OwnSpelling("--output", "-o csv"),
    "--yaml": OwnSpelling("--output", "-o yaml"),
    "--table --human": OwnSpelling("--output", "-o table"),
    "--ndjson --jsonl --compact --compact-output -c": OwnSpelling("--output", "-o ndjson"),
    "--raw": OwnSpelling("--output", "-o raw"),
    "--ids --id-only --only-ids": OwnSpelling("--output", "-o ids"),
    "--raw-output -r": OwnSpelling(
        "--output", "--jq prints JSON; -o tsv --columns NAME prints text"
    ),
    "--fields --select --show-fields --no-headers --column": OwnSpelling(
        "--columns", "--columns {id,status.name}"
    ),
    "--assert --expects --must": OwnSpelling("--expect", "--expect {JQ}"),
    "--overwrite --clobber": OwnSpelling("--force", "--force"),
    "--jsonpath --jmespath --template --expression -t": OwnSpelling("--jq", "--jq EXPR"),
    "--output-file --out-file --outfile --download --save --save-to -O": OwnSpelling(
        "--out", "--out {FILE}"
    ),
    "--paginate --all-pages --follow-pages --slurp --everything --fetch-all": OwnSpelling(
        "--all", "--all reads every page"
    ),
    "--no-paginate --single-page": OwnSpelling("--all", "leave it out: one page is the default"),
    (
        "--max-items --max-results --max-records --max --count --first --head --top --take --size"
        " --tail -L"
    ): OwnSpelling("--limit", "--limit {N}"),
    "--per-page --per_page --page_size --chunk-size": OwnSpelling("--page-size", "--page-size {N}"),
    "--starting-token --page-token --after --next --next-cursor": OwnSpelling(
        "--cursor", "--cursor C"
    ),
    "--page --offset": OwnSpelling("--cursor", "pages have no numbers: --all, or --cursor C"),
    (
        "--start --start-date --begin --newer-than --updated-since --updated-after --changed-since"
    ): OwnSpelling("--since", "--since {TIME}"),
    "--before --end --end-date": OwnSpelling(
        "--query", "-q 'created_at[lt]=TIME', if the list's help names this filter"
    ),
    "--exclude --except --without": OwnSpelling(
        "--profile", "-p '!NAME' leaves out a profile that a glob or a tag selects"
    ),
    "--pretty-print --indent": OwnSpelling("--pretty", "--pretty"),
    "--sort --sort-by --order-by --order": OwnSpelling(
        "--query", "-q 'sort_by[NAME]=asc', with a sort key that the list's help names"
    ),
    "--body --payload --data-raw --data-json --content": OwnSpelling(
        "--data", "-d {JSON}, or -d @FILE"
    ),
    (
        "--input --filename --file --data-file --from-file --body-file --data-binary"
        " --json-file --from-json --cli-input-json"
    ): OwnSpelling("--data", "-d @{FILE}"),
    "--set --form": OwnSpelling("--field", "-F {NAME=JSON}, or -f NAME=STRING"),
    "--generate-cli-skeleton --example --sample": OwnSpelling("--skeleton", "--skeleton"),
    "--upload-file --attach --attachment -T": OwnSpelling("--upload", "--upload {FILE}"),
    "-X --request --method": OwnSpelling(
        "", "the operation is the method; unified request METHOD PATH calls any path"
    ),
    "-H --header --headers": OwnSpelling(
        "", "headers are set for you; --token-file and --idempotency-key have values"
    ),
    "-V --Version --version": OwnSpelling("", "unified --version"),
    "--id": OwnSpelling("", "the id comes after the operation, without an option"),
    _TOKENS: OwnSpelling("--token-file", "others can see a command line: --token-file FILE"),
    "--endpoint-url --endpoint --url --host --hostname --server --api-url": OwnSpelling(
        "--base-url", "--base-url {URL}"
    ),
    "--insecure --no-verify --no-verify-ssl --verify --insecure-skip-tls-verify -k": OwnSpelling(
        "--ca-bundle", "certificates are always verified; --ca-bundle FILE trusts another authority"
    ),
    "--cacert --ca-cert --certificate-authority": OwnSpelling("--ca-bundle", "--ca-bundle {FILE}"),
    "--proxy -x": OwnSpelling(
        "--ca-bundle", "the proxy comes from the environment: HTTPS_PROXY={URL}"
    ),
    (
        "--max-time --connect-timeout --request-timeout --read-timeout --cli-read-timeout"
        " --cli-connect-timeout -m"
    ): OwnSpelling("--timeout", "--timeout {S}"),
    "--retry --max-retries --max-attempts": OwnSpelling("--retries", "--retries {N}"),
    "--rate-limit --rps --qps --throttle": OwnSpelling(
        "--rate", "--rate N bounds the requests in 10 s"
    ),
    "--jobs --concurrency --parallel --threads -j": OwnSpelling("--workers", "--workers {N}"),
    "--dryrun --check --simulate --noop --no-op --what-if": OwnSpelling("--dry-run", "--dry-run"),
    "--curl --as-curl --show-curl": OwnSpelling("--as", "--as curl"),
    "--confirm --no-confirm --assume-yes --auto-approve --approve --yolo": OwnSpelling(
        "--yes", "--yes"
    ),
    "--non-interactive --no-prompt --batch --no-interactive": OwnSpelling(
        "--no-input", "--no-input"
    ),
    "--silent --only-show-errors -s": OwnSpelling("--quiet", "--quiet"),
    "--debug --trace --log-level --http-debug --include -i": OwnSpelling(
        "--verbose", "-v, or -vv with headers and bodies"
    ),
    "--no-color --no-colour --colour --monochrome-output": OwnSpelling("--color", "--color never"),
    "--color-output": OwnSpelling("--color", "--color always"),
    "--watch --wait --wait-for -w": OwnSpelling(
        "--until", "--until JQ repeats until it is true; on a list, --follow prints new records"
    ),
    "--no-cli-pager": OwnSpelling("--no-pager", "--no-pager"),
    "--pager": OwnSpelling("", "UNIFIED_PAGER names it"),
    "--region": OwnSpelling("", "leave it out"),
    "--web --fail --location --show-error --compressed --ignore-not-found": OwnSpelling(
        "", "leave it out"
    ),
}

_BY_OPTION = {spelling: own for spellings, own in _GROUPS.items() for spelling in spellings.split()}

_AS_COLUMNS = OwnSpelling("--columns", "-o json --columns {NAMES}")
_AS_BODY = OwnSpelling("--data", "-d {JSON}")

# Options that mean something else before a number.
_COUNTS: Mapping[str, OwnSpelling] = {
    **dict.fromkeys(("-n", "--last", "-l"), OwnSpelling("--limit", "--limit {N}")),
    "--wait": OwnSpelling("--wait-timeout", "--wait-timeout {S}"),
}
_OF_VALUES: Mapping[str, OwnSpelling] = {
    "-i": OwnSpelling("--data", "-d @{FILE}"),
    "-c": OwnSpelling("--columns", "--columns {NAMES}"),
}
_TIME = re.compile(r"\d{4}-\d\d.*|\d+[a-z]")
_SORTS = ("--sort", "--sort-by", "--order-by")
_SORT_KEY = re.compile(r"[-+]?([A-Za-z_][\w.]*)(?:[: ,](asc|desc))?", re.IGNORECASE)
_TIMES = ("--after", "--from", "--start", "--begin")
_SINCE = OwnSpelling("--since", "--since {TIME}")
_SEARCHES = ("--search", "-S", "--grep", "--keyword", "--match", "--contains")
_GROUPINGS = ("--group-by", "--groupby", "--group")
FILTERS = ("--filter", "--filters", "--where", "--select")
_CONDITION = re.compile(r"\.?(\w[\w.]*)\s*==?\s*[\"']?([^\"'=|]+?)[\"']?\s*", re.ASCII)
_LITERAL = re.compile(r"true|false|null|-?\d+(\.\d+)?", re.ASCII)
_JQ = re.compile(r"\.\w.*|select\(.*|.*==.*", re.DOTALL)

_TO_SHELL = OwnSpelling("--output", "> {FILE}")
_SIDES = OwnSpelling("--from", "--from {PROFILE} --to PROFILE names the two sides")
_OF_FOLDER = (OwnSpelling("--from", "> {FILE}"), OwnSpelling("--to", "--to {DIR}"), _TO_SHELL)
_AGAIN = OwnSpelling("--restart", "--restart reads everything again")

# Options of single commands, which take precedence over the general ones.
_ELSEWHERE: Mapping[str, Sequence[OwnSpelling]] = {
    **dict.fromkeys(("-p", "--profile"), (_SIDES,)),
    **dict.fromkeys(
        ("--out", "--output-dir", "--dir", "--dest", "--destination", "--folder"), _OF_FOLDER
    ),
    **dict.fromkeys(("-o", "--output"), (OwnSpelling("--from", "> {FILE}"),)),
    **dict.fromkeys(("--full", "--refresh", "--force", "--overwrite"), (_AGAIN,)),
    **dict.fromkeys(
        ("--yes", "-y"), (OwnSpelling("--stages", "leave it out: it was asked when the run began"),)
    ),
    **dict.fromkeys(
        ("--port", "--http", "--sse", "--transport", "--stdio"),
        (OwnSpelling("--allow-writes", "leave it out: standard input and output are served"),),
    ),
    **dict.fromkeys(
        ("--write", "--writes", "--allow-write"), (OwnSpelling("--allow-writes", "--allow-writes"),)
    ),
    **dict.fromkeys(("--source", "--src", "--left"), (OwnSpelling("--from", "--from {SIDE}"),)),
    **dict.fromkeys(("--target", "--dst", "--right"), (OwnSpelling("--to", "--to {SIDE}"),)),
    "--check": (OwnSpelling("--verify", "--verify {DIR}"),),
    "--limit": (
        OwnSpelling(
            "--incremental", "an export is whole; list with --limit N --out FILE reads a part"
        ),
        OwnSpelling("--restart", "leave it out: an import sends every record"),
        OwnSpelling("--where", "leave it out: all are listed; --where JQ selects some"),
    ),
    **dict.fromkeys(
        ("--resume", "--continue"),
        (
            OwnSpelling("--incremental", "leave it out: an export continues where it stopped"),
            OwnSpelling("--restart", "leave it out: an import continues where it stopped"),
        ),
    ),
    **dict.fromkeys(("--mode", "--action"), (OwnSpelling("--operation", "--operation {NAME}"),)),
    "--all": (OwnSpelling("--incremental", "leave it out: an export reads every page"),),
    **{
        f"--{name}": (OwnSpelling("--operation", f"--operation {name}"),)
        for name in ("create", "update", "delete")
    },
    "--tags": (OwnSpelling("--tag", "--tag {NAME}"),),
    **dict.fromkeys(
        ("--sep", "--separator", "--delim", "--field-separator"),
        (OwnSpelling("--delimiter", "--delimiter {CHAR}"),),
    ),
    **dict.fromkeys(
        ("--skip-errors", "--ignore-errors", "--continue-on-error", "--keep-going"),
        (
            OwnSpelling("--fail-fast", "leave it out: a record that fails stops no other"),
            OwnSpelling("--max-failures", "leave it out: a call that fails stops no other"),
        ),
    ),
    **dict.fromkeys(
        ("--jq", "--columns"),
        (
            OwnSpelling("--map", "--map {PROGRAM}"),
            OwnSpelling("--output", "-o json, and jq after a pipe"),
        ),
    ),
    **dict.fromkeys(
        _TOKENS.split(),
        (
            OwnSpelling(
                "--shared",
                "others can see a command line: it is asked for, or --token-stdin reads it",
            ),
            OwnSpelling(
                "--token-command",
                "others can see a command line: leave it out, then unified profile login NAME",
            ),
            OwnSpelling(
                "--token-stdin",
                "others can see a command line: --token-file FILE, --token-stdin or unified profile"
                " login",
            ),
        ),
    ),
    "--id": (OwnSpelling("--token-command", "-a {ID}"),),
    "--list": (OwnSpelling("--tasks", "--dry-run prints the lists"),),
}

"""Options of single commands, each with a word of the command."""

ARGUMENTS: Mapping[str, OwnSpelling] = {
    "all": OwnSpelling("--all", "--all reads every page"),
    "json": OwnSpelling("--output", "-o json"),
    "csv": OwnSpelling("--output", "-o csv"),
    "table": OwnSpelling("--output", "-o table"),
}
"""Words that the command has as an option instead of an argument."""


def _as_select(program: str) -> str:
    return program if program.startswith("select(") else f"select({program})"


def _conditions(value: str) -> Sequence[OwnSpelling]:
    """Return our options for a condition such as `status == active`."""
    found = [OwnSpelling("--all", selecting(_as_select(value)))]
    found = found if _JQ.fullmatch(value) else []
    if not (pair := _CONDITION.fullmatch(value)):
        return (OwnSpelling("--where", "--where {JQ}"), *found)
    name, wanted = pair.groups()
    literal = wanted if _LITERAL.fullmatch(wanted) else f'"{wanted}"'
    where = OwnSpelling("--where", f"--where {quoted(f'.{name} == {literal}')}")
    if value == f"{name}={wanted}" or value.startswith("."):
        return (where, *found)
    # Also show the query parameter for a condition with `==` or with spaces.
    return (where, OwnSpelling("--query", f"-q {quoted(f'{name}={wanted}')} filters"))


def _groups(name: str) -> OwnSpelling:
    program = f".result | group_by(.{name}) | map([.[0].{name}, length])"
    return OwnSpelling("--all", f"--all --jq {quoted(program)}")


def _search(value: str) -> OwnSpelling:
    text = json.dumps(value, ensure_ascii=False)
    return OwnSpelling("--all", selecting(f'select(tojson | test({text}; "i"))'))


def _sort_query(key: str, direction: str) -> OwnSpelling:
    return OwnSpelling("--query", f"-q {quoted(f'sort_by[{key}]={direction}')}")


def _sorted_by(option: str, value: str) -> Iterator[OwnSpelling]:
    if option == "--order" and value.lower() in {"asc", "desc"}:
        yield _sort_query("created_at", value.lower())
    if option in _SORTS and (key := _SORT_KEY.fullmatch(value)):
        falls = value.startswith("-") or (key[2] or "").lower() == "desc"
        yield _sort_query(key[1], "desc" if falls else "asc")


def _by_value(option: str, value: str) -> Iterator[OwnSpelling]:
    """Yield our options for an option whose meaning depends on its value."""
    if option in _COUNTS and value.isdecimal():
        yield _COUNTS[option]
    if option == "--json" and value:
        yield _AS_BODY if value.startswith(("{", "[")) else _AS_COLUMNS
    if option in _TIMES and _TIME.fullmatch(value):
        yield _SINCE
    yield from _sorted_by(option, value)
    if option in _OF_VALUES and value:
        yield _OF_VALUES[option]
    if option in FILTERS:
        yield from _conditions(value)
    if filtered := _AWS_FILTER.fullmatch(value):
        yield OwnSpelling("--query", f"-q {quoted('='.join(filtered.groups()))} filters")


def _programs(option: str, value: str) -> Iterator[OwnSpelling]:
    if option in _SEARCHES and value:
        yield _search(value)
    if option in _GROUPINGS and value:
        yield _groups(value)
    if option == "--count" and not value:
        yield OwnSpelling("--all", "--all --jq '.result | length'")


def own_spellings(option: str, value: str = "") -> Sequence[OwnSpelling]:
    """Return our options for another tool's option with this value.

    No command has more than one of them.
    """
    before = [*_ELSEWHERE.get(option, ()), *_by_value(option, value), *_programs(option, value)]
    # A number after -n is a count, not the name of a profile.
    is_known = option in _BY_OPTION and not (option in {"-n", "-l"} and value.isdecimal())
    usual = [_BY_OPTION[option]] if is_known else []
    return [*before, *usual, *(_OF_FOLDER if usual and usual[0].option == "--out" else ())]
