#!/usr/bin/env bash
# Compares the functions looked up in libraries at run time with the libraries' own headers: each file in
# Tests/LibraryHeaders must compile with equal declarations, and must not compile with a changed declaration.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

failures=0
fail() {
    failures=$((failures + 1))
    echo "headers: $1" >&2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# compiles FILE TABLE: whether FILE compiles with the list of functions in the folder TABLE.
compiles() {
    local flags
    read -ra flags <<<"$(sed -n 's,^// pkg-config: ,,p' "$1" | xargs pkg-config --cflags)"
    clang -std=c11 -fsyntax-only -Werror "${flags[@]}" -I"$2" -ICSources/CLibraryTable/include "$1" 2>"$folder/said"
}

# refused FILE LIST EDIT: a sed command changes the list, and FILE must then not compile.
refused() {
    sed "$3" "$2" >"$folder/$(basename "$2")"
    if cmp -s "$2" "$folder/$(basename "$2")"; then fail "$2: the fault '$3' changes nothing"; fi
    if compiles "$1" "$folder"; then fail "$1: the fault '$3' is not found"; fi
}

comparisons=0
for file in Tests/LibraryHeaders/*.c; do
    comparisons=$((comparisons + 1))
    name=$(basename "$file" .c)
    list=CSources/C$name/include/C$name.h
    compiles "$file" "$(dirname "$list")" || fail "$file: $(cat "$folder/said")"
    # The comparison must be able to fail everywhere: here with the first result, the last parameter and the first
    # constant.
    refused "$file" "$list" '0,/    function([a-z0-9_]* \*, /s//    function(long, /'
    refused "$file" "$list" '/_FUNCTIONS(function)/,/^$/s/(\([^()]*\), int))/(\1, double))/'
    refused "$file" "$list" '0,/constant(\([A-Z_]*\), [0-9]*)/s//constant(\1, 77)/'
done
[ $comparisons -gt 0 ] || fail "there is nothing to compare"

echo "headers: $comparisons compared, $failures failures"
[ $failures -eq 0 ]
