"""Mistakes at the terminal, and their corrections: each next step is run, where the
sandbox can run it.
"""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified

from unified_cli.catalogue import Operation, load
from unified_cli.cli import advice_tables

ACME = "-p acme ticketing tickets"
LIST = f"{ACME} list"
CREATE = f"{ACME} create"

STEPS = [
    # The line as typed, what the error says to type, and the line that this makes;
    # empty where it cannot run here.
    (f"{CREATE} --edit", "only updates have it", ""),
    (f"{CREATE} --name foo", "-f 'name=foo' sets a field", f"{CREATE} -f name=foo"),
    (f"{CREATE} --name=foo", "-f 'name=foo' sets a field", f"{CREATE} -f name=foo"),
    (
        f"{CREATE} --due-date 2026-01-01",
        "-f 'due_date=2026-01-01' sets a field",
        f"{CREATE} -f due_date=2026-01-01",
    ),
    (
        f"{ACME} update tickets-1 name=x",
        "-f 'name=x' sets a field",
        f"{ACME} update tickets-1 -f name=x",
    ),
    (f"{CREATE} -d body.json", "-d @body.json", f"{CREATE} -d @body.json"),
    (f"{CREATE} -d file://body.json", "-d @body.json", f"{CREATE} -d @body.json"),
    (f"{CREATE} -d name=foo", "-f name=foo", f"{CREATE} -f name=foo"),
    (f"{CREATE} -f name:foo", "-f name=foo", f"{CREATE} -f name=foo"),
    (f"{CREATE} -F @body.json", "-d @body.json", f"{CREATE} -d @body.json"),
    (f"{CREATE} -f body.json", "-d @body.json", f"{CREATE} -d @body.json"),
    (f"{CREATE} --input body.json", "-d @body.json", f"{CREATE} -d @body.json"),
    (f"{CREATE} body.json", "-d @body.json", f"{CREATE} -d @body.json"),
    (f"{CREATE} @body.json", "-d @body.json", f"{CREATE} -d @body.json"),
    (f'{CREATE} \'{{"name":"x"}}\'', '-d \'{"name":"x"}\'', f'{CREATE} -d \'{{"name":"x"}}\''),
    (f"{CREATE} --set name=x", "-F name=x", f"{CREATE} -F name=x"),
    ("ticketing tickets list acme", "-p acme", LIST),
    (f"{LIST} -P acme", "-p acme chooses a connection", LIST),
    ("-P acme ticketing tickets list", "-p acme chooses a connection", LIST),
    ("ticketing tickets list -n acme", "-p acme chooses a connection", LIST),
    (
        "ticketing tickets list --tag eu",
        "-p tag:eu selects profiles",
        "-p tag:eu ticketing tickets list",
    ),
    ("ticketing tickets list -A", "-p '*' takes every profile", "-p '*' ticketing tickets list"),
    (
        "-p eu ticketing tickets list",
        "-p tag:eu selects the profiles with this tag",
        "-p tag:eu ticketing tickets list",
    ),
    ("-p tags:eu ticketing tickets list", "-p tag:eu", "-p tag:eu ticketing tickets list"),
    (
        "-p all ticketing tickets list",
        "-p '*' selects every profile",
        "-p '*' ticketing tickets list",
    ),
    (
        "-p tag:eu,tag:us ticketing tickets list",
        "use one -p for each: -p tag:eu -p tag:us",
        "-p tag:eu -p tag:us ticketing tickets list",
    ),
    ("-p acme,globex ticketing tickets list", "use one -p for each: -p acme -p globex", ""),
    (
        "ticketing tickets -p acme",
        "unified ticketing tickets list -p acme",
        "ticketing tickets list -p acme",
    ),
    ("ticketing -p acme tickets list", "put it after the operation", ""),
    (
        f"{ACME} tickets-1",
        "unified -p acme ticketing tickets get tickets-1",
        f"{ACME} get tickets-1",
    ),
    (
        f"{LIST} tickets-1",
        "one record: unified -p acme ticketing tickets get tickets-1",
        f"{ACME} get tickets-1",
    ),
    (
        "get tickets tickets-1",
        "comes last: unified ticketing tickets get tickets-1)",
        f"{ACME} get tickets-1",
    ),
    ("get tickets", "comes last: unified ticketing tickets list)", LIST),
    (
        "delete ticketing tickets 7 --yes",
        "comes last: unified ticketing tickets delete 7 --yes)",
        "",
    ),
    (
        "ticketing get tickets tickets-1",
        "comes first: unified ticketing tickets get tickets-1)",
        "",
    ),
    (
        "ticketing get 7",
        "unified operations ticketing get shows where it is)",
        "operations ticketing get",
    ),
    ("ticketing list tickets", "the resource comes first: unified ticketing tickets list", LIST),
    ("TICKETING tickets list", 'did you mean "ticketing"?', LIST),
    (f"{LIST} -n 5", "--limit 5", f"{LIST} --limit 5"),
    (f"{LIST} -n5", "--limit 5", f"{LIST} --limit 5"),
    (f"{LIST} -L 5", "--limit 5", f"{LIST} --limit 5"),
    (f"{LIST} --per-page 5", "--page-size 5", f"{LIST} --page-size 5"),
    (f"{LIST} --limit all", "--all reads every page", f"{LIST} --all"),
    (f"{LIST} all", "--all reads every page", f"{LIST} --all"),
    (f"{LIST} --paginate", "--all reads every page", f"{LIST} --all"),
    (f"{LIST} --filter status=Open", "-q status=Open filters", f"{LIST} -q status=Open"),
    (f"{LIST} --status Open", "-q 'status=Open' is a query parameter", f"{LIST} -q status=Open"),
    (f"{LIST} status=Open", "-q 'status=Open' is a query parameter", f"{LIST} -q status=Open"),
    (f"{LIST} status==Open", "-q 'status=Open' is a query parameter", f"{LIST} -q status=Open"),
    (f"{LIST} -q status:Open", "-q status=Open", f"{LIST} -q status=Open"),
    (
        f"{LIST} --sort created_at",
        "-q 'sort_by[created_at]=asc'",
        f"{LIST} -q sort_by[created_at]=asc",
    ),
    (f"{LIST} --updated-since 7d", "--since 7d", f"{LIST} --since 7d"),
    (f"{LIST} --fields id,name", "--columns id,name", f"{LIST} --columns id,name"),
    (f"{LIST} --columns id name", "--columns id,name", f"{LIST} --columns id,name"),
    (f"{LIST} --format csv", "-o csv", f"{LIST} -o csv"),
    (f"{LIST} csv", "-o csv", f"{LIST} -o csv"),
    (f"{LIST} --csv", "-o csv", f"{LIST} -o csv"),
    (f"{LIST} -o wide", 'did you mean "table"?', f"{LIST} -o table"),
    (f"{LIST} -o out.json", "did you mean --out out.json?", f"{LIST} --out out.json"),
    (f"{LIST} -o jsonpath={{.result}}", "did you mean --jq .result?", f"{LIST} --jq .result"),
    (f"{LIST} -O out.json", "--out out.json", f"{LIST} --out out.json"),
    (
        f"{LIST} -r",
        "--jq prints JSON; -o tsv --columns NAME prints text",
        f"{LIST} -o tsv --columns name",
    ),
    (f"{LIST} -i", "-v, or -vv with headers and bodies", f"{LIST} -v"),
    (f"{LIST} -m 30", "--timeout 30", f"{LIST} --timeout 30"),
    (f"{LIST} --watch", "--until JQ repeats until it is true", f"{LIST} --until true"),
    (f"{LIST} --jq '.[].name'", ".result[] gives its records", f"{LIST} --jq '.result[].name'"),
    (f"{LIST} --jq 'result[].name'", "begins with a dot: .result", f"{LIST} --jq '.result[].name'"),
    (f"{LIST} --jq '$.result'", "the input is a dot without $: .result", f"{LIST} --jq .result"),
    (f"{ACME} delete tickets-1 --dryrun", "--dry-run", f"{ACME} delete tickets-1 --dry-run"),
    (
        f"{ACME} delete --id tickets-1",
        "the id comes after the operation",
        f"{ACME} delete tickets-1 --yes",
    ),
    (
        "-p acme request /unified/ticketing/tickets",
        "unified -p acme request GET /unified/ticketing/tickets",
        "",
    ),
    (
        "-p acme request /unified/ticketing/tickets GET",
        "unified -p acme request GET /unified/ticketing/tickets",
        "",
    ),
    ("profile acme", "unified profile show acme", "profile show acme"),
    ("acme ticketing tickets list", "-p acme selects this profile", LIST),
    (
        "-p acme export ticketing/tags -o out",
        "did you mean --to out?",
        "-p acme export ticketing/tags --to out",
    ),
    (
        "-p acme schema ticketing tickets",
        "unified -p acme schema ticketing/tickets",
        "-p acme schema ticketing/tickets",
    ),
    (
        "-p acme import ticketing contacts body.json",
        "unified -p acme import ticketing/contacts body.json",
        "",
    ),
    (
        "-p acme user-directory users suspend users-1",
        "-f user_id=users-1",
        "-p acme user-directory users suspend -f user_id=users-1",
    ),
    (f"{CREATE} -d \"{{'name':'x'}}\"", '-d \'{"name":"x"}\'', f'{CREATE} -d \'{{"name":"x"}}\''),
    ("version", "unified --version", "--version"),
    ("-V", "unified --version", "--version"),
    ("login acme", "unified profile login acme", ""),
    ("logout acme", "unified profile logout acme", ""),
    ("auth login", "unified profile login NAME", ""),
    ("auth login acme", "unified profile login acme", ""),
    ("config set profile=acme", "unified profile use acme", "profile use acme"),
    ("configure --profile initech", "unified profile add initech", "profile add initech"),
    (
        "move ticketing/contacts --from acme --to globex",
        "unified help move says how",
        "help move",
    ),
    (f"{LIST} --json id,name", "-o json --columns id,name", f"{LIST} -o json --columns id,name"),
    (
        f'{CREATE} --json \'{{"name":"x"}}\'',
        '-d \'{"name":"x"}\'',
        f'{CREATE} -d \'{{"name":"x"}}\'',
    ),
    (f"{LIST} --label bug", "-q 'label=bug' is a query parameter", f"{LIST} -q label=bug"),
    (
        f"{LIST} --filters Name=status,Values=Open",
        "-q status=Open filters",
        f"{LIST} -q status=Open",
    ),
    (f"{LIST} --query 'result[].name'", "--jq '.result[].name'", f"{LIST} --jq '.result[].name'"),
    (f"{LIST} --assert 'length > 0'", "--expect 'length > 0'", f"{LIST} --expect 'length > 0'"),
    (f"{LIST} --record -o ids", "--record used -o as its value: --record FILE.har", ""),
    (
        "-p acme ticketing list-tickets",
        "the resource comes first: unified -p acme ticketing tickets list",
        LIST,
    ),
    ("-p acme schema ticketing/tags --out f", "> f", "-p acme schema ticketing/tags"),
    ("plan ticketing/tags --from acme --to globex --same-ids --out a.plan", "> a.plan", ""),
    (
        "-p acme export ticketing/tags --to d --force",
        "--restart",
        "-p acme export ticketing/tags --to d --restart",
    ),
    ("export --check dump", "--verify dump", ""),
    ("export verify dump", "unified export --verify dump", ""),
    (
        "export --list dump",
        "--dry-run prints the lists",
        "-p acme export ticketing --to dump --dry-run",
    ),
    (
        "-p acme export ticketing/tags --to -",
        "unified API RESOURCE list --all -o ndjson prints one list",
        "",
    ),
    ("-p acme export ticketing/tags --to d --format pq", 'did you mean "parquet"?', ""),
    ("runs retry --yes", "leave it out: you confirmed the run when it began", ""),
    ("mcp serve --write", "(--allow-writes)", ""),
    ("mcp serve --port 8000", "leave it out: the server uses standard input and output", ""),
    ("whoami", "unified profile show", "profile show acme"),
    ("profile switch acme", 'did you mean "use"?', "profile use acme"),
    ("search tickets", "unified operations tickets", "operations tickets"),
    ("find 'suspend user'", "unified operations 'suspend user'", "operations 'suspend user'"),
    ("examples", "unified help", "help"),
    ("configure", "unified profile add", ""),
    ("help alias", 'did you mean "profiles"?', "help profiles"),
    ("help testing", 'did you mean "sandbox"?', "help sandbox"),
    ("runs last", "unified runs show last", ""),
    ("runs 20261121-7f3a", "unified runs show 20261121-7f3a", ""),
    ("apply -f accounts.plan", "unified apply accounts.plan", ""),
    ("apply --filename=accounts.plan -p acme", "unified apply -p acme accounts.plan", ""),
    ("help tickets", "unified help ticketing tickets", "help ticketing tickets"),
    ("upgrade", "pipx upgrade unified-api-cli", ""),
    ("retry 20261121-7f3a", "unified runs retry 20261121-7f3a", ""),
    ("demo", "unified -p sandbox ticketing tickets list", "-p sandbox ticketing tickets list"),
    ("export all", "unified export --to DIR", ""),
    ("-p acme export all --to dump", "leave it out", ""),
    (
        "-p acme export tickets --to dump",
        "did you mean ticketing/tickets?",
        "-p acme export ticketing/tickets --to dump",
    ),
    ("export ticketing --out dump", "--to dump", "-p acme export ticketing/tickets --to dump"),
    (
        "-p acme schema ticketing/ticket",
        "did you mean ticketing/tickets?",
        "-p acme schema ticketing/tickets",
    ),
    (
        "diff ticketing/contacts -p acme",
        "--from acme --to PROFILE names the two sides",
        "diff ticketing/contacts --from acme --to acme",
    ),
    ("capabilities acme", "-p acme selects this profile", "capabilities -p acme"),
    ("capabilities sandbox", "-p sandbox selects this profile", "capabilities -p sandbox"),
    ("ticketing tickets list sandbox", "(-p sandbox)", "ticketing tickets list -p sandbox"),
    (
        "runs cancel 20261121-7f3a",
        "press Ctrl-C where the run was started; unified runs show lists the calls that are left",
        "",
    ),
    (f"{LIST} --timeout 30s", "such as 30, not '30s'", f"{LIST} --timeout 30"),
    (f"{LIST} --timeout 1.5min", "such as 90, not '1.5min'", f"{LIST} --timeout 90"),
    (f"{LIST} --timeout 0s", "above 0, not '0s'", ""),
    ("profile set acme timeout=2m", "such as 120", "profile set acme timeout=120"),
    ("profile login acme", "acme: no token is needed, because the sandbox has its own token", ""),
]


