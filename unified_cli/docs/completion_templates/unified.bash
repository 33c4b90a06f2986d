# bash completion for unified. Static: a TAB starts no program, evaluates nothing it reads, and uses no network.
# Generated from the catalogue and the options; do not edit.

# Set `words` to what may follow the command words in $1.
_unified_words() {
    words=''
    case $1 in
        @WORDS@
    esac
    [[ -z $added ]] || _unified_added "$1"
}

# Set `flags` to the options of the command words in $1.
_unified_flags() {
    flags='--help -h'
    case $1 in
        @FLAGS@
    esac
}

# Set `kind` to what the value of the option $1 is, after the command words in `path`.
_unified_value() {
    kind=''
    case "$path $1" in
        @OWN_VALUES@
        *)
            case $1 in
                @VALUES@
            esac
            ;;
    esac
}

# Set `kind` to what the argument after the command words in $1 is; $2 counts the arguments before it.
_unified_argument() {
    kind=''
    case $1:$2 in
        @ARGUMENTS@
    esac
}

# Set `words` to the known fields of the resource in $1.
_unified_columns() {
    words=''
    case $1 in
        @COLUMNS@
    esac
}

# Set `words` to the known parameters of the operation in $1.
_unified_parameters() {
    words=''
    case $1 in
        @PARAMETERS@
    esac
}

# Set `words` to the known fields of the body of the operation in $1.
_unified_fields() {
    words=''
    case $1 in
        @FIELDS@
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
        @COMMANDS@) return ;;
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
            _unified_add @STANDARD@
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

_unified_apis='@APIS@'

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
            @VALUED@) skip=${typed[i]} ;;
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
