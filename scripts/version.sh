#!/usr/bin/env bash
# Woodshed's version, from the one place where it is written: Sources/Woodshed/Version.swift.
#
#   scripts/version.sh                    prints it
#   scripts/version.sh --check [FOLDER]   fails if the newest release in CHANGELOG.md, or a tag of this commit, has another one
#
# Packages, the source tarball and the manual pages ask this script, so that a new version is a change of one line.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

fail() {
    echo "version: $1" >&2
    exit 1
}

check=no
if [ "${1:-}" = --check ]; then
    check=yes
    root=${2:-$root}
fi
source=$root/Sources/Woodshed/Version.swift
version=$(sed -n 's/^ *public let woodshedVersion = "\([0-9][0-9.]*\)"$/\1/p' "$source")
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "$source does not have one version of the form 1.2.3"
if [ $check = no ]; then
    echo "$version"
    exit
fi

# The form of a release's heading is that of Keep a Changelog: ## 0.2.0 - 2026-12-24. Before the first release there is none.
heading=$(grep -E '^## ' "$root/CHANGELOG.md" | grep -vx '## Unreleased' | head -n 1 || true)
if [ -n "$heading" ]; then
    [[ $heading =~ ^##\ ([0-9]+\.[0-9]+\.[0-9]+)\ -\ [0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
        fail "CHANGELOG.md: '$heading' is no release; write: ## $version - YEAR-MONTH-DAY"
    [ "${BASH_REMATCH[1]}" = "$version" ] ||
        fail "the newest release in CHANGELOG.md is ${BASH_REMATCH[1]}, and the command's version is $version"
fi
if [ -e "$root/.git" ]; then
    # A commit may have other tags, too.
    while IFS= read -r tag; do
        [ "$tag" = "v$version" ] || fail "this commit has the tag $tag, and the command's version is $version"
    done < <(git -C "$root" tag --points-at HEAD 'v[0-9]*')
fi