PIPED = {
    # The line as typed, and the command that takes its records.
    "user-directory users suspend -": "import user-directory/users - --operation suspend",
    "user-directory users assign-role -": "import user-directory/users - --operation assign-role",
    "ticketing tickets create -": "import ticketing/tickets -",
    "ticketing tickets create -d -": "import ticketing/tickets -",
    "ticketing tickets create -d @-": "import ticketing/tickets -",
    "ticketing tickets create -d @records": "import ticketing/tickets records",
    "user-directory users suspend -d -": "import user-directory/users - --operation suspend",
    "ticketing tickets update tickets-1 -d -": "import ticketing/tickets - --operation update",
    "ticketing tickets delete a b": "ticketing tickets delete - --yes",
}
RECORDS = (
    b'{"id":"tickets-1","name":"a","user_id":"users-1"}\n{"id":"tickets-2","user_id":"users-2"}\n'
)


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("typed", PIPED)
@pytest.mark.parametrize("chosen", ["-p acme", "-p acme -p globex"])
def test_records_are_sent_by_the_command_that_takes_them(
    typed: str, chosen: str, unified: Unified
) -> None:
    Path("records").write_bytes(RECORDS)
    wrong = unified(f"{chosen} {typed} --yes", stdin=RECORDS)
    assert (wrong.code, wrong.stdout) == (2, "")
    step = f"{chosen} {PIPED[typed]}"
    assert f"unified {step}" in wrong.stderr, wrong.stderr
    shown = unified(f"{step} --dry-run --yes", stdin=RECORDS)
    if "globex" not in chosen:
        assert (shown.code, len(shown.stdout.splitlines())) == (0, 2), shown.stderr


