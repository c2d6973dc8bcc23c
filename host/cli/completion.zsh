#compdef radd
# Completes radd in zsh: put this file as _radd into a folder of $fpath.
_radd() {
    local answer
    answer=$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null) || return 1
    case $answer in
    :files) _files ;;
    :folders) _files -/ ;;
    "") return 1 ;;
    *) compadd -- "${(@f)answer}" ;;
    esac
}
if [[ $funcstack[1] == _radd ]]; then _radd "$@"; else compdef _radd radd; fi
