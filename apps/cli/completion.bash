# Completion of the arete command for bash: its own help says which commands and options there are.
_arete() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words= asked=
  if [ "$COMP_CWORD" -eq 1 ] || [[ $command == query && $COMP_CWORD -eq 3 ]]; then
    [ "$COMP_CWORD" -eq 3 ] && asked=query
    words=$("${COMP_WORDS[0]}" $asked --help 2>/dev/null | sed -n '/^Subcommands:/,$s/^  \([a-z]*\) .*/\1/p')
  elif [[ $word == -* ]]; then
    [[ $command == query && $COMP_CWORD -gt 3 ]] && asked="STORE ${COMP_WORDS[3]}"
    words=$("${COMP_WORDS[0]}" "$command" $asked --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u)
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _arete arete
