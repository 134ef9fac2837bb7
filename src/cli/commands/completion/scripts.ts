// The scripts that shells load for completion. Each asks `fairlead __complete` for candidates, a line each: the value, a tab
// and its meaning; the line `:files` asks for names of files.

const bash = `# Completion of fairlead for bash: source <(fairlead completion bash)
_fairlead() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default 2>/dev/null ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(fairlead __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]] && compopt -o nospace
  return 0
}
complete -F _fairlead fairlead
`;

const zsh = `#compdef fairlead
# Completion of fairlead for zsh: source <(fairlead completion zsh)
_fairlead() {
  local line
  local -a candidates
  for line in "\${(@f)$(fairlead __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ':files' ]]; then
      _files
    elif [[ -n $line ]]; then
      candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( \${#candidates} )) && _describe 'fairlead' candidates
}
compdef _fairlead fairlead
`;

const fish = `# Completion of fairlead for fish: fairlead completion fish | source
function __fairlead_complete
  set -l words (commandline -opc)[2..-1] (commandline -ct)
  for line in (fairlead __complete -- $words 2>/dev/null)
    if test $line = ':files'
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c fairlead -f -a '(__fairlead_complete)'
`;

const powershell = `# Completion of fairlead for PowerShell: fairlead completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName fairlead -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '' }
  fairlead __complete -- @words 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`;

export const completionScripts = { bash, zsh, fish, powershell } as const;
export type Shell = keyof typeof completionScripts;
export const shells = Object.keys(completionScripts) as readonly Shell[];
