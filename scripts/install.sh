#!/usr/bin/env bash
# Copies the built command, its manual pages, its completions and the licence to a prefix, or removes all of these:
#   scripts/install.sh BINARY PREFIX
#   scripts/install.sh --remove PREFIX
#
# The script builds nothing, needs no Swift, and writes only below PREFIX, because root often runs the script: root's
# files in the build folder would stop the next build by the user.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)

fail() {
    printf 'install: %s\n' "$@" >&2
    exit 1
}

prefix=$2
binary=$prefix/bin/woodshed
pages=$prefix/share/man/man1
bash_completion=$prefix/share/bash-completion/completions/woodshed
zsh_completion=$prefix/share/zsh/site-functions/_woodshed
fish_completion=$prefix/share/fish/vendor_completions.d/woodshed.fish
licence=$prefix/share/doc/woodshed/LICENSE

if [ "$1" = --remove ]; then
    rm -fv "$binary" "$pages/woodshed.1" "$pages"/woodshed-*.1 "$bash_completion" "$zsh_completion" "$fish_completion" "$licence"
    exit
fi

[ -x "$1" ] || fail "$1 is missing; run this first, as yourself: make build"
command -v python3 >/dev/null || fail "python3 is missing, which writes the manual pages; run: scripts/setup.sh build"

# Steps that can fail come first, so a failure leaves nothing half installed.
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$scripts/docs/reference.py" --man "$made/man" >/dev/null
for shell in bash zsh fish; do "$1" --generate-completion-script "$shell" >"$made/$shell"; done
# A shell reads this file and does not run the file; the packages' checker complains of a line that names an
# interpreter.
sed -i '1{/^#!/d}' "$made/bash"

install -D -m 755 "$1" "$binary"
# An older version may have pages of removed verbs.
rm -f "$pages/woodshed.1" "$pages"/woodshed-*.1
install -d "$pages"
install -m 644 "$made"/man/*.1 "$pages/"
for shell in bash zsh fish; do
    target=${shell}_completion
    install -D -m 644 "$made/$shell" "${!target}"
done
install -D -m 644 "$scripts/../LICENSE" "$licence"
printf 'installed %s\n' "$binary" "$pages/woodshed.1 and a page for each verb" "$bash_completion" "$zsh_completion" "$fish_completion" \
    "$licence"
