# bash completion for unified. Static: a TAB starts no program, evaluates nothing it reads, and uses no network.
# Generated from the catalogue and the options; do not edit.

# Set `words` to what may follow the command words in $1.
_unified_words() {
    words=''
    case $1 in
        '') words='ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice profile connections capabilities doctor logs operations request export import sql schema diff plan apply runs report sandbox mcp completion help' ;;
        ticketing) words='accounts attachments collections comments contacts tags teams tickets ticket_types fields ticket_status ticket_priorities users workspaces task_lists tasks organizations' ;;
        ticketing\ *)
            case ${1#* } in
                tickets) words='list create get update delete import' ;;
                accounts|collections|comments|contacts|tags|teams|fields|users|workspaces|tasks) words='list create get update delete' ;;
                attachments) words='list create get update download' ;;
                task_lists) words='list create get' ;;
                organizations) words='list get' ;;
                ticket_types|ticket_status|ticket_priorities) words='list' ;;
            esac
            ;;
        user-directory) words='roles users organizations groups activities billing utilization licenses workspaces me role_assignments' ;;
        user-directory\ *)
            case ${1#* } in
                users) words='list create get update delete downgrade deactivate assign-role unassign-role assign_role unassign_role suspend' ;;
                groups) words='list create get update delete remove-user add-user add remove' ;;
                roles) words='list create get update delete' ;;
                role_assignments) words='list get delete' ;;
                organizations) words='list get update delete' ;;
                activities|licenses|workspaces) words='list get' ;;
                billing|utilization|me) words='list' ;;
            esac
            ;;
        ats) words='activities applications attachments candidates departments eeocs interviews job_interview_stages jobs job_form_fields offers offices organizations reject_reasons scorecards tags users' ;;
        ats\ *)
            case ${1#* } in
                attachments) words='list create download' ;;
                candidates) words='list create get' ;;
                activities) words='list create' ;;
                applications) words='list get move-stage reject' ;;
                departments|eeocs|interviews|job_interview_stages|jobs|offices|organizations|users) words='list get' ;;
                job_form_fields|offers|reject_reasons|scorecards|tags) words='list' ;;
            esac
            ;;
        knowledge-base) words='pages page-content collections comments spaces tags page-exports files permissions users' ;;
        knowledge-base\ *)
            case ${1#* } in
                page-exports) words='create get download' ;;
                pages) words='list create get update' ;;
                files) words='list download' ;;
                page-content) words='list get append export' ;;
                collections|comments|spaces|users) words='list get' ;;
                tags|permissions) words='list' ;;
            esac
            ;;
        ci-cd) words='repos branches pull-requests builds jobs artifacts caches workflow workspaces organizations branch-protection-rules' ;;
        ci-cd\ *)
            case ${1#* } in
                repos|branches|pull-requests|builds|jobs|artifacts|workflow|workspaces) words='list get' ;;
                caches|organizations|branch-protection-rules) words='list' ;;
            esac
            ;;
        emails) words='emails folders users attachments' ;;
        emails\ *)
            case ${1#* } in
                emails) words='list create get update delete send send-draft reply reply-all forward move' ;;
                folders) words='list create get update delete' ;;
                attachments) words='list get download' ;;
                users) words='list get' ;;
            esac
            ;;
        calendar) words='attachments calendars events availability event_types contacts users' ;;
        calendar\ *)
            case ${1#* } in
                events) words='list create get update delete' ;;
                calendars|event_types) words='list get' ;;
                attachments|availability|contacts|users) words='list' ;;
            esac
            ;;
        conferencing) words='transcripts attendees transcript_entries meetings' ;;
        conferencing\ *)
            case ${1#* } in
                transcripts|attendees|transcript_entries|meetings) words='list get' ;;
            esac
            ;;
        usage-metering) words='products usage organizations workspaces users' ;;
        usage-metering\ *)
            case ${1#* } in
                organizations|workspaces) words='list get' ;;
                products|usage|users) words='list' ;;
            esac
            ;;
        voice) words='calls recordings' ;;
        voice\ *)
            case ${1#* } in
                recordings) words='list download' ;;
                calls) words='list' ;;
            esac
            ;;
        profile) words='list show path add set use login logout import test rename remove' ;;
        connections) words='list add refresh link' ;;
        operations) words='add remove' ;;
        runs) words='list show resume retry remove' ;;
        sandbox) words='serve reset seed status' ;;
        mcp) words='serve config' ;;
        completion) words='bash zsh fish install' ;;
    esac
    [[ -z $added ]] || _unified_added "$1"
}

