# fish completion for unified. Static: a TAB starts no program, evaluates nothing it reads, and uses no network.
# Generated from the catalogue and the options; do not edit.

# What may follow the command words, each with its purpose.
function __unified_words --argument-names at
    switch "$at"
        @WORDS@
    end
    set -l folder (__unified_folder)
    if test -d $folder/catalogue.d
        __unified_added $folder "$at"
    end
end

# The options of the command words.
function __unified_flags --argument-names at
    printf '%s\t%s\n' --help 'show the page of help' -h 'show the page of help'
    switch "$at"
        @FLAGS@
    end
end

# What the value of an option is, after the command words.
function __unified_value --argument-names option at
    switch "$at $option"
        @OWN_VALUES@
        case '*'
            switch "$option"
                @VALUES@
            end
    end
end

# What the argument after the command words is; $argument counts the arguments before it.
function __unified_argument --argument-names at argument
    switch "$at:$argument"
        @ARGUMENTS@
    end
end

# The known fields of the resource.
function __unified_columns --argument-names at
    switch "$at"
        @COLUMNS@
    end
end

# The known parameters of the operation.
function __unified_parameters --argument-names at
    switch "$at"
        @PARAMETERS@
    end
end

# The known fields of the operation's body.
function __unified_fields --argument-names at
    switch "$at"
        @FIELDS@
    end
end

# The folder of the configuration.
function __unified_folder
    if test -n "$XDG_CONFIG_HOME"
        echo $XDG_CONFIG_HOME/unified
    else if test -d "$HOME/Library/Application Support/unified"
        echo "$HOME/Library/Application Support/unified"
    else
        echo "$HOME/.config/unified"
    end
end

# The profiles of the config file, those with harmless names.
function __unified_profiles
    set -l file $UNIFIED_CONFIG
    test -n "$file"; or set file (__unified_folder)/config.toml
    printf '%s\t%s\n' sandbox 'the built-in profile'
    test -f "$file" -a -r "$file"; or return
    string match -rag '^\s*\[profiles\.(?:([A-Za-z0-9][A-Za-z0-9_-]*)|"([A-Za-z0-9][A-Za-z0-9._-]*)")\]\s*(?:#.*)?$' <$file | string match -r '.+'
end

# The aliases of the config file, those with harmless names, each with its words.
function __unified_aliases
    set -l file $UNIFIED_CONFIG
    test -n "$file"; or set file (__unified_folder)/config.toml
    test -f "$file" -a -r "$file"; or return
    set -l known (__unified_words '' | string replace -r '\t.*' '')
    set -l inside ''
    while read -l line
        if string match -qr '^\s*\[' -- "$line"
            test -n "$inside"; and return
            string match -qr '^\s*\[\s*alias\s*\]' -- "$line"; and set inside 1
        else if test -n "$inside"
            if string match -qr '^\s*"?(?<name>[A-Za-z0-9][A-Za-z0-9_-]*)"?\s*=\s*["\'](?<value>[a-z][^"\']*)["\']' -- "$line"
                set -l first (string split -m 1 ' ' -- $value)[1]
                contains -- $first $known; and not contains -- $name $known; and printf '%s\t%s\n' $name $value
            end
        end
    end <$file
end

# The tags in the config file, those with harmless names.
function __unified_tags
    set -l file $UNIFIED_CONFIG
    test -n "$file"; or set file (__unified_folder)/config.toml
    test -f "$file" -a -r "$file"; or return
    string match -rg '^\s*tags\s*=\s*\[(.*)\]' <$file | string match -rag '"([A-Za-z0-9][A-Za-z0-9._-]*)"' | string replace -r '^' tag:
end

