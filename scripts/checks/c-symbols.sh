#!/usr/bin/env bash
# Writes packaging/debian/libwoodshed0.symbols: the library's symbols, each with its first version. A program's
# package then depends on the oldest library with all used symbols, and `make deb` fails if the built library lacks a symbol.
#
#   scripts/checks/c-symbols.sh                    writes the file, from woodshed.h and libwoodshed.map
#   scripts/checks/c-symbols.sh --check [FOLDER]   fails if the file would change
#
# Symbols of the last release keep their version. A new symbol gets the version of scripts/version.sh, so run this script also
# after a change of the version.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
check=no
if [ "${1:-}" = --check ]; then
    check=yes
    root=${2:-$root}
fi
version=$("$(dirname "$0")/../version.sh")
sources=$root/CSources/CWoodshed
file=packaging/debian/libwoodshed0.symbols

# The file of the last release; without tags or git, as in a source tarball, the present file.
released=
if [ -e "$root/.git" ]; then
    if tag=$(git -C "$root" describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null); then
        released=$(git -C "$root" show "$tag:$file" 2>/dev/null || true)
    fi
elif [ -f "$root/$file" ]; then
    released=$(cat "$root/$file")
fi

# One node, which the script of the linker gives to every exported symbol.
node=$(sed -n 's/^\([A-Z_0-9]*\) {$/\1/p' "$sources/libwoodshed.map")
[[ $node =~ ^[A-Z_0-9]+$ ]] || { echo "c-symbols: libwoodshed.map has not one node; bring this script up to date" >&2 && exit 1; }
written=$(
    printf 'libwoodshed.so.0 libwoodshed0 #MINVER#\n* Build-Depends-Package: libwoodshed-dev\n'
    clang -E -P -x c "$sources/include/woodshed.h" | grep -oP '\bwoodshed_\w+(?=\()' | LC_ALL=C sort -u |
        while IFS= read -r name; do
            since=$(awk -v name="$name@$node" '$1 == name { print $2 }' <<<"$released")
            echo " $name@$node ${since:-$version}"
        done
)
if [ $check = no ]; then
    echo "$written" >"$root/$file"
elif ! difference=$(diff "$root/$file" - <<<"$written"); then
    printf 'c-symbols: %s\n' "$file is not what woodshed.h and the last release say (>); run: scripts/checks/c-symbols.sh" "$difference" >&2
    exit 1
fi
