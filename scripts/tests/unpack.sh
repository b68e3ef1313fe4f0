#!/usr/bin/env bash
# Unpacks Debian packages into a folder, without installing them; once, because the folder is kept.
#
#   scripts/tests/unpack.sh [--named] FOLDER PACKAGE...
#
# It also unpacks what they depend on. What is installed on this machine is left out; with --named, not the named
# packages themselves. If they cannot be downloaded, it prints the reason in one line and exits with 77.
set -uo pipefail
cannot() {
    echo "$1"
    exit 77
}

with_named=no
[ "$1" != --named ] || { with_named=yes && shift; }
folder=$1
shift
packages=$*
[ "$(cat "$folder/complete" 2>/dev/null)" != "$packages" ] || exit 0
command -v apt-get >/dev/null || cannot "there is no apt-get to fetch $packages with"
rm -rf "$folder" && mkdir -p "$folder/archives" || exit 1
plan=(apt-get install --simulate --no-install-recommends "$@")
"${plan[@]}" >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ] || apt-get update -qq >/dev/null 2>&1
"${plan[@]}" >"$folder/plan" 2>&1 || cannot "these packages are not to be had: $packages"
mapfile -t names < <({ awk '$1 == "Inst" { print $2 }' "$folder/plan" && [ $with_named = no ] || printf '%s\n' "$@"; } | sort -u)
echo "unpacking ${names[*]:-nothing, all is installed}"
if [ ${#names[@]} -gt 0 ]; then
    (cd "$folder/archives" && apt-get download -qq "${names[@]}" >../said 2>&1) ||
        cannot "the packages could not be fetched: $(tail -n 1 "$folder/said")"
fi
for archive in "$folder"/archives/*.deb; do
    [ ! -e "$archive" ] || dpkg-deb --extract "$archive" "$folder" || exit 1
done
rm -rf "$folder/archives" && echo "$packages" >"$folder/complete"
