# bash completion for unified. Static: a TAB starts no program, evaluates nothing it reads, and uses no network.
# Generated from the catalogue and the options; do not edit.

# Set `words` to what may follow the command words in $1.
_unified_words() {
    words=''
    case $1 in
        '') words='ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice request export import diff operations help completion sandbox doctor connections profile' ;;
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
        completion) words='bash zsh fish pwsh install' ;;
        sandbox) words='serve reset seed status' ;;
        connections) words='list add' ;;
        profile) words='list show path add set use login logout import test remove' ;;
    esac
    if [[ -d $_unified_folder/catalogue.d ]]; then
        _unified_added "$1"
    fi
}

# Set `flags` to the options of the command words in $1.
_unified_flags() {
    flags='--help -h'
    case $1 in
        '') flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --output -o --verbose -v --json-errors' ;;
        request) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --data -d --raw-field -f --field -F --all --limit --page-size --cursor --allow-partial --restart --dedupe --output -o --columns --jq --csv-safe --bom --out --force --dry-run --as --yes -y --idempotency-key --timeout --retries --rate --token-rate --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        export) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --to --shard --verify --tasks --task --incremental --lag --restart --dedupe --format --output -o --page-size --allow-partial --csv-safe --bom --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        import) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --operation --map --report --fail-fast --restart --retry-in-doubt --format --query -q --output -o --dry-run --yes -y --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        diff) flags+=' --from --to --key --map --ignore --set --output -o --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        operations) flags+=' --output -o --source --openapi' ;;
        completion\ install) flags+=' --shell' ;;
        sandbox\ serve) flags+=' --token-file --port --host --allow-host --ready-file --seed --state --faults --records --verbose -v' ;;
        sandbox\ status) flags+=' --output -o' ;;
        doctor) flags+=' --profile -p --with --output -o --network --timeout --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        connections\ list) flags+=' --where --profile -p --base-url --token-file --token-stdin --query -q --page-size --output -o --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        connections\ add) flags+=' --where --prefix --tag --profile -p --base-url --token-file --token-stdin --query -q --page-size --dry-run --yes -y --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ list) flags+=' --output -o --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ show) flags+=' --profile -p --explain --output -o --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ path) flags+=' --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ add) flags+=' --account-id -a --base-url --token-file --ca-bundle --timeout --retries --rate --token-command --keyring --tag --read-only --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ set) flags+=' --default --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ use) flags+=' --none --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ login) flags+=' --store --shared --token-stdin --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ logout) flags+=' --shared --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ import) flags+=' --update --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ test) flags+=' --profile -p --with --output -o --timeout --retries --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        profile\ remove) flags+=' --yes -y --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        knowledge-base\ page-exports\ create) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --data -d --raw-field -f --field -F --skeleton --output -o --columns --jq --csv-safe --bom --out --force --wait-timeout --wait --dry-run --as --idempotency-key --timeout --retries --rate --token-rate --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        *\ *\ list) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --all --limit --page-size --cursor --allow-partial --restart --dedupe --output -o --columns --jq --csv-safe --bom --ordered --out --force --expect --junit --until --fail-if --every --wait-timeout --dry-run --as --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        *\ *\ get) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --format --query -q --output -o --columns --jq --csv-safe --bom --ordered --out --force --expect --junit --until --fail-if --every --wait-timeout --dry-run --as --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        *\ *\ update) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --format --query -q --data -d --raw-field -f --field -F --skeleton --output -o --columns --jq --csv-safe --bom --out --force --dry-run --as --yes -y --idempotency-key --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        *\ *\ delete) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --format --query -q --data -d --raw-field -f --field -F --skeleton --output -o --columns --jq --csv-safe --bom --out --force --dry-run --as --yes -y --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        *\ *\ download) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --format --query -q --data -d --raw-field -f --field -F --skeleton --output -o --columns --jq --csv-safe --bom --out --from --force --dry-run --as --idempotency-key --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        *\ *\ export) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --data -d --raw-field -f --field -F --skeleton --output -o --columns --jq --csv-safe --bom --out --force --dry-run --as --idempotency-key --timeout --retries --rate --token-rate --workers --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
        *\ *\ *) flags+=' --profile -p --account-id -a --base-url --token-file --token-stdin --query -q --data -d --raw-field -f --field -F --skeleton --output -o --columns --jq --csv-safe --bom --out --force --dry-run --as --idempotency-key --timeout --retries --rate --token-rate --ca-bundle --verbose -v --quiet --no-input --color --pretty --json-errors' ;;
    esac
}

# Set `kind` to what the value of the option $1 is.
_unified_value() {
    kind=''
    case $1 in
        -p|--profile) kind='profile' ;;
        --token-file) kind='file' ;;
        -o|--output) kind='json ndjson table csv tsv yaml ids raw' ;;
        --dedupe) kind='id' ;;
        --out|--junit) kind='file' ;;
        --as) kind='curl' ;;
        --ca-bundle) kind='file' ;;
        --color) kind='auto always never' ;;
        -d|--data|-F|--field) kind='@file' ;;
        --format) kind='ndjson json csv ids' ;;
        --from) kind='file' ;;
        --to|--verify) kind='folder' ;;
        --report) kind='file' ;;
        --shell) kind='bash zsh fish pwsh' ;;
        --ready-file|--state|--faults) kind='file' ;;
        --store) kind='keyring file config' ;;
    esac
}

