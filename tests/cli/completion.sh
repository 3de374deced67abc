#!/usr/bin/env bash
# Completes words as bash does on a tab: completion.sh COMMAND COMPLETION_FILE.
set -uo pipefail
source "$2"
failed=0
# expect WORDS EXPECTED: the last word of WORDS becomes EXPECTED.
expect() {
  read -ra COMP_WORDS <<<"$1"
  [[ $1 == *" " ]] && COMP_WORDS+=("")
  COMP_WORDS[0]=$command
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _arete
  if [ "${COMPREPLY[*]}" != "$2" ]; then
    echo "'$1' becomes '${COMPREPLY[*]}', expected '$2'"
    failed=1
  fi
}
command=$1
expect "arete ba" "bake"
expect "arete e" "export"
expect "arete bake --reg" "--registration"
expect "arete mesh --ex" "--exaggerate"
expect "arete se" "serve"
expect "arete serve --po" "--port"
expect "arete bake a.tif" ""
expect "arete query a.arete pro" "profile"
expect "arete query a.arete ray --ma" "--max"
exit $failed
