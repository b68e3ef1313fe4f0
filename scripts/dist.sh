#!/usr/bin/env bash
# Writes what is published of the last commit: the source tarball, the list of what Woodshed is built of and loads (SBOM), and their checksums.
#
#   scripts/dist.sh [FOLDER]     default: .build-dist
#
# The tarball has the same bytes for the same commit: its times are the commit's, and neither the user's settings of git nor the time is in it.
set -euo pipefail
folder=$(realpath -m "${1:-$(dirname "$0")/../.build-dist}")
cd "$(dirname "$0")/.."

fail() {
    printf 'dist: %s\n' "$@" >&2
    exit 1
}

[ -e .git ] || fail "this is no git repository, and the tarball is made of a commit"
scripts/version.sh --check
scripts/sbom.py --check
[ -z "$(git status --porcelain)" ] || echo "dist: the tarball has the last commit, without what has changed since" >&2
# The version is that of the commit, which may not be that of the sources as they are here.
version=$(git show HEAD:Sources/Woodshed/Version.swift | sed -n 's/^public let woodshedVersion = "\(.*\)"$/\1/p')
[ "$version" = "$(scripts/version.sh)" ] || fail "the version $(scripts/version.sh) is not committed yet; the last commit has $version"
name=woodshed-$version

rm -rf "$folder"
mkdir -p "$folder"
git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip --no-name --best >"$folder/$name.tar.gz"
scripts/sbom.py "$folder/$name.spdx.json"
(cd "$folder" && sha256sum "$name.tar.gz" "$name.spdx.json" >SHA256SUMS && cat SHA256SUMS)