# Set `flags` to the options of the command words in $1.
_unified_flags() {
    flags='--help -h'
    case $1 in
        '') flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --output -o --verbose -v --json-errors --no-pager' ;;
        profile\ list) flags+=' --profile -p --output -o --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ show) flags+=' --profile -p --explain --output -o --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ path) flags+=' --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ add) flags+=' --account-id -a --base-url --token-file --ca-bundle --timeout --retries --rate --token-command --keyring --tag --read-only --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ set) flags+=' --default --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ use) flags+=' --none --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ login) flags+=' --store --shared --token-stdin --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ logout) flags+=' --shared --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ import) flags+=' --update --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ test) flags+=' --profile -p --with --output -o --record --replay --timeout --retries --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ rename) flags+=' --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        profile\ remove) flags+=' --yes -y --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        connections\ list) flags+=' --where --health --profile -p --base-url --token-file --token-stdin --query -q --page-size --output -o --record --replay --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        connections\ add) flags+=' --where --prefix --tag --profile -p --base-url --token-file --token-stdin --query -q --page-size --record --replay --dry-run --yes -y --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        connections\ refresh) flags+=' --profile -p --base-url --token-file --token-stdin --output -o --columns --jq --csv-safe --bom --record --replay --dry-run --as --yes -y --fail-fast --max-failures --stages --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        connections\ link) flags+=' --profile -p --base-url --token-file --token-stdin --out --force --dry-run --yes -y --timeout --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        capabilities) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --probe --product --output -o --record --replay --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        doctor) flags+=' --profile -p --with --output -o --record --replay --bundle --har --network --timeout --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        logs) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --limit --since --failed --output -o --columns --jq --csv-safe --bom --record --replay --dry-run --as --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        operations) flags+=' --output -o --source --openapi' ;;
        operations\ add) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --record --replay --yes -y --timeout --retries --rate --token-rate --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        operations\ remove) flags+=' --yes -y --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        request) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --strict --data -d --raw-field -f --field -F --upload --content-type --all --limit --page-size --cursor --allow-partial --restart --dedupe --output -o --columns --jq --csv-safe --bom --typed-header --out --force --expect --junit --record --replay --dry-run --as --yes -y --idempotency-key --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        export) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --strict --to --shard --verify --tasks --task --engine --dry-run --wait-timeout --incremental --lag --restart --dedupe --format --output -o --columns --since --page-size --allow-partial --csv-safe --bom --typed-header --record --replay --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        import) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --operation --map --report --fail-fast --restart --retry-in-doubt --retry-failed --strict --format --delimiter --trim-header --query -q --output -o --record --replay --dry-run --yes -y --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        sql) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --from --since --page-size --keep --output -o --out --force --csv-safe --bom --record --replay --explain --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        schema) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --records --page-size --output -o --against --strict --junit --record --replay --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        diff) flags+=' --from --to --key --map --ignore --set --all-fields --ids --output -o --record --replay --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        plan) flags+=' --from --to --key --map --ignore --set --all-fields --ids --delete --same-ids --record --replay --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        apply) flags+=' --profile -p --token-file --token-stdin --only --ids --output -o --record --replay --overwrite-changed --retry-in-doubt --max-deletes --dry-run --yes -y --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        runs\ list|runs\ show) flags+=' --output -o --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        runs\ resume) flags+=' --token-file --token-stdin --output -o --columns --jq --csv-safe --bom --record --replay --retry-in-doubt --yes -y --fail-fast --max-failures --stages --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        runs\ retry) flags+=' --token-file --token-stdin --output -o --columns --jq --csv-safe --bom --record --replay --fail-fast --max-failures --stages --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        runs\ remove) flags+=' --yes -y --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        report) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --to --output -o --export --schema --junit --record --replay --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        sandbox\ serve) flags+=' --token-file --port --host --allow-host --ready-file --seed --state --faults --records --keep-ids --verbose -v' ;;
        sandbox\ status) flags+=' --output -o' ;;
        mcp\ serve) flags+=' --profile -p --record --replay --allow-writes --allow-deletes --requests-per-minute --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        mcp\ config) flags+=' --profile -p --client --allow-writes --allow-deletes --requests-per-minute' ;;
        completion\ install) flags+=' --shell' ;;
        help) flags+=' --skill' ;;
        knowledge-base\ page-exports\ get) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --format --query -q --describe --output -o --columns --jq --csv-safe --bom --ordered --out --force --expect --junit --until --fail-if --every --wait-timeout --record --replay --dry-run --as --strict --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        *\ *\ list) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --describe --all --limit --page-size --since --cursor --allow-partial --restart --dedupe --output -o --columns --jq --csv-safe --bom --typed-header --ordered --out --force --expect --junit --until --fail-if --every --wait-timeout --follow --record --replay --dry-run --as --strict --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        *\ *\ create) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --describe --data -d --raw-field -f --field -F --upload --content-type --skeleton --output -o --columns --jq --csv-safe --bom --out --force --record --replay --dry-run --as --yes -y --fail-fast --max-failures --stages --strict --idempotency-key --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        *\ *\ get) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --format --query -q --describe --output -o --columns --jq --csv-safe --bom --ordered --out --force --expect --junit --until --fail-if --every --wait-timeout --record --replay --dry-run --as --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        *\ *\ update) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --format --query -q --describe --data -d --raw-field -f --field -F --upload --content-type --skeleton --edit --output -o --columns --jq --csv-safe --bom --out --force --record --replay --dry-run --as --yes -y --fail-fast --max-failures --stages --strict --idempotency-key --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        *\ *\ delete) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --format --query -q --describe --data -d --raw-field -f --field -F --skeleton --output -o --columns --jq --csv-safe --bom --out --force --record --replay --dry-run --as --yes -y --fail-fast --max-failures --stages --strict --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        *\ *\ download) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --format --query -q --describe --data -d --raw-field -f --field -F --skeleton --output -o --columns --jq --csv-safe --bom --out --from --force --record --replay --dry-run --as --fail-fast --max-failures --stages --strict --idempotency-key --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        *\ *\ export) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --describe --data -d --raw-field -f --field -F --skeleton --output -o --columns --jq --csv-safe --bom --out --force --record --replay --dry-run --as --fail-fast --max-failures --stages --strict --idempotency-key --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        *\ *\ search) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --describe --data -d --raw-field -f --field -F --all --limit --page-size --since --cursor --allow-partial --restart --dedupe --output -o --columns --jq --csv-safe --bom --typed-header --ordered --out --force --expect --junit --until --fail-if --every --follow --record --replay --dry-run --as --strict --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
        *\ *\ *) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --describe --data -d --raw-field -f --field -F --skeleton --output -o --columns --jq --csv-safe --bom --out --force --record --replay --dry-run --as --yes -y --fail-fast --max-failures --stages --strict --idempotency-key --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors --no-pager' ;;
    esac
}

# Set `kind` to what the value of the option $1 is, after the command words in `path`.
_unified_value() {
    kind=''
    case "$path $1" in
        profile\ list\ -o|profile\ list\ --output|profile\ show\ -o|profile\ show\ --output) kind='table markdown json tsv' ;;
        profile\ test\ -o|profile\ test\ --output) kind='table markdown json tsv junit' ;;
        connections\ list\ -o|connections\ list\ --output) kind='table markdown json tsv' ;;
        capabilities\ -o|capabilities\ --output) kind='table markdown tsv json ndjson csv junit' ;;
        doctor\ -o|doctor\ --output|operations\ -o|operations\ --output) kind='table markdown json tsv' ;;
        export\ -o|export\ --output|export\ --format) kind='ndjson csv tsv json parquet delta' ;;
        import\ -o|import\ --output) kind='table markdown json tsv' ;;
        sql\ -o|sql\ --output) kind='json ndjson table markdown csv tsv yaml ids' ;;
        schema\ -o|schema\ --output) kind='table markdown json tsv' ;;
        diff\ -o|diff\ --output) kind='table markdown ndjson json' ;;
        apply\ -o|apply\ --output|runs\ list\ -o|runs\ list\ --output) kind='table markdown json tsv' ;;
        report\ -o|report\ --output) kind='json' ;;
        sandbox\ status\ -o|sandbox\ status\ --output) kind='table markdown json tsv' ;;
        *)
            case $1 in
                -p|--profile) kind='connection' ;;
                --token-file) kind='file' ;;
                -o|--output) kind='json ndjson table markdown csv tsv yaml ids raw auto' ;;
                -q|--query) kind='parameter' ;;
                --dedupe) kind='id' ;;
                --columns) kind='column' ;;
                --out|--junit|--record|--replay) kind='file' ;;
                --as) kind='curl' ;;
                --ca-bundle) kind='file' ;;
                --color) kind='auto always never' ;;
                -d|--data) kind='@file' ;;
                -f|--raw-field) kind='field' ;;
                -F|--field) kind='field@file' ;;
                --upload) kind='file' ;;
                --format) kind='ndjson json csv tsv ids' ;;
                --from) kind='file' ;;
                --store) kind='keyring file config' ;;
                --bundle|--har) kind='file' ;;
                --to|--verify) kind='folder' ;;
                --report|--keep|--ids) kind='file' ;;
                --only) kind='create update delete' ;;
                --export) kind='folder' ;;
                --schema|--ready-file|--state|--faults) kind='file' ;;
                --client) kind='claude-code claude-desktop codex cursor gemini-cli vscode windsurf zed' ;;
                --shell) kind='bash zsh fish' ;;
            esac
            ;;
    esac
}

