#!/usr/bin/env bash
# Woodshed's version, from the one place where it is written: Sources/Woodshed/Version.swift.
#
# Packages, the source tarball and the manual pages ask this script, so that a new version is a change of one line.
# scripts/checks/version.py compares the version with the changelog.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)/Sources/Woodshed/Version.swift
version=$(sed -n 's/^ *public let woodshedVersion = "\([0-9][0-9.]*\)"$/\1/p' "$source")
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "version: $source does not have one version of the form 1.2.3" >&2 && exit 1; }
echo "$version"
