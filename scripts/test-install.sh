#!/usr/bin/env bash
# Installs the built command to a temporary prefix, runs it from there and removes it again.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

failures=0
fail() {
    failures=$((failures + 1))
    echo "install: $1" >&2
}
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

scripts/install.sh .build/release/woodshed "$prefix" >/dev/null || fail "install.sh ended with $?"
files=$(find "$prefix" -type f -size +0 | wc -l)
[ "$files" -eq 5 ] || fail "$files files installed: the command, three completions and the licence make 5"
[ -n "$("$prefix/bin/woodshed" --version)" ] || fail "the installed command does not run"
bash -n "$prefix/share/bash-completion/completions/woodshed" || fail "the completion for bash does not parse"
head -n 1 "$prefix/share/zsh/site-functions/_woodshed" | grep -q '^#compdef woodshed' ||
    fail "the completion for zsh is none"
grep -q 'complete .*woodshed' "$prefix/share/fish/vendor_completions.d/woodshed.fish" ||
    fail "the completion for fish is none"
# A program with the standard library linked in needs no Swift at run time.
! ldd "$prefix/bin/woodshed" | grep -q libswift || fail "the installed command needs a Swift installation"
# Libraries that only pictures need are loaded when one is drawn, and the C++ library is linked in if its archive is installed.
needed=$(readelf -d "$prefix/bin/woodshed" | grep NEEDED) || fail "what the installed command needs cannot be read"
! grep -qE 'cairo|pango|fontconfig|freetype' <<<"$needed" || fail "the installed command loads what draws at each start"
if [ -f "$(clang -print-file-name=libstdc++.a)" ]; then
    ! grep -q 'libstdc++' <<<"$needed" || fail "the installed command needs the shared C++ library"
fi

# The manual pages and completions for packagers; the formatter must not warn about any page.
make --no-print-directory man completions >/dev/null || fail "make man completions ended with $?"
pages=$(find .build-man -name '*.1' | wc -l)
verbs=$(grep -c '^## woodshed' docs/commands.md)
[ "$pages" -eq "$verbs" ] || fail "$pages manual pages, and $verbs verbs in docs/commands.md"
if command -v groff >/dev/null; then
    said=$(groff -man -ww -z -Tutf8 .build-man/*.1 2>&1)
    [ -z "$said" ] || fail "manual pages: $said"
fi

scripts/install.sh --remove "$prefix" >/dev/null
left=$(find "$prefix" -type f)
[ -z "$left" ] || fail "left behind: $left"

echo "install: $failures failures"
[ $failures -eq 0 ]