# Set `kind` to what the argument after the command words in $1 is; $2 counts the arguments before it.
_unified_argument() {
    kind=''
    case $1:$2 in
        ticketing\ accounts\ get:*) kind='record' ;;
        ticketing\ accounts\ update:*) kind='record' ;;
        ticketing\ accounts\ delete:*) kind='record' ;;
        ticketing\ attachments\ get:*) kind='record' ;;
        ticketing\ attachments\ update:*) kind='record' ;;
        ticketing\ attachments\ download:*) kind='record' ;;
        ticketing\ collections\ get:*) kind='record' ;;
        ticketing\ collections\ update:*) kind='record' ;;
        ticketing\ collections\ delete:*) kind='record' ;;
        ticketing\ comments\ get:*) kind='record' ;;
        ticketing\ comments\ update:*) kind='record' ;;
        ticketing\ comments\ delete:*) kind='record' ;;
        ticketing\ contacts\ get:*) kind='record' ;;
        ticketing\ contacts\ update:*) kind='record' ;;
        ticketing\ contacts\ delete:*) kind='record' ;;
        ticketing\ tags\ get:*) kind='record' ;;
        ticketing\ tags\ update:*) kind='record' ;;
        ticketing\ tags\ delete:*) kind='record' ;;
        ticketing\ teams\ get:*) kind='record' ;;
        ticketing\ teams\ update:*) kind='record' ;;
        ticketing\ teams\ delete:*) kind='record' ;;
        ticketing\ tickets\ get:*) kind='record' ;;
        ticketing\ tickets\ update:*) kind='record' ;;
        ticketing\ tickets\ delete:*) kind='record' ;;
        ticketing\ fields\ get:*) kind='record' ;;
        ticketing\ fields\ update:*) kind='record' ;;
        ticketing\ fields\ delete:*) kind='record' ;;
        ticketing\ users\ get:*) kind='record' ;;
        ticketing\ users\ update:*) kind='record' ;;
        ticketing\ users\ delete:*) kind='record' ;;
        ticketing\ workspaces\ get:*) kind='record' ;;
        ticketing\ workspaces\ update:*) kind='record' ;;
        ticketing\ workspaces\ delete:*) kind='record' ;;
        ticketing\ task_lists\ get:*) kind='record' ;;
        ticketing\ tasks\ get:*) kind='record' ;;
        ticketing\ tasks\ update:*) kind='record' ;;
        ticketing\ tasks\ delete:*) kind='record' ;;
        ticketing\ organizations\ get:*) kind='record' ;;
        user-directory\ roles\ get:*) kind='record' ;;
        user-directory\ roles\ update:*) kind='record' ;;
        user-directory\ roles\ delete:*) kind='record' ;;
        user-directory\ users\ get:*) kind='record' ;;
        user-directory\ users\ update:*) kind='record' ;;
        user-directory\ users\ delete:*) kind='record' ;;
        user-directory\ organizations\ get:*) kind='record' ;;
        user-directory\ organizations\ update:*) kind='record' ;;
        user-directory\ organizations\ delete:*) kind='record' ;;
        user-directory\ groups\ get:*) kind='record' ;;
        user-directory\ groups\ update:*) kind='record' ;;
        user-directory\ groups\ delete:*) kind='record' ;;
        user-directory\ activities\ get:*) kind='record' ;;
        user-directory\ licenses\ get:*) kind='record' ;;
        user-directory\ workspaces\ get:*) kind='record' ;;
        user-directory\ role_assignments\ get:*) kind='record' ;;
        user-directory\ role_assignments\ delete:*) kind='record' ;;
        ats\ applications\ get:*) kind='record' ;;
        ats\ attachments\ download:*) kind='record' ;;
        ats\ candidates\ get:*) kind='record' ;;
        ats\ departments\ get:*) kind='record' ;;
        ats\ eeocs\ get:*) kind='record' ;;
        ats\ interviews\ get:*) kind='record' ;;
        ats\ job_interview_stages\ get:*) kind='record' ;;
        ats\ jobs\ get:*) kind='record' ;;
        ats\ offices\ get:*) kind='record' ;;
        ats\ organizations\ get:*) kind='record' ;;
        ats\ users\ get:*) kind='record' ;;
        knowledge-base\ pages\ get:*) kind='record' ;;
        knowledge-base\ pages\ update:*) kind='record' ;;
        knowledge-base\ page-content\ get:*) kind='record' ;;
        knowledge-base\ collections\ get:*) kind='record' ;;
        knowledge-base\ comments\ get:*) kind='record' ;;
        knowledge-base\ spaces\ get:*) kind='record' ;;
        knowledge-base\ page-exports\ get:*) kind='record' ;;
        knowledge-base\ page-exports\ download:*) kind='record' ;;
        knowledge-base\ files\ download:*) kind='record' ;;
        knowledge-base\ users\ get:*) kind='record' ;;
        ci-cd\ repos\ get:*) kind='record' ;;
        ci-cd\ branches\ get:*) kind='record' ;;
        ci-cd\ pull-requests\ get:*) kind='record' ;;
        ci-cd\ builds\ get:*) kind='record' ;;
        ci-cd\ jobs\ get:*) kind='record' ;;
        ci-cd\ artifacts\ get:*) kind='record' ;;
        ci-cd\ workflow\ get:*) kind='record' ;;
        ci-cd\ workspaces\ get:*) kind='record' ;;
        emails\ emails\ get:*) kind='record' ;;
        emails\ emails\ update:*) kind='record' ;;
        emails\ emails\ delete:*) kind='record' ;;
        emails\ folders\ get:*) kind='record' ;;
        emails\ folders\ update:*) kind='record' ;;
        emails\ folders\ delete:*) kind='record' ;;
        emails\ users\ get:*) kind='record' ;;
        emails\ attachments\ get:*) kind='record' ;;
        emails\ attachments\ download:*) kind='record' ;;
        calendar\ calendars\ get:*) kind='record' ;;
        calendar\ events\ get:*) kind='record' ;;
        calendar\ events\ update:*) kind='record' ;;
        calendar\ events\ delete:*) kind='record' ;;
        calendar\ event_types\ get:*) kind='record' ;;
        conferencing\ transcripts\ get:*) kind='record' ;;
        conferencing\ attendees\ get:*) kind='record' ;;
        conferencing\ transcript_entries\ get:*) kind='record' ;;
        conferencing\ meetings\ get:*) kind='record' ;;
        usage-metering\ organizations\ get:*) kind='record' ;;
        usage-metering\ workspaces\ get:*) kind='record' ;;
        voice\ recordings\ download:*) kind='record' ;;
        profile\ list:*) kind='connection' ;;
        profile\ show:*) kind='profile' ;;
        profile\ set:0) kind='profile' ;;
        profile\ set:*) kind='base_url= account_id= token_file= token_command= keyring= output= timeout= retries= rate= token_rate= ca_bundle= page_size= no_input= quiet= read_only= idempotency_window= tags=' ;;
        profile\ use:*) kind='profile' ;;
        profile\ login:0) kind='connection' ;;
        profile\ login:*) kind='' ;;
        profile\ logout:*) kind='profile' ;;
        profile\ import:*) kind='file' ;;
        profile\ test:*) kind='connection' ;;
        profile\ rename:0) kind='profile' ;;
        profile\ rename:*) kind='' ;;
        profile\ remove:*) kind='profile' ;;
        capabilities:*) kind='api/resource' ;;
        doctor:*) kind='connection' ;;
        operations\ add:*) kind='offered' ;;
        operations\ remove:*) kind='added' ;;
        request:0) kind='GET POST PATCH PUT DELETE' ;;
        request:*) kind='' ;;
        export:*) kind='api/resource' ;;
        import:0) kind='api/resource' ;;
        import:*) kind='file' ;;
        sql:*) kind='@file' ;;
        schema:*) kind='api/resource' ;;
        diff:*) kind='api/resource' ;;
        plan:*) kind='api/resource' ;;
        apply:*) kind='file' ;;
        runs\ show:*) kind='last-run' ;;
        runs\ resume:*) kind='last-run' ;;
        runs\ retry:*) kind='last-run' ;;
        runs\ remove:*) kind='run' ;;
        help:0) kind='exit-codes output query filters config environment options operations profiles runs move agents evidence checks sql sandbox engines ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice profile connections capabilities doctor logs operations request export import sql schema diff plan apply runs report sandbox mcp completion help' ;;
        help:*) kind='' ;;
    esac
}