SENT_WITHOUT_ID = [
    operation
    for operation in load()
    if operation.method != "GET" and not operation.takes_id and operation.name != "download"
]


@pytest.mark.parametrize("operation", SENT_WITHOUT_ID, ids=lambda one: one.command)
def test_each_operation_without_an_id_names_the_import_for_a_dash(
    operation: Operation, unified: Unified
) -> None:
    wrong = unified(f"-p sandbox {operation.command} -")
    option = "" if operation.name == "create" else f" --operation {operation.name}"
    page = " ".join(unified(f"{operation.command} --help").stdout.split())
    assert f"unified import {operation.api}/{operation.resource} FILE{option} " in page
    step = f"-p sandbox import {operation.api}/{operation.resource} -{option}"
    assert (wrong.code, f"(unified {step})" in wrong.stderr) == (2, True), wrong.stderr
    assert unified(f"{step} --dry-run", stdin=b"{}").code == 0


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    "chosen", ["-p acme", "--profile acme", "--profile=acme", "-pacme", "-p 'ac*'"]
)
@pytest.mark.parametrize("after", [False, True])
def test_a_next_step_keeps_the_connections(chosen: str, after: bool, unified: Unified) -> None:
    words = "ticketing tickets delete a b"
    wrong = unified(f"{words} {chosen}" if after else f"{chosen} {words}")
    name = "'ac*'" if "*" in chosen else "acme"
    step = f"unified -p {name} ticketing tickets delete - --yes"
    said = f"for several records: printf '%s\\n' a b | {step})"
    assert (wrong.code, said in wrong.stderr) == (2, True), wrong.stderr


