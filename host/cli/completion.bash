# Completes radd in bash: eval "$(radd completion bash)"
_radd() {
    local -a words=()
    local word
    # bash takes '=' for a word of its own.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ $word != = ]]; then words+=("$word"); fi
    done
    local answer
    answer=$("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null) || return 0
    case $answer in
    :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
    :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
    "") COMPREPLY=() ;;
    *) mapfile -t COMPREPLY <<<"$answer" ;;
    esac
}
complete -F _radd radd