# The ids or columns that a terminal showed of the resource within a day.
function __unified_seen --argument-names kind at profile account
    test -z "$account"; or return
    test -n "$profile"; or set profile $UNIFIED_PROFILE
    if test -z "$profile"
        set -l file $UNIFIED_CONFIG
        test -n "$file"; or set file (__unified_folder)/config.toml
        test -f "$file" -a -r "$file"; or return
        while read -l line
            string match -q '[*' -- "$line"; and break
            string match -qr '^profile\s*=\s*"(?<named>[A-Za-z0-9][A-Za-z0-9._-]*)"' -- "$line"; and set profile $named
        end <$file
    end
    string match -qr '^[A-Za-z0-9][A-Za-z0-9._-]*$' -- "$profile"; or return
    set -l words (string split ' ' -- "$at")
    string match -qr '^[a-z0-9_-]+ [a-z0-9_-]+$' -- "$words[1..2]"; or return
    set -l cache "$HOME/.cache/unified"
    if test -n "$XDG_CACHE_HOME"
        set cache $XDG_CACHE_HOME/unified
    else if test -d "$HOME/Library/Caches/unified"
        set cache "$HOME/Library/Caches/unified"
    end
    set -l file $cache/completion/$profile/$words[1].$words[2].$kind
    test -f $file -a -O $file -a -r $file; or return
    # Without the builtin path, which is there from fish 3.5 on, the time is not known.
    builtin -q path; or return
    set -l config $UNIFIED_CONFIG
    test -n "$config"; or set config (__unified_folder)/config.toml
    set config (string replace -a // / -- $config)
    read -l first <$file
    set -l seen (string match -rg '^([1-9][0-9]{0,11}) \S+ (.*)$' -- $first)
    test "$seen[2]" = "$config" -a -e "$config"; or return
    # A profile may lead elsewhere in a newer or older file of this name: the list of words has the time of its config file.
    set -l changed (path mtime -- $file)
    test "$changed" = (path mtime -- $config); or return
    test $config -nt $file; or test $config -ot $file; and return
    # The time of day, which only an age tells without another program.
    test (math $changed + (path mtime -R -- $file) - $seen[1]) -lt 86400; or return
    string match -r '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' <$file
end

# The ids of the runs, as their files are named.
function __unified_runs
    set -l folder "$HOME/.local/share/unified"
    if test -n "$XDG_DATA_HOME"
        set folder $XDG_DATA_HOME/unified
    else if test -d "$HOME/Library/Application Support/unified"
        set folder "$HOME/Library/Application Support/unified"
    end
    for file in $folder/runs/*.ndjson
        string match -rg '/([0-9]{8}-[0-9a-f]{4,8})\.ndjson$' -- $file
    end
end

# The names that the connection described of the operation, up to the =; of the query or the body.
function __unified_described --argument-names part at profile account
    set -l words (string split ' ' -- "$at")
    string match -qr '^[a-z0-9_-]+$' -- "$words[3]"; or return
    __unified_seen "$words[3].$part" "$at" "$profile" "$account" | string replace -r '$' '='
end

# What the user's own catalogue files add after the command words.
function __unified_added --argument-names folder at
    set -l words (string split ' ' -- "$at")
    contains -- "$words[1]" @COMMANDS@; and return
    for file in $folder/catalogue.d/*.toml
        test -f $file -a -r $file; or continue
        set -l section ''
        while read -l line
            if string match -qr '^\[api\.(?<api>[a-z0-9_-]+)\.resources\]' -- "$line"
                set section $api
                test -z "$at"; and echo $section
            else if string match -q '[*' -- "$line"
                set section ''
            else if test -n "$at" -a "$section" = "$words[1]"
                if string match -qr '^(?<name>[a-z0-9_-]+)\s*=\s*(?:\{.*operations\s*=\s*)?"(?<operations>[a-z0-9_ -]*)"' -- "$line"
                    if not set -q words[2]
                        echo $name
                    else if test "$name" = "$words[2]"; and not set -q words[3]
                        string split -n ' ' -- $operations | string replace -r '^crud$' '@STANDARD@' | string split ' '
                    end
                end
            end
        end <$file
    end
end

# Values of a kind, each after the text before them in the same word.
function __unified_offer --argument-names kind before current at profile account
    switch "$kind"
        case ''
            return
        case file
            __unified_files "$before" "$current"
        case folder
            __unified_files "$before" "$current" | string match -r '^[^\t]*/(?:\t.*)?$'
        case '@file'
            if set -l parts (string match -r '^((?:[^@]*)@(?:base64:)?)(.*)$' -- "$current")
                __unified_files "$before$parts[2]" $parts[3]
            end
        case profile
            __unified_profiles | string replace -r '^' -- "$before"
        case connection
            # After ! it is one that is left out.
            string match -q '!*' -- "$current"; and set before "$before!"
            begin
                __unified_profiles
                __unified_tags
            end | string replace -r '^' -- "$before"
        case record
            __unified_seen ids "$at" "$profile" "$account" | string replace -r '^' -- "$before"
        case column
            set -l words (string split ' ' -- "$at")
            set -l begun (string match -r '^.*,' -- "$current")
            begin
                __unified_columns "$words[1..2]"
                __unified_seen columns "$at" "$profile" "$account"
            end | string replace -r '^' -- "$before$begun"
        case parameter
            begin
                __unified_parameters "$at"
                __unified_described query "$at" "$profile" "$account"
            end | string replace -r '^' -- "$before"
        case field 'field@file'
            if test "$kind" = 'field@file'; and string match -q '*=*' -- "$current"
                __unified_offer '@file' "$before" "$current" "$at" "$profile" "$account"
                return
            end
            begin
                __unified_fields "$at"
                __unified_described body "$at" "$profile" "$account"
            end | string replace -r '^' -- "$before"
        case run last-run
            begin
                __unified_runs
                test "$kind" = run; or echo last
            end | string replace -r '^' -- "$before"
        case offered
            # The names that the connection was seen to offer have a dot for the slash.
            __unified_seen offers 'operations add names' "$profile" "$account" | string replace . / | string replace -r '^' -- "$before"
        case api/resource added
            set -l folder (__unified_folder)
            if set -l parts (string match -r '^([^/]*)/' -- "$current")
                if test "$kind" != added
                    __unified_words $parts[2] | string replace -r '^' -- "$before$parts[1]"
                else if test -d $folder/catalogue.d
                    __unified_added $folder $parts[2] | string replace -r '^' -- "$before$parts[1]"
                end
            else
                test "$kind" = added; or printf "$before%s/\n" @APIS@
                if test -d $folder/catalogue.d
                    __unified_added $folder '' | string replace -r '^(.*)$' -- "$before\$1/"
                end
            end
        case '*'
            string split ' ' -- $kind | string replace -r '^' -- "$before"
    end
end

function __unified_files --argument-names before current
    __fish_complete_path $current | string replace -r '^' -- "$before"
end

function __unified_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct | string replace -r '^["\']' '')
    set -l at ''
    set -l skip ''
    set -l helped ''
    set -l argument 0
    set -l profile ''
    set -l account ''
    set -l known (__unified_words '')
    set -e typed[1]
    for word in $typed
        if test -n "$skip"
            contains -- $skip -p --profile; and set profile $word
            contains -- $skip -a --account-id; and set account $word
            set skip ''
            continue
        end
        switch $word
            case '--profile=*'
                set profile (string replace -r '^[^=]*=' '' -- $word)
            case '--account-id=*'
                set account (string replace -r '^[^=]*=' '' -- $word)
            case '--*=*'
            case @VALUED@
                set skip $word
            case '-*'
            case '*'
                if test "$at$helped" = '' -a "$word" = help
                    # The words after help are those of the command itself.
                    set helped help
                else if set -q known[1]
                    set -l parts $word
                    if test -z "$at"; and not string match -q -- "$word"\t'*' $known
                        set -l value (__unified_aliases | string match -rg '^'(string escape --style=regex -- $word)'\t(.*)')
                        set -q value[1]; and set parts (string split -n ' ' -- $value[1])
                    end
                    for part in $parts
                        string match -qr '^-' -- $part; and break
                        if set -q known[1]
                            set at (string trim -- "$at $part")
                            set known (__unified_words "$at")
                        else
                            set argument (math $argument + 1)
                        end
                    end
                    test -n "$helped"; and set argument (math $argument + 1)
                else
                    set argument (math $argument + 1)
                end
        end
    end
    if test -n "$skip"
        __unified_offer "$(__unified_value $skip "$at")" '' "$current" "$at" "$profile" "$account"
    else if string match -q -- '--*=*' $current
        set -l parts (string split -m 1 = -- $current)
        __unified_offer "$(__unified_value $parts[1] "$at")" "$parts[1]=" "$parts[2]" "$at" "$profile" "$account"
    else if string match -q -- '-*' $current
        test -n "$helped"; and set at help
        __unified_flags "$at"
    else if set -q known[1]; and test -z "$helped" -o -n "$at"
        printf '%s\n' $known
        test -n "$at"; or __unified_aliases
    else
        test -n "$helped"; and set at help
        __unified_offer "$(__unified_argument "$at" $argument)" '' "$current" "$at" "$profile" "$account"
    end
end

complete -c unified -f -k -a '(__unified_complete)'