@pytest.fixture(name="at_home")
def _at_home(
    config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two connections of the sandbox, and a body in a file beside."""
    tables = [
        f'[profiles.{name}]\nbase_url = "sandbox:"\naccount_id = "full:{name}"\ntags = ["{tag}"]\n'
        for name, tag in (("acme", "eu"), ("globex", "us"))
    ]
    config("".join(tables))
    monkeypatch.chdir(tmp_path)
    Path("body.json").write_text('{"name":"x"}')


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(("typed", "said", "step"), STEPS, ids=[typed for typed, _, _ in STEPS])
def test_a_mistake_is_answered_with_what_to_type(
    typed: str, said: str, step: str, unified: Unified
) -> None:
    wrong = unified(typed)
    assert (wrong.stdout, wrong.code) == (
        "",
        3 if "profile named" in wrong.stderr or "profile matches" in wrong.stderr else 2,
    )
    assert said in wrong.stderr
    if step:
        result = unified(step)
        assert (result.code, result.stderr[:6] != "error:") == (0, True), result.stderr


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("more", ["", "--all", "--all --out out"])
def test_a_misspelt_column_is_missing_from_the_rows(form: str, more: str, unified: Unified) -> None:
    result = unified(f"{LIST} --columns id,statsu -o {form} {more} --quiet")
    assert result.stderr == 'error: no record has the column "statsu" (did you mean "status"?)\n'
    assert result.code == 9


def test_each_word_occurs_once_in_each_table() -> None:
    options, commands = map(advice_tables.read, ("other_tools", "other_commands"))
    tables = [*options["with_option"].values(), options["always"], commands["lines"]]
    for table in tables:
        words = " ".join(table).split()
        assert len(words) == len(set(words)), table


def test_the_lines_begin_with_existing_commands(unified: Unified) -> None:
    for words, line in advice_tables.read("other_commands")["lines"].items():
        if line.startswith("unified "):
            command = shlex.split(line.replace("{}", words.split()[0]).partition(";")[0])[1:]
            named = (
                command[2:5]
                if command[0] == "-p"
                else [one for one in command if one.isalpha() and one.islower()]
            )
            assert unified(["help", *named[:2]]).code == 0 or unified(command).code == 0, line


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    "line",
    [
        "-p acme user_directory role_assignments list --dry-run",
        "-p acme schema user_directory/role_assignments -o json",
        "capabilities user_directory -p acme",
        "capabilities user_directory/role_assignments -p acme",
        "export user_directory/role_assignments -p acme --to out --quiet",
    ],
)
def test_either_dash_is_the_same_wherever_a_resource_is_named(line: str, unified: Unified) -> None:
    typed, spelled = unified(line), unified(line.replace("_", "-"))
    assert (typed.code, typed.stdout) == (spelled.code, spelled.stdout)
    assert typed.code == 0, typed.stderr