# Set `words` to the known fields of the resource in $1.
_unified_columns() {
    words=''
    case $1 in
        ticketing\ *)
            case ${1#* } in
                comments) words='id author receiver body html_body ticket attachments is_internal is_private created_at updated_at etag remote_data' ;;
                attachments) words='id file_name ticket_id size file_url content_type uploaded_by uploaded_by_type created_at updated_at etag remote_data' ;;
                contacts) words='id first_name last_name name emails phones details account_id created_at updated_at etag custom_fields is_active remote_data' ;;
                tasks) words='id name assignees description due_date ticket task_list status created_at updated_at etag remote_data' ;;
                tags) words='id name color workspace created_at updated_at etag status parent remote_data' ;;
                teams) words='id name description created_at updated_at etag remote_data' ;;
                ticket_status|ticket_priorities) words='id name description etag remote_data' ;;
                tickets) words='id name description number assignees status created_by workspace team collections ticket_type contact additional_contacts account parent_ticket attachments tags priority etag remote_data created_at updated_at' ;;
                ticket_types) words='id name description project created_at updated_at etag remote_data' ;;
                collections) words='id name description type parent_collection_id urls workspace created_at updated_at etag entity_type remote_data' ;;
                accounts) words='id name domains created_at updated_at etag remote_data' ;;
                users) words='id name first_name last_name username emails is_active team_ids avatar roles created_at updated_at etag remote_data' ;;
                fields) words='id name label description type format is_hidden is_unique is_required options is_user_defined entity_type entity_id created_at updated_at' ;;
                workspaces) words='id name status description created_at updated_at etag remote_data' ;;
                task_lists) words='id name ticket tasks created_at updated_at etag remote_data' ;;
                organizations) words='id' ;;
            esac
            ;;
        user-directory\ *)
            case ${1#* } in
                activities) words='id actor organization group description action entity entity_type context created_at remote_data' ;;
                billing) words='id description billing_frequency currency total_amount tax_amount start_date end_date created_at updated_at remote_data' ;;
                users|me) words='id external_id identifiers first_name last_name title name username emails phones status is_email_verified is_2fa_enabled roles created_at updated_at' ;;
                licenses) words='id name description available_quantity assigned_quantity unit_amount roles is_paid currency status products created_at updated_at remote_data' ;;
                groups) words='id name description organization group_type created_at updated_at remote_data' ;;
                workspaces) words='id name description status created_at updated_at organization remote_data' ;;
                roles) words='id name label description type applicable_in created_at updated_at remote_data' ;;
                organizations) words='id name pricing_plan licenses created_at updated_at remote_data' ;;
                role_assignments) words='id user_id group_id group_type role_id workspace created_at updated_at remote_data' ;;
                utilization) words='name metadata columns rows remote_data' ;;
            esac
            ;;
        ats\ *)
            case ${1#* } in
                scorecards) words='id application candidate interview interviewer submitted_at overall_recommendation form_values created_at updated_at remote_data' ;;
                offers) words='id application candidate job creator closed_at sent_at start_date status created_at updated_at remote_data' ;;
                interviews) words='id application candidate job_interview_stage organizer interviewers location start_at end_at status created_at updated_at remote_data' ;;
                activities) words='id candidate actor activity_type from to cc subject body visibility created_at updated_at remote_data' ;;
                applications) words='id candidate job applied_at rejected_at source credited_to current_stage reject_reason attachments created_at updated_at remote_data' ;;
                eeocs) words='id candidate submitted_at race gender veteran_status disability_status created_at updated_at remote_data' ;;
                attachments) words='id file_name file_url candidate application job attachment_type created_at updated_at remote_data' ;;
                candidates) words='id first_name last_name name company title last_interaction_at is_private can_email locations phones emails urls tags applications attachments created_at updated_at remote_data' ;;
                users) words='id first_name last_name name emails disabled access_role created_at updated_at remote_data' ;;
                reject_reasons|tags) words='id name created_at updated_at remote_data' ;;
                jobs) words='id name description code requisition_id status locations job_posting_urls confidential departments teams offices hiring_managers recruiters created_at updated_at' ;;
                job_form_fields) words='id name job label index is_required answer_visibility description type options group_id group_name created_at updated_at' ;;
                offices) words='id name parent location is_remote created_at updated_at remote_data' ;;
                departments) words='id name parent status created_at updated_at remote_data' ;;
                job_interview_stages) words='id name status job position created_at updated_at remote_data' ;;
            esac
            ;;
        knowledge-base\ *)
            case ${1#* } in
                comments) words='id created_by parent body created_at remote_data' ;;
                files) words='id file_name page_id size file_url content_type uploaded_by created_at updated_at remote_data' ;;
                spaces) words='id identifier name description status urls created_at updated_at remote_data' ;;
                tags) words='id name description space created_at updated_at remote_data' ;;
                collections) words='id name description type space parent urls created_at updated_at remote_data' ;;
                permissions) words='id resources user permissions remote_data' ;;
                page-content) words='id sequence page page_type parent has_children body urls created_at updated_at remote_data' ;;
                page-exports) words='id status page urls remote_data' ;;
                pages) words='id title description page_type status tags parent space collection created_by created_at updated_at' ;;
            esac
            ;;
        ci-cd\ *)
            case ${1#* } in
                caches) words='id branch key version created_at updated_at last_used_at size_in_bytes remote_data' ;;
                jobs) words='id name build status conclusion commit branch attempts created_at updated_at started_at completed_at remote_data' ;;
                workspaces|organizations) words='id name created_at updated_at remote_data' ;;
                repos) words='id name description owner owner_type visibility vcs_url status default_branch created_at updated_at remote_data' ;;
                workflow) words='id name remote_data' ;;
                builds) words='id name repo branch commit trigger triggered_by triggered_by_type conclusion workflow build status created_at updated_at started_at completed_at' ;;
                branches) words='id name repo last_commit last_commit_by last_commit_message last_commit_at created_at updated_at remote_data' ;;
                branch-protection-rules) words='id name repos pattern is_active require_owner_approval required_checks access_restrictions integration_restrictions created_at updated_at' ;;
                artifacts) words='id name workflow build size_in_bytes download_url created_at updated_at expires_at expired remote_data' ;;
                pull-requests) words='id title number description status base_branch head_branch author created_at updated_at' ;;
            esac
            ;;
        emails\ *)
            case ${1#* } in
                attachments) words='id file_name email size file_url content_type uploaded_by created_at updated_at remote_data' ;;
                users) words='id first_name last_name name emails roles created_at updated_at remote_data' ;;
                emails) words='id from to cc bcc subject content headers reply_to priority folder is_draft attachments urls created_at updated_at sent_at remote_data' ;;
                folders) words='id name folder_url size description parent created_at updated_at remote_data' ;;
            esac
            ;;
        calendar\ *)
            case ${1#* } in
                availability) words='calendar email start_time end_time timezone availability remote_data' ;;
                events) words='id calendar title description location timezone start_time created_at updated_at' ;;
                users) words='id external_id identifiers first_name last_name title name username emails phones status roles created_at updated_at' ;;
                contacts) words='id first_name middle_name last_name name title addresses email_addresses phone_numbers tags last_activity_at created_at updated_at remote_data' ;;
                calendars) words='id name description location status visibility is_default timezone access_role colors created_at updated_at remote_data' ;;
                attachments) words='id name event mime_type url created_at updated_at remote_data' ;;
                event_types) words='id name label status urls color duration description allow_scheduling position form_fields locations created_at updated_at remote_data' ;;
            esac
            ;;
        conferencing\ *)
            case ${1#* } in
                transcripts) words='id meeting entries start_time end_time remote_data' ;;
                attendees) words='id name email is_host type meeting start_time end_time remote_data' ;;
                transcript_entries) words='id speaker_id speaker_type speaker_name text raw_text start_time end_time transcript meeting remote_data' ;;
                meetings) words='id title attendees duration start_time end_time audio_recording_url video_recording_url status topics type created_at updated_at' ;;
            esac
            ;;
        usage-metering\ *)
            case ${1#* } in
                organizations) words='id name created_at updated_at remote_data' ;;
                products) words='id name description created_at updated_at remote_data' ;;
                workspaces) words='id name organization created_at updated_at remote_data' ;;
                usage) words='id product metric_name resources organization charges usage start_date end_date created_at updated_at remote_data' ;;
            esac
            ;;
        voice\ *)
            case ${1#* } in
                calls) words='id from to status direction created_at remote_data' ;;
                recordings) words='id url call_id start_time end_time created_at remote_data' ;;
            esac
            ;;
    esac
}

