#!/usr/bin/env bash
# Copies the built command, its completions and the licence to a prefix, or removes them from there:
#   scripts/install.sh BINARY PREFIX
#   scripts/install.sh --remove PREFIX
set -euo pipefail

prefix=$2
binary=$prefix/bin/woodshed
bash_completion=$prefix/share/bash-completion/completions/woodshed
zsh_completion=$prefix/share/zsh/site-functions/_woodshed
fish_completion=$prefix/share/fish/vendor_completions.d/woodshed.fish
licence=$prefix/share/doc/woodshed/LICENSE

if [ "$1" = --remove ]; then
    rm -fv "$binary" "$bash_completion" "$zsh_completion" "$fish_completion" "$licence"
    exit
fi

install -D -m 755 "$1" "$binary"
install -D -m 644 "$(dirname "$0")/../LICENSE" "$licence"
for shell in bash zsh fish; do
    target=${shell}_completion
    script=$("$1" --generate-completion-script "$shell")
    install -d "$(dirname "${!target}")"
    printf '%s\n' "$script" >"${!target}"
done
printf 'installed %s\n' "$binary" "$bash_completion" "$zsh_completion" "$fish_completion" "$licence"
