"""How gh, aws, gcloud, kubectl, curl and httpie spell what has another name here."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple


class OwnSpelling(NamedTuple):
    """What to type instead; `option` is the one that a command must have for it, empty where it needs none."""

    option: str
    text: str


_GROUPS: Mapping[str, OwnSpelling] = {
    "--filter --filters --params --param --query-string": OwnSpelling("--query", "-q NAME=VALUE filters"),
    "--selector --labels --label --tag -l": OwnSpelling("--profile", "-p tag:NAME selects profiles"),
    "--namespace --context --connection --use-profile -n": OwnSpelling("--profile", "-p NAME chooses a connection"),
    "--all-namespaces --all-profiles -A": OwnSpelling("--profile", "-p '*' takes every profile"),
    "--account --account_id": OwnSpelling("--account-id", "-a ID"),
    "--json": OwnSpelling("--output", "-o json prints JSON; -d JSON is a body"),
    "--format --output-format --out-format --as-json --print": OwnSpelling(
        "--output", "-o FORMAT: json, ndjson, table, csv, tsv, yaml, ids, raw"
    ),
    "--csv": OwnSpelling("--output", "-o csv"),
    "--yaml": OwnSpelling("--output", "-o yaml"),
    "--table": OwnSpelling("--output", "-o table"),
    "--ndjson --jsonl": OwnSpelling("--output", "-o ndjson"),
    "--raw": OwnSpelling("--output", "-o raw"),
    "--fields --select --show-fields --no-headers": OwnSpelling("--columns", "--columns id,status.name"),
    "--jsonpath --jmespath --template -t": OwnSpelling("--jq", "--jq EXPR"),
    "--output-file --outfile --download -O": OwnSpelling("--out", "--out FILE"),
    "--paginate --all-pages --follow-pages --slurp": OwnSpelling("--all", "--all reads every page"),
    "--no-paginate --single-page": OwnSpelling("--all", "leave it out: one page is the default"),
    "--max-items --max-results --max-records --count --first --head -L": OwnSpelling("--limit", "--limit N"),
    "--per-page --per_page --page_size": OwnSpelling("--page-size", "--page-size N"),
    "--starting-token --page-token --after --page --offset": OwnSpelling("--cursor", "--cursor C"),
    "--sort --sort-by --order-by --order": OwnSpelling("--query", "-q, with a sort key that the list's help names"),
    "--body --payload --data-raw --data-binary --data-json --input --filename --file": OwnSpelling(
        "--data", "-d JSON, or -d @FILE"
    ),
    "--set --form": OwnSpelling("--field", "-F NAME=JSON, or -f NAME=STRING"),
    "-X --request --method": OwnSpelling("", "the operation is the method; unified request METHOD PATH calls any path"),
    "-H --header --headers": OwnSpelling("", "headers are set for you; --token-file and --idempotency-key have values"),
    "--id": OwnSpelling("", "the id stands after the operation, without an option"),
    "--token --auth --auth-token --api-key --bearer --access-token -u --user": OwnSpelling(
        "--token-file", "others can see a command line: --token-file FILE, --token-stdin or unified profile login"
    ),
    "--endpoint-url --endpoint --url --host --server --api-url": OwnSpelling("--base-url", "--base-url URL"),
    "--insecure --no-verify --no-verify-ssl --verify --insecure-skip-tls-verify -k": OwnSpelling(
        "--ca-bundle", "certificates are always verified; --ca-bundle FILE trusts another authority"
    ),
    "--cacert --ca-cert --certificate-authority": OwnSpelling("--ca-bundle", "--ca-bundle FILE"),
    "--max-time --connect-timeout --request-timeout --read-timeout -m": OwnSpelling("--timeout", "--timeout S"),
    "--retry --max-retries --max-attempts": OwnSpelling("--retries", "--retries N"),
    "--jobs --concurrency --parallel --threads -j": OwnSpelling("--workers", "--workers N"),
    "--dryrun --check --simulate": OwnSpelling("--dry-run", "--dry-run"),
    "--confirm --no-confirm --assume-yes --auto-approve": OwnSpelling("--yes", "--yes"),
    "--non-interactive --no-prompt --batch": OwnSpelling("--no-input", "--no-input"),
    "--silent -s": OwnSpelling("--quiet", "--quiet"),
    "--debug --trace --log-level --http-debug": OwnSpelling("--verbose", "-v, or -vv with headers and bodies"),
    "--no-color --no-colour --colour": OwnSpelling("--color", "--color never"),
    "--no-cli-pager": OwnSpelling("--no-pager", "--no-pager"),
    "--pager": OwnSpelling("", "UNIFIED_PAGER names it"),
    "--region": OwnSpelling("", "leave it out"),
}


_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "ls all index query search find count": ("list",),
    "show view read describe fetch info retrieve": ("get", "show"),
    "rm del destroy remove delete": ("delete", "remove"),
    "new add post insert create": ("create", "add"),
    "edit set patch put modify change": ("update", "set"),
    "config configure auth login init setup whoami": ("profile",),
    "start run up": ("serve",),
    "api http curl call": ("request",),
}


_VALUES = {"jsonl": "ndjson", "jsonlines": "ndjson", "json-lines": "ndjson", "yml": "yaml", "text": "table"}


def meant_value(text: str, choices: Sequence[str]) -> str | None:
    """The value that was meant: written otherwise, or as other tools call it; None where nothing comes close."""
    lower = text.lower()
    found = {one.lower(): one for one in choices}
    close = [_VALUES.get(lower, lower), *get_close_matches(lower, found, 1)]
    return next((found[one] for one in close if one in found), None)


def not_one_of(text: str, choices: Sequence[str]) -> str:
    """The words that say so, with the choice that was meant."""
    meant = meant_value(text, choices)
    wrong = f"{text!r} is not one of {', '.join(map(repr, choices))}"
    return f'{wrong}; did you mean "{meant}"?' if meant else wrong


def own_commands(name: str) -> Sequence[str]:
    """What another tool's command may be called here."""
    return next((own for names, own in _COMMANDS.items() if name in names.split()), ())


def own_spelling(option: str) -> OwnSpelling | None:
    """What to type instead of another tool's option; None where it is no such option."""
    return _BY_OPTION.get(option)


def _by_option() -> Iterator[tuple[str, OwnSpelling]]:
    for spellings, own in _GROUPS.items():
        yield from ((one, own) for one in spellings.split())


_BY_OPTION = dict(_by_option())