# Set `words` to the known parameters of the operation in $1.
_unified_parameters() {
    words=''
    case $1 in
        ticketing\ *)
            case ${1#* } in
                accounts\ list|attachments\ list|comments\ list|contacts\ list|tags\ list|teams\ list|tickets\ list|ticket_types\ list|fields\ list|ticket_status\ list|ticket_priorities\ list|users\ list|workspaces\ list|task_lists\ list|tasks\ list|organizations\ list) words='created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                attachments\ download) words='file_url=' ;;
                collections\ list) words='type= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
            esac
            ;;
        user-directory\ *)
            case ${1#* } in
                users\ deactivate) words='actor=' ;;
                roles\ list|users\ list|organizations\ list|groups\ list|activities\ list|billing\ list|licenses\ list|workspaces\ list|me\ list|role_assignments\ list) words='created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                users\ unassign-role) words='id= roles= workspace_id=' ;;
                utilization\ list) words='type= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                users\ downgrade) words='user_id= license_id= role= role_id=' ;;
            esac
            ;;
        ats\ *)
            case ${1#* } in
                activities\ list|attachments\ list|candidates\ list|departments\ list|eeocs\ list|interviews\ list|job_interview_stages\ list|jobs\ list|job_form_fields\ list|offers\ list|offices\ list|reject_reasons\ list|scorecards\ list|tags\ list|users\ list) words='created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                attachments\ download) words='file_url=' ;;
                applications\ list) words='job_id= candidate_id= jobs= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                organizations\ list) words='name= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
            esac
            ;;
        knowledge-base\ *)
            case ${1#* } in
                page-exports\ create|page-exports\ get) words='collection= page=' ;;
                pages\ list|page-content\ list|collections\ list|comments\ list|spaces\ list|tags\ list|files\ list|permissions\ list|users\ list) words='created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                page-exports\ download|files\ download) words='file_url=' ;;
                page-content\ export) words='page=' ;;
            esac
            ;;
        ci-cd\ *)
            case ${1#* } in
                repos\ list|branches\ list|builds\ list|jobs\ list|artifacts\ list|caches\ list|workflow\ list|workspaces\ list|organizations\ list) words='created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                pull-requests\ list) words='owner= repo_id= filter_Query= title= status= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                branch-protection-rules\ list) words='project_id= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                pull-requests\ get) words='repo_id= owner= repo= workspace_id=' ;;
            esac
            ;;
        emails\ *)
            case ${1#* } in
                folders\ list|users\ list|attachments\ list) words='created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                attachments\ download) words='file_url=' ;;
                emails\ list) words='from= subject= to= folder= is_draft= format= user= created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
                emails\ send-draft) words='id=' ;;
            esac
            ;;
        calendar\ *)
            case ${1#* } in
                attachments\ list|calendars\ list|events\ list|availability\ list|event_types\ list|contacts\ list|users\ list) words='created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
            esac
            ;;
        conferencing\ *)
            case ${1#* } in
                transcripts\ list|attendees\ list|transcript_entries\ list|meetings\ list) words='created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
            esac
            ;;
        usage-metering\ *)
            case ${1#* } in
                products\ list|usage\ list|organizations\ list|workspaces\ list|users\ list) words='created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
            esac
            ;;
        voice\ *)
            case ${1#* } in
                calls\ list|recordings\ list) words='created_at= updated_at= created_at[gt]= created_at[lt]= updated_at[gt]= updated_at[lt]= sort_by[created_at]= sort_by[updated_at]=' ;;
            esac
            ;;
    esac
}