# Set `kind` to what the argument after the command words in $1 is; $2 counts the arguments before it.
_unified_argument() {
    kind=''
    case $1:$2 in
        request:0) kind='GET POST PATCH PUT DELETE' ;;
        request:*) kind='' ;;
        export:*) kind='api/resource' ;;
        import:0) kind='api/resource' ;;
        import:*) kind='file' ;;
        diff:*) kind='api/resource' ;;
        help:0) kind='exit-codes output query filters config environment options operations profiles agents speed sandbox ticketing user-directory ats knowledge-base ci-cd emails calendar conferencing usage-metering voice request export import diff operations help completion sandbox doctor connections profile' ;;
        help:*) kind='' ;;
        doctor:*) kind='profile' ;;
        profile\ list:*) kind='profile' ;;
        profile\ show:*) kind='profile' ;;
        profile\ set:0) kind='profile' ;;
        profile\ set:*) kind='base_url= account_id= token_file= token_command= keyring= output= timeout= retries= rate= token_rate= ca_bundle= page_size= no_input= quiet= read_only= idempotency_window= tags=' ;;
        profile\ use:*) kind='profile' ;;
        profile\ login:0) kind='profile' ;;
        profile\ login:*) kind='' ;;
        profile\ logout:*) kind='profile' ;;
        profile\ import:*) kind='file' ;;
        profile\ test:*) kind='profile' ;;
        profile\ remove:*) kind='profile' ;;
    esac
}

# Set `_unified_folder` to the folder of the configuration.
_unified_locate() {
    _unified_folder=${XDG_CONFIG_HOME:-}
    if [[ -n $_unified_folder ]]; then
        _unified_folder+=/unified
    elif [[ -d ${HOME:-}/Library/Application\ Support/unified ]]; then
        _unified_folder=$HOME/Library/Application\ Support/unified
    else
        _unified_folder=${HOME:-}/.config/unified
    fi
}

# Add to `words` the profiles of the config file, those with harmless names.
_unified_profiles() {
    local LC_ALL=C line file=${UNIFIED_CONFIG:-$_unified_folder/config.toml} lines=0
    local bare='^[[:space:]]*\[profiles\.([A-Za-z0-9][A-Za-z0-9_-]*)\][[:space:]]*(#.*)?$'
    local quoted='^[[:space:]]*\[profiles\."([A-Za-z0-9][A-Za-z0-9._-]*)"\][[:space:]]*(#.*)?$'
    words='sandbox'
    [[ -f $file && -r $file ]] || return
    while ((lines++ < 10000)) && { IFS= read -r line || [[ -n $line ]]; }; do
        line=${line%$'\r'}
        if [[ $line == *'[profiles.'* && (${#line} -lt 200) ]] && [[ $line =~ $bare || $line =~ $quoted ]]; then
            words+=" ${BASH_REMATCH[1]}"
        fi
    done <"$file"
}

# Add to `words` what the user's own catalogue files add after the command words in $1.
_unified_added() {
    local LC_ALL=C line file section name lines=0 api=${1%% *} resource=${1#* }
    local table='^\[api\.([a-z_-]+)\.resources\]' row='^([a-z_-]+)[[:space:]]*=[[:space:]]*(.*)$'
    local operations='^(\{.*operations[[:space:]]*=[[:space:]]*)?"([a-z_ -]*)"'
    [[ $resource == *' '* ]] && return
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
    local word
    if [[ $current == "$1" ]]; then
        COMPREPLY=($words)
        [[ -z $1 ]] || COMPREPLY=("${COMPREPLY[@]/#/$1}")
        return
    fi
    for word in $words; do
        [[ $1$word == "$current"* ]] && COMPREPLY+=("$1$word")
    done
}

# Offer files, or folders where $2 says so, for what is typed after $1; without $1 the shell does it.
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

# Offer values of the kind $1 after what stands before them in the same word, $2.
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
        api/resource)
            local api=${current%%/*}
            if [[ $current == */* ]]; then
                _unified_words "$api"
                _unified_offer "$api/"
            else
                words=$_unified_apis
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
    _unified_locate
    # The shell splits words at = : and @; pieces without a blank between them are joined again.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        piece=${COMP_WORDS[i]} after=${rest#"${rest%%[![:space:]]*}"}
        ((n < 0)) || [[ $after != "$rest" ]] && typed[++n]=''
        ((i == COMP_CWORD)) && piece=$after
        typed[n]+=$piece
        rest=${after#"$piece"}
    done
    current=${typed[n]#[\"\']}

    _unified_words ''
    for ((i = 1; i < n; i++)); do
        if [[ -n $skip ]]; then
            skip=''
            continue
        fi
        case ${typed[i]} in
            [!-]* | '')
                if [[ -z $path$helped && ${typed[i]} == help ]]; then
                    # The words after help are those of the command itself.
                    helped=help
                elif [[ -n $words ]]; then
                    path+=${path:+ }${typed[i]}
                    _unified_words "$path"
                    [[ -z $helped ]] || ((argument++))
                else
                    ((argument++))
                fi
                ;;
            --*=*) ;;
            -p|--profile|-a|--account-id|--base-url|--token-file|-o|--output|-q|--query|--limit|--page-size|--cursor|--dedupe|--columns|--jq|--out|--expect|--junit|--until|--fail-if|--every|--wait-timeout|--as|--timeout|--retries|--rate|--token-rate|--workers|--ca-bundle|--color|-d|--data|-f|--raw-field|-F|--field|--idempotency-key|--format|--from|--to|--shard|--verify|--task|--lag|--operation|--map|--report|--key|--ignore|--set|--shell|--port|--host|--allow-host|--ready-file|--seed|--state|--faults|--records|--with|--where|--prefix|--tag|--token-command|--store) skip=1 ;;
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
