#!/usr/bin/env bash
# Installs the built command to a temporary prefix, runs the installed command and removes the files again.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

failures=0
fail() {
    failures=$((failures + 1))
    echo "install: $1" >&2
}
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

verbs=$(grep -c '^## woodshed' docs/commands.md)

# Root has no Swift here, and the installation builds nothing. Nothing appears beside the prefix, for any user of this
# test.
tools=$prefix/tools
mkdir "$tools"
for tool in bash env make dirname mktemp rm install cat sed; do ln -s "$(command -v $tool)" "$tools/$tool"; done
# A program on the PATH may be a script that looks for the interpreter elsewhere.
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$tools/python3"
without_swift() { env -i HOME=/nonexistent PATH="$tools" make --no-print-directory "$@" 2>&1; }
touch "$prefix/before"
said=$(without_swift install DESTDIR="$prefix/" PREFIX=installed) || fail "make install without Swift: $said"
# Another build may run meanwhile, in a separate folder.
written=$(find . -newer "$prefix/before" -not -path './.git/*' -not -path './.build-[tpa]*/*' -type f)
[ -z "$written" ] || fail "make install wrote in the sources: $written"
said=$(without_swift uninstall DESTDIR="$prefix/" PREFIX=installed) || fail "make uninstall without Swift: $said"
left=$(find "$prefix" -path "$prefix/installed/*" -type f)
[ -z "$left" ] || fail "make uninstall left behind: $left"
# The same where nothing was built: another folder, with the scripts only.
mkdir "$prefix/unbuilt"
cp -r Makefile LICENSE scripts "$prefix/unbuilt/"
if said=$(without_swift -C "$prefix/unbuilt" install PREFIX="$prefix/installed"); then
    fail "make install passed where nothing was built"
fi
grep -q 'make build' <<<"$said" || fail "make install does not say what to run first: $said"
left=$(find "$prefix" -path "$prefix/installed/*" -type f)
[ -z "$left" ] || fail "a make install that was refused left behind: $left"
rm -r "${prefix:?}"/*

mkdir -p "$prefix/share/man/man1" && touch "$prefix/share/man/man1/woodshed-gone.1"
scripts/install.sh .build/release/woodshed "$prefix" >/dev/null || fail "install.sh ended with $?"
files=$(find "$prefix" -type f -size +0 | wc -l)
[ "$files" -eq $((5 + verbs)) ] ||
    fail "$files files installed: the command, three completions, the licence and $verbs manual pages make $((5 + verbs))"
[ ! -e "$prefix/share/man/man1/woodshed-gone.1" ] || fail "the manual page of a verb that is no more is still there"
for page in $(sed -n 's/^## //p' docs/commands.md | tr ' ' -); do
    [ -f "$prefix/share/man/man1/$page.1" ] || fail "$page has no manual page"
done
[ -n "$("$prefix/bin/woodshed" --version)" ] || fail "the installed command does not run"
bash -n "$prefix/share/bash-completion/completions/woodshed" || fail "the completion for bash does not parse"
head -n 1 "$prefix/share/zsh/site-functions/_woodshed" | grep '^#compdef woodshed' >/dev/null ||
    fail "the completion for zsh is none"
grep -q 'complete .*woodshed' "$prefix/share/fish/vendor_completions.d/woodshed.fish" ||
    fail "the completion for fish is none"
# A program with the standard library linked in needs no Swift at run time.
! ldd "$prefix/bin/woodshed" | grep libswift >/dev/null || fail "the installed command needs a Swift installation"
# The program loads the libraries for pictures with the first picture, and contains the C++ library if its archive is
# installed.
needed=$(readelf -d "$prefix/bin/woodshed" | grep NEEDED) || fail "what the installed command needs cannot be read"
! grep -qE 'cairo|pango|fontconfig|freetype' <<<"$needed" || fail "the installed command loads what draws at each start"
if [ -f "$(clang -print-file-name=libstdc++.a)" ]; then
    ! grep -q 'libstdc++' <<<"$needed" || fail "the installed command needs the shared C++ library"
fi

# The manual pages and completions for packagers; the formatter must not warn about any page.
make --no-print-directory man completions >/dev/null || fail "make man completions ended with $?"
pages=$(find .build-man -name '*.1' | wc -l)
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
