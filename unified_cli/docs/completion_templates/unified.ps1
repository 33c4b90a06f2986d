# PowerShell completion for unified. Static: a TAB starts no program, evaluates nothing it reads, and uses no
# network. Generated from the catalogue and the options; do not edit.

$UnifiedWords = @{
    @WORDS@
}
$UnifiedFlags = @(
    @FLAGS@
)
$UnifiedValues = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
@VALUES@
$UnifiedArguments = @{
    @ARGUMENTS@
}

$UnifiedComplete = {
    param($wordToComplete, $commandAst, $cursorPosition)

    function Get-UnifiedFolder {
        if ($env:XDG_CONFIG_HOME) { return Join-Path $env:XDG_CONFIG_HOME 'unified' }
        if ($env:LOCALAPPDATA) { return Join-Path $env:LOCALAPPDATA 'unified' }
        $mac = "$HOME/Library/Application Support/unified"
        if (Test-Path -LiteralPath $mac -PathType Container) { return $mac }
        return "$HOME/.config/unified"
    }

    # The profiles of the config file, those with harmless names.
    function Get-UnifiedProfiles {
        'sandbox'
        $file = $env:UNIFIED_CONFIG
        if (-not $file) { $file = Join-Path (Get-UnifiedFolder) 'config.toml' }
        if (-not (Test-Path -LiteralPath $file -PathType Leaf)) { return }
        $bare = '^\s*\[profiles\.(?:([A-Za-z0-9][A-Za-z0-9_-]*)|"([A-Za-z0-9][A-Za-z0-9._-]*)")\]\s*(#.*)?$'
        foreach ($line in Get-Content -LiteralPath $file -TotalCount 10000 -ErrorAction SilentlyContinue) {
            if ($line -cmatch $bare) { if ($Matches[1]) { $Matches[1] } else { $Matches[2] } }
        }
    }

    # What the user's own catalogue files add after the command words.
    function Get-UnifiedAdded([string[]]$at) {
        $folder = Join-Path (Get-UnifiedFolder) 'catalogue.d'
        if (-not (Test-Path -LiteralPath $folder -PathType Container)) { return }
        if ($at.Count -gt 0 -and ('@COMMANDS@' -split ' ') -ccontains $at[0]) { return }
        foreach ($file in Get-ChildItem -LiteralPath $folder -Filter '*.toml' -File) {
            $section = ''
            foreach ($line in Get-Content -LiteralPath $file.FullName -TotalCount 10000 -ErrorAction SilentlyContinue) {
                if ($line -cmatch '^\[api\.([a-z_-]+)\.resources\]') {
                    $section = $Matches[1]
                    if ($at.Count -eq 0) { $section }
                } elseif ($line.StartsWith('[')) {
                    $section = ''
                } elseif ($at.Count -gt 0 -and $section -ceq $at[0] -and
                    $line -cmatch '^([a-z_-]+)\s*=\s*(?:\{.*operations\s*=\s*)?"([a-z_ -]*)"') {
                    if ($at.Count -eq 1) { $Matches[1] }
                    elseif ($at.Count -eq 2 -and $Matches[1] -ceq $at[1]) {
                        ($Matches[2] -creplace '\bcrud\b', '@STANDARD@') -split ' ' | Where-Object { $_ }
                    }
                }
            }
        }
    }

    # What may follow the command words, each as word:purpose.
    function Get-UnifiedWords([string[]]$at) {
        $built = $UnifiedWords[($at -join ' ')]
        $names = @($built | Where-Object { $_ } | ForEach-Object { ($_ -split ':')[0] })
        $built
        Get-UnifiedAdded $at | Select-Object -Unique | Where-Object { $names -cnotcontains $_ }
    }

    function Show-Unified([string[]]$candidates, [string]$before) {
        foreach ($candidate in $candidates | Where-Object { $_ }) {
            $word, $purpose = $candidate -split ':', 2
            if (($before + $word).StartsWith($wordToComplete, [StringComparison]::Ordinal)) {
                if (-not $purpose) { $purpose = $word }
                [System.Management.Automation.CompletionResult]::new(
                    $before + $word, $word, 'ParameterValue', $purpose)
            }
        }
    }

    # An empty answer leaves files to the shell itself.
    function Show-UnifiedKind([string]$kind, [string]$before) {
        switch ($kind) {
            '' { }
            'file' { }
            'folder' { }
            '@file' { }
            'profile' { Show-Unified (Get-UnifiedProfiles) $before }
            'connection' { Show-Unified (Get-UnifiedProfiles) $before }
            'record' { }
            'column' { }
            'parameter' { }
            'field' { }
            'field@file' { }
            'run' { }
            'last-run' { }
            'api/resource' {
                if ($wordToComplete.Contains('/')) {
                    $api = ($wordToComplete -split '/')[0]
                    Show-Unified (Get-UnifiedWords @($api)) "$api/"
                } else {
                    Show-Unified ('@APIS@' -split ' ') $before
                }
            }
            default { Show-Unified ($kind -split ' ') $before }
        }
    }

    # What the value of an option is: that of the command, or of all that have the option.
    function Get-UnifiedValue([string]$option) {
        $own = "$($at -join ' ') $option"
        if ($UnifiedValues.ContainsKey($own)) { $UnifiedValues[$own] } else { $UnifiedValues[$option] }
    }

    $at = @()
    $skip = ''
    $helped = $false
    $argument = 0
    $known = @(Get-UnifiedWords $at)
    $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    for ($i = 1; $i -lt $typed.Count; $i++) {
        $word = $typed[$i]
        if ($skip) { $skip = ''; continue }
        if ($word -clike '--*=*') { continue }
        if ($UnifiedValues.ContainsKey($word)) { $skip = $word; continue }
        if ($word.StartsWith('-')) { continue }
        if (-not $helped -and -not $at.Count -and $word -ceq 'help') {
            # The words after help are those of the command itself.
            $helped = $true
        } elseif ($known.Count) {
            $at += $word
            $known = @(Get-UnifiedWords $at)
            if ($helped) { $argument++ }
        } else {
            $argument++
        }
    }

    $place = if ($helped) { 'help' } else { $at -join ' ' }
    if ($skip) {
        Show-UnifiedKind (Get-UnifiedValue $skip) ''
    } elseif ($wordToComplete -clike '--*=*') {
        $option = ($wordToComplete -split '=', 2)[0]
        Show-UnifiedKind (Get-UnifiedValue $option) "$option="
    } elseif ($wordToComplete.StartsWith('-')) {
        $help = @('--help:show the page of help', '-h:show the page of help')
        foreach ($set in $UnifiedFlags) {
            if ($place -clike $set[0]) { Show-Unified ($help + $set[1]) ''; return }
        }
        Show-Unified $help ''
    } elseif ($known.Count -and (-not $helped -or $at.Count)) {
        Show-Unified $known ''
    } else {
        $kinds = @($UnifiedArguments[$place])
        if ($kinds.Count) { Show-UnifiedKind $kinds[[Math]::Min($argument, $kinds.Count - 1)] '' }
    }
}

Register-ArgumentCompleter -Native -CommandName unified -ScriptBlock $UnifiedComplete.GetNewClosure()