# Set `words` to the known fields of the body of the operation in $1.
_unified_fields() {
    words=''
    case $1 in
        ticketing\ accounts\ create|ticketing\ accounts\ update) words='name= domains=' ;;
        ticketing\ attachments\ create) words='file_name= content_type= data=' ;;
        ticketing\ attachments\ update) words='file_name= ticket_id= size= file_url= content_type= uploaded_by= uploaded_by_type=' ;;
        ticketing\ collections\ create|ticketing\ collections\ update) words='name= description= type= parent_collection_id= urls= workspace= entity_type=' ;;
        ticketing\ comments\ create|ticketing\ comments\ update) words='author= receiver= body= html_body= ticket= attachments= is_internal= is_private=' ;;
        ticketing\ contacts\ create|ticketing\ contacts\ update) words='first_name= last_name= name= emails= phones= details= account_id= custom_fields= is_active=' ;;
        ticketing\ tags\ create|ticketing\ tags\ update) words='name= color= workspace= status= parent=' ;;
        ticketing\ teams\ create|ticketing\ teams\ update) words='name= description=' ;;
        ticketing\ tickets\ create|ticketing\ tickets\ update) words='name= description= number= assignees= status= created_by= workspace= team= collections= ticket_type= contact= additional_contacts= account= parent_ticket= attachments= tags= priority=' ;;
        ticketing\ fields\ create|ticketing\ fields\ update) words='name= label= description= type= format= is_hidden= is_unique= is_required= options= is_user_defined= entity_type= entity_id=' ;;
        ticketing\ users\ create|ticketing\ users\ update) words='name= first_name= last_name= username= emails= is_active= team_ids= avatar= roles=' ;;
        ticketing\ workspaces\ create) words='name= account_id=' ;;
        ticketing\ workspaces\ update) words='name= status= description=' ;;
        ticketing\ task_lists\ create) words='name= ticket= tasks=' ;;
        ticketing\ tasks\ create|ticketing\ tasks\ update) words='name= assignees= description= due_date= ticket= task_list= status=' ;;
        user-directory\ roles\ create) words='name= description= license=' ;;
        user-directory\ roles\ update) words='name= label= description= type= applicable_in=' ;;
        user-directory\ users\ create|user-directory\ users\ update) words='external_id= identifiers= first_name= last_name= title= name= username= emails= phones= status= is_email_verified= is_2fa_enabled= roles=' ;;
        user-directory\ users\ deactivate|user-directory\ users\ suspend) words='user_id=' ;;
        user-directory\ users\ assign-role|user-directory\ users\ assign_role|user-directory\ users\ unassign_role) words='user_id= roles= workspace_id=' ;;
        user-directory\ users\ unassign-role) words='user_id= organizations=' ;;
        user-directory\ organizations\ update) words='name= pricing_plan= licenses=' ;;
        user-directory\ groups\ create|user-directory\ groups\ update) words='name= description= organization= group_type=' ;;
        user-directory\ groups\ remove-user|user-directory\ groups\ add-user|user-directory\ groups\ add|user-directory\ groups\ remove) words='group_id= user_id=' ;;
        ats\ activities\ create) words='candidate= actor= activity_type= from= to= cc= subject= body= visibility=' ;;
        ats\ applications\ move-stage) words='application_id= stage_id= user_id= candidate_id=' ;;
        ats\ applications\ reject) words='application_id= reject_reason_id= user_id=' ;;
        ats\ attachments\ create) words='file_name= file_url= candidate= application= job= attachment_type=' ;;
        ats\ candidates\ create) words='first_name= last_name= name= company= title= last_interaction_at= is_private= can_email= locations= phones= emails= urls= tags= applications= attachments=' ;;
        knowledge-base\ pages\ create|knowledge-base\ pages\ update) words='title= description= page_type= status= tags= parent= space= collection= created_by=' ;;
        knowledge-base\ page-content\ append) words='page= body=' ;;
        knowledge-base\ page-exports\ create) words='format=' ;;
        emails\ emails\ create) words='from= to= cc= bcc= subject= content= priority= reply_to= attachments=' ;;
        emails\ emails\ update) words='from= to= cc= bcc= subject= content= headers= reply_to= priority= folder= is_draft= attachments= urls= sent_at=' ;;
        emails\ emails\ send) words='to= subject= content= cc= bcc= reply_to= priority= folder= attachments=' ;;
        emails\ emails\ reply) words='id= to= cc= bcc= subject= content=' ;;
        emails\ emails\ reply-all) words='id= content=' ;;
        emails\ emails\ forward) words='id= to= content=' ;;
        emails\ emails\ move) words='id= folder=' ;;
        emails\ folders\ create|emails\ folders\ update) words='name= folder_url= size= description= parent=' ;;
        calendar\ events\ create|calendar\ events\ update) words='calendar= title= description= location= timezone= start_time=' ;;
        voice\ recordings\ download) words='url=' ;;
    esac
}

# Set `_unified_folder` to the folder of the configuration, `config` to its file, and `added` where it adds commands.
_unified_locate() {
    _unified_folder=${XDG_CONFIG_HOME:-}
    if [[ -n $_unified_folder ]]; then
        _unified_folder+=/unified
    elif [[ -d ${HOME:-}/Library/Application\ Support/unified ]]; then
        _unified_folder=$HOME/Library/Application\ Support/unified
    else
        _unified_folder=${HOME:-}/.config/unified
    fi
    config=${UNIFIED_CONFIG:-$_unified_folder/config.toml}
    [[ ! -d $_unified_folder/catalogue.d ]] || added=1
}

# Set the array `rows` to the parts of the text $1 between the characters $2, without empty ones; * stays what it is.
_unified_split() {
    local IFS=$2
    case $- in
        *f*) rows=($1) ;;
        *)
            set -f
            rows=($1)
            set +f
            ;;
    esac
}

# Read the config file, once for a TAB. The lines that were remembered are dropped when its text has changed: to read
# and compare all of it takes a tenth of the time that looking at each line takes.
_unified_read_config() {
    local text=''
    [[ -z $read ]] || return
    read=1
    [[ -f $config && -r $config ]] && IFS= read -r -d '' text <"$config"
    [[ $text == "${_unified_config-?}" ]] && return
    _unified_config=$text _unified_profiles='' _unified_tags='' _unified_aliases=()
}

