#!/usr/bin/env bash
# Writes the published files of the last commit: the source tarball, the list of all parts and loaded libraries (SBOM),
# and their checksums.
#
#   scripts/release/dist.sh [FOLDER]     default: .build-dist
#
# The tarball has the same bytes for the same commit: its times are the commit's times, and the user's settings of git
# and the present time have no effect.
set -euo pipefail
folder=$(realpath -m "${1:-$(dirname "$0")/../../.build-dist}")
cd "$(dirname "$0")/../.."

fail() {
    printf 'dist: %s\n' "$@" >&2
    exit 1
}

[ -e .git ] || fail "this is no git repository, and the tarball is made of a commit"
scripts/checks/check.py version dependencies
[ -z "$(git status --porcelain)" ] || echo "dist: the tarball has the last commit, without what has changed since" >&2
# The version of the commit, which may differ from the version of the present sources.
version=$(git show HEAD:Sources/Woodshed/Version.swift | sed -n 's/^public let woodshedVersion = "\(.*\)"$/\1/p')
[ "$version" = "$(scripts/version.sh)" ] || fail "the version $(scripts/version.sh) is not committed yet; the last commit has $version"
name=woodshed-$version

rm -rf "$folder"
mkdir -p "$folder"
git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip --no-name --best >"$folder/$name.tar.gz"
scripts/release/sbom.py "$folder/$name.spdx.json"
(cd "$folder" && sha256sum "$name.tar.gz" "$name.spdx.json" >SHA256SUMS && cat SHA256SUMS)