# Set `words` to the profiles of the config file, those with harmless names; with $1 also their tags.
_unified_profiles() {
    local LC_ALL=C line tag rows
    local bare='^[[:space:]]*\[profiles\.([A-Za-z0-9][A-Za-z0-9_-]*)\][[:space:]]*(#.*)?$'
    local quoted='^[[:space:]]*\[profiles\."([A-Za-z0-9][A-Za-z0-9._-]*)"\][[:space:]]*(#.*)?$'
    local tags='^[[:space:]]*tags[[:space:]]*=[[:space:]]*\[(.*)\]' one='"([A-Za-z0-9][A-Za-z0-9._-]*)"'
    _unified_read_config
    if [[ -z $_unified_profiles ]]; then
        _unified_profiles=sandbox
        _unified_split "$_unified_config" $'\n'
        for line in "${rows[@]}"; do
            line=${line%$'\r'}
            if [[ $line == *'[profiles.'* && (${#line} -lt 200) ]] && [[ $line =~ $bare || $line =~ $quoted ]]; then
                _unified_profiles+=" ${BASH_REMATCH[1]}"
            elif [[ $line == *tags* && (${#line} -lt 1000) && $line =~ $tags ]]; then
                line=${BASH_REMATCH[1]}
                while [[ $line =~ $one ]]; do
                    line=${line#*"${BASH_REMATCH[0]}"} tag=" tag:${BASH_REMATCH[1]}"
                    [[ "$_unified_tags " == *"$tag "* ]] || _unified_tags+=$tag
                done
            fi
        done
    fi
    words=$_unified_profiles${1:+$_unified_tags}
}

# Add to `words` the aliases of the config file, those with harmless names; with $1 set `alias` to the command words
# of this alias.
_unified_aliases() {
    local LC_ALL=C line name value rows inside='' known=" $words "
    local row='^[[:space:]]*"?([A-Za-z0-9][A-Za-z0-9_-]*)"?[[:space:]]*=[[:space:]]*["'"'"']([a-z][^"'"'"']*)["'"'"']'
    alias=''
    _unified_read_config
    if [[ -z ${_unified_aliases[0]:-} ]]; then
        _unified_aliases=('=')
        _unified_split "$_unified_config" $'\n'
        for line in "${rows[@]}"; do
            if [[ -z $inside ]]; then
                [[ $line != '[alias]'* ]] || inside=1
                continue
            fi
            [[ $line != '['* ]] || break
            [[ (${#line} -lt 400) && $line =~ $row ]] || continue
            _unified_aliases+=("${BASH_REMATCH[1]}=${BASH_REMATCH[2]}")
        done
    fi
    for line in "${_unified_aliases[@]}"; do
        name=${line%%=*} value=${line#*=}
        [[ -z ${1:-} || $1 == "$name" ]] || continue
        [[ $known == *" ${value%% *} "* && $known != *" $name "* ]] || continue
        if [[ -z ${1:-} ]]; then
            words+=" $name"
        else
            while [[ $value == [a-z]* && ${value%% *} != *[!a-z0-9_-]* ]]; do
                alias+=" ${value%% *}"
                [[ $value == *' '* ]] && value=${value#* } || value=''
            done
            return
        fi
    done
}

# Set `profile` to the default one, unless the command line has named one.
_unified_default() {
    local line lines=0 row='^profile[[:space:]]*=[[:space:]]*"([A-Za-z0-9][A-Za-z0-9._-]*)"'
    profile=${profile:-${UNIFIED_PROFILE:-}}
    [[ -z $profile && -f $config && -r $config ]] || return
    while ((lines++ < 100)) && IFS= read -r line && [[ $line != '['* ]]; do
        [[ $line == profile* && $line =~ $row ]] && profile=${BASH_REMATCH[1]}
    done <"$config"
}

# Add to `words` the ids or columns, as $1 says, that a terminal showed of the resource in `path` within a day.
_unified_seen() {
    local LC_ALL=C line now file text rows name=${path% *} cache=${XDG_CACHE_HOME:-}
    [[ -z $account && $name == [a-z]*' '[a-z]* && $name != *[!a-z\ _-]* ]] || return
    _unified_default
    [[ $profile == [A-Za-z0-9]* && $profile != *[!A-Za-z0-9._-]* ]] || return
    if [[ -n $cache ]]; then
        cache+=/unified
    elif [[ -d ${HOME:-}/Library/Caches/unified ]]; then
        cache=$HOME/Library/Caches/unified
    else
        cache=${HOME:-}/.cache/unified
    fi
    file=$cache/completion/$profile/${name/ /.}.$1
    # A profile may lead elsewhere in another config file, or in a newer or older one of this name: the list of words
    # has the time of its config file.
    [[ -f $file && -O $file && -r $file && ! $config -nt $file && ! $config -ot $file ]] || return
    IFS= read -r -d '' -n 100000 text <"$file"
    line=${text%%$'\n'*} now=0
    printf -v now '%(%s)T' -1 2>/dev/null
    [[ ${line#* * } == "${config//\/\///}" ]] || return
    line=${line%% *}
    [[ $line =~ ^[1-9][0-9]{0,11}$ ]] && ((now == 0 || now - line < 86400)) || return
    _unified_split "${text#*$'\n'}" $'\n'
    for line in "${rows[@]}"; do
        if [[ (${#line} -le 100) && $line == [A-Za-z0-9]* && $line != *[!A-Za-z0-9._-]* && " $words " != *" $line "* ]]
        then
            words+=" $line"
        fi
    done
}

# Set `words` to the ids of the runs, as their files are named.
_unified_runs() {
    local LC_ALL=C file folder=${XDG_DATA_HOME:-}
    if [[ -n $folder ]]; then
        folder+=/unified
    elif [[ -d ${HOME:-}/Library/Application\ Support/unified ]]; then
        folder=$HOME/Library/Application\ Support/unified
    else
        folder=${HOME:-}/.local/share/unified
    fi
    words=''
    for file in "$folder"/runs/*.ndjson; do
        file=${file##*/} file=${file%.ndjson}
        [[ $file =~ ^[0-9]{8}-[0-9a-f]{4,8}$ ]] && words+=" $file"
    done
}

# Set `words` to the names that the connection described of the operation in `path`, up to the =; $1 is query or body.
_unified_described() {
    words=''
    [[ $path == *' '[a-z]* && ${path##* } != *[!a-z0-9_-]* ]] && _unified_seen "${path##* }.$1"
    words=${words// /= }
    words=${words#=}${words:+=}
}

# Add to `words` what the user's own catalogue files add after the command words in $1.
_unified_added() {
    local LC_ALL=C line file section name lines=0 api=${1%% *} resource=${1#* }
    local table='^\[api\.([a-z0-9_-]+)\.resources\]' row='^([a-z0-9_-]+)[[:space:]]*=[[:space:]]*(.*)$'
    local operations='^(\{.*operations[[:space:]]*=[[:space:]]*)?"([a-z0-9_ -]*)"'
    [[ $resource == *' '* ]] && return
    case $api in
        profile|connections|capabilities|doctor|logs|operations|request|export|import|sql|schema|diff|plan|apply|runs|report|sandbox|mcp|completion|help) return ;;
    esac
    for file in "$_unified_folder"/catalogue.d/*.toml; do
        [[ -f $file && -r $file ]] || continue
        section=''
        while ((lines++ < 10000)) && { IFS= read -r line || [[ -n $line ]]; }; do
            if [[ $line =~ $table ]]; then
                section=${BASH_REMATCH[1]}
                [[ -z $1 ]] && _unified_add "$section"
            elif [[ $line == '['* ]]; then
                section=''
            elif [[ -n $1 && $section == "$api" && $line =~ $row ]]; then
                name=${BASH_REMATCH[1]}
                if [[ $1 == "$api" ]]; then
                    _unified_add $name
                elif [[ $resource == "$name" && ${BASH_REMATCH[2]} =~ $operations ]]; then
                    _unified_add ${BASH_REMATCH[2]}
                fi
            fi
        done <"$file"
    done
}

_unified_add() {
    local word
    for word; do
        if [[ $word == crud ]]; then
            _unified_add list create get update delete
        elif [[ " $words " != *" $word "* ]]; then
            words+=" $word"
        fi
    done
}

# Offer the words that begin like the current one; $1 is put before each of them.
_unified_offer() {
    local word rows
    _unified_split "$words" ' '
    if [[ $current == "$1" ]]; then
        COMPREPLY=("${rows[@]/#/$1}")
        return
    fi
    for word in "${rows[@]}"; do
        [[ $1$word == "$current"* ]] && COMPREPLY+=("$1$word")
    done
}

# Offer files, or folders where $2 says so, for the text typed after $1; without $1 the shell does it.
_unified_files() {
    local begun=${current#"$1"} file i
    if [[ -z $1 ]]; then
        compopt -o "${2:-default}" 2>/dev/null
        return
    fi
    begun=${begun//\\/}
    [[ $begun == '~/'* ]] && begun=$HOME/${begun#??}
    for file in "$begun"*; do
        [[ -d $file ]] && file+=/
        [[ $file == */ || ( -z ${2:-} && -e $file ) ]] && COMPREPLY+=("$file")
    done
    # The shell would quote an @ before the name too; within quotes there is nothing to add.
    if [[ ${typed[n]} != [\"\']* ]] && compopt -o noquote 2>/dev/null; then
        for i in "${!COMPREPLY[@]}"; do
            printf -v COMPREPLY[i] %q "${COMPREPLY[i]}"
        done
    fi
    [[ -z ${COMPREPLY[0]:-} ]] || COMPREPLY=("${COMPREPLY[@]/#/$1}")
    compopt -o filenames 2>/dev/null
    # With a prefix the shell does not see that it is a folder, where completion continues.
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
}

# Offer values of the kind $1 after the text before them in the same word, $2.
_unified_offer_kind() {
    case $1 in
        file) _unified_files "$2" ;;
        folder) _unified_files "$2" dirnames ;;
        @file)
            local before=${current%%@*}
            if [[ $current == "$2"*@* ]]; then
                [[ ${current#"$before"} == @base64:* ]] && before+=@base64: || before+=@
                _unified_files "$before"
            fi
            ;;
        profile)
            _unified_profiles
            _unified_offer "$2"
            ;;
        connection)
            _unified_profiles tags
            # After ! it is one that is left out.
            [[ $current == "$2!"* ]] && _unified_offer "$2!" || _unified_offer "$2"
            ;;
        record)
            words=''
            _unified_seen ids
            _unified_offer "$2"
            ;;
        column)
            local before=$2
            [[ ${current#"$2"} == *,* ]] && before=${current%,*},
            _unified_columns "${path% *}"
            _unified_seen columns
            _unified_offer "$before"
            compopt -o nospace 2>/dev/null
            ;;
        parameter)
            _unified_described query
            local described=$words word
            _unified_parameters "$path"
            for word in $described; do
                [[ " $words " == *" $word "* ]] || words+=" $word"
            done
            _unified_offer "$2"
            compopt -o nospace 2>/dev/null
            ;;
        field | field@file)
            if [[ $1 == field@file && ${current#"$2"} == *=* ]]; then
                _unified_offer_kind @file "$2"
                return
            fi
            _unified_described body
            local described=$words word
            _unified_fields "$path"
            for word in $described; do
                [[ " $words " == *" $word "* ]] || words+=" $word"
            done
            _unified_offer "$2"
            compopt -o nospace 2>/dev/null
            ;;
        run | last-run)
            _unified_runs
            [[ $1 == run ]] || words+=' last'
            _unified_offer "$2"
            ;;
        offered)
            # The names that the connection was seen to offer have a dot for the slash.
            words=''
            local path='operations add names'
            _unified_seen offers
            words=${words//.//}
            _unified_offer "$2"
            ;;
        api/resource | added)
            local api=${current%%/*}
            words=''
            if [[ $current == */* ]]; then
                if [[ $1 != added ]]; then
                    _unified_words "$api"
                elif [[ -n $added ]]; then
                    _unified_added "$api"
                fi
                _unified_offer "$api/"
            else
                [[ $1 == added ]] || words=$_unified_apis
                [[ -z $added ]] || _unified_added ''
                _unified_offer "$2"
                compopt -o nospace 2>/dev/null
            fi
            ;;
        *)
            words=$1
            _unified_offer "$2"
            [[ $1 != *= ]] || compopt -o nospace 2>/dev/null
            ;;
    esac
}

_unified_apis='ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice'

_unified() {
    COMPREPLY=()
    local IFS=$' \t\n' _unified_folder words flags kind current
    local rest=${COMP_LINE:0:COMP_POINT} after piece path='' argument=0 skip='' helped='' typed=() n=-1 i
    local profile='' account='' alias word config added='' read=''
    _unified_locate
    # The shell splits words at = : and @; pieces without a blank between them are joined again.
    if [[ $rest == "$COMP_LINE" && "${COMP_WORDS[*]}" == "$rest" ]]; then
        typed=("${COMP_WORDS[@]}") n=$COMP_CWORD piece=${COMP_WORDS[COMP_CWORD]}
    else
        for ((i = 0; i <= COMP_CWORD; i++)); do
            piece=${COMP_WORDS[i]} after=${rest#"${rest%%[![:space:]]*}"}
            ((n < 0)) || [[ $after != "$rest" ]] && typed[++n]=''
            ((i == COMP_CWORD)) && piece=$after
            typed[n]+=$piece
            rest=${after#"$piece"}
        done
    fi
    current=${typed[n]#[\"\']}

    _unified_words ''
    for ((i = 1; i < n; i++)); do
        if [[ -n $skip ]]; then
            [[ $skip == -p || $skip == --profile ]] && profile=${typed[i]}
            [[ $skip == -a || $skip == --account-id ]] && account=${typed[i]}
            skip=''
            continue
        fi
        case ${typed[i]} in
            [!-]* | '')
                if [[ -z $path$helped && ${typed[i]} == help ]]; then
                    # The words after help are those of the command itself.
                    helped=help
                elif [[ -n $words ]]; then
                    alias=''
                    [[ -n $path || " $words " == *" ${typed[i]} "* ]] || _unified_aliases "${typed[i]}"
                    for word in ${alias:-"${typed[i]}"}; do
                        [[ -n $words ]] || { ((argument++)); continue; }
                        path+=${path:+ }$word
                        _unified_words "$path"
                    done
                    [[ -z $helped ]] || ((argument++))
                else
                    ((argument++))
                fi
                ;;
            --profile=*) profile=${typed[i]#*=} ;;
            --account-id=*) account=${typed[i]#*=} ;;
            --*=*) ;;
            -p|--profile|-a|--account-id|--base-url|--token-file|-o|--output|-q|--query|--limit|--page-size|--since|--cursor|--dedupe|--columns|--jq|--out|--expect|--junit|--until|--fail-if|--every|--wait-timeout|--record|--replay|--as|--timeout|--retries|--rate|--token-rate|--workers|--ca-bundle|--color|-d|--data|-f|--raw-field|-F|--field|--upload|--content-type|--max-failures|--stages|--idempotency-key|--format|--from|--token-command|--tag|--store|--with|--where|--prefix|--product|--bundle|--har|--to|--shard|--verify|--task|--engine|--lag|--operation|--map|--report|--delimiter|--keep|--records|--against|--key|--ignore|--set|--ids|--only|--max-deletes|--export|--schema|--port|--host|--allow-host|--ready-file|--seed|--state|--faults|--requests-per-minute|--client|--shell) skip=${typed[i]} ;;
        esac
    done

    if [[ -n $skip ]]; then
        _unified_value "${typed[n - 1]}"
        _unified_offer_kind "$kind" ''
    elif [[ $current == --*=* ]]; then
        _unified_value "${current%%=*}"
        _unified_offer_kind "$kind" "${current%%=*}="
    elif [[ $current == -* ]]; then
        _unified_flags "${helped:-$path}"
        words=$flags
        [[ $current == - ]] && COMPREPLY=($words) || _unified_offer ''
    elif [[ -n $words && ( -z $helped || -n $path ) ]]; then
        [[ -n $path ]] || _unified_aliases
        _unified_offer ''
    else
        _unified_argument "${helped:-$path}" "$argument"
        _unified_offer_kind "$kind" ''
    fi

    # Readline replaces only what follows the last character that splits words.
    [[ $piece == *[!=:@]* ]] && current=${typed[n]%"$piece"} || current=${typed[n]}
    current=${current#[\"\']}
    # An @ splits words, yet is replaced together with what follows it.
    current=${current%@}
    if [[ -n $current ]]; then
        for i in "${!COMPREPLY[@]}"; do
            COMPREPLY[i]=${COMPREPLY[i]#"$current"}
        done
    fi
}

complete -F _unified unified
