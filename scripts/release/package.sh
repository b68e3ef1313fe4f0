#!/usr/bin/env bash
# Builds the Debian packages of the present sources, into .build-deb, and checks them with lintian.
#
#   scripts/release/package.sh
#
# The helper works in a copy of packaging/debian, because the helper writes many files beside debian/, and the packages
# into the folder above. The command is compiled in this folder, which has most of the objects already.
# The script fetches nothing: run scripts/build.sh once before, to fetch the dependencies.
# DEBFULLNAME and DEBEMAIL replace the maintainer, for published packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
store=$root/.build-deb

fail() {
    printf 'packages: %s\n' "$@" >&2
    exit 1
}

for tool in dpkg-buildpackage dh lintian patchelf; do
    command -v $tool >/dev/null || fail "$tool is missing; run: scripts/setup.sh build package"
done
[ -f Package.resolved ] || fail "what the package depends on has not been fetched; run: make build"
scripts/checks/check.py version
version=$(scripts/version.sh)
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
[ -z "${DEBEMAIL:-}" ] || maintainer="${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>"

# Packages of one commit have one date, and so the same bytes.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    if [ -e .git ]; then SOURCE_DATE_EPOCH=$(git log -1 --format=%ct); else SOURCE_DATE_EPOCH=$(stat -c %Y CHANGELOG.md); fi
fi
export SOURCE_DATE_EPOCH

tree=$store/woodshed-$version
rm -rf "$store"
mkdir -p "$tree"
cp -r packaging/debian "$tree/"
sed -i "s/^Maintainer: .*/Maintainer: ${maintainer//[\/&]/}/" "$tree/debian/control"
{
    printf 'woodshed (%s-1) unstable; urgency=medium\n\n' "$version"
    printf '  * Woodshed %s, packaged by its authors; changelog.gz tells what is new.\n\n' "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} >"$tree/debian/changelog"

(cd "$tree" && SOURCE=$root dpkg-buildpackage --build=binary --no-sign) >"$store/log" 2>&1 || {
    tail -n 30 "$store/log" >&2
    fail "dpkg-buildpackage failed; all it said is in $store/log"
}
lintian --fail-on error --display-level '>=warning' --tag-display-limit 0 --allow-root "$store"/*.changes ||
    fail "lintian found errors in the packages"
(cd "$store" && sha256sum -- *.deb >SHA256SUMS)
for package in "$store"/*.deb; do
    [[ $package != *-dbgsym_* ]] || continue
    printf 'packages: %s, %s kB, %s kB installed\n' "${package#"$root"/}" "$(($(stat -c %s "$package") / 1000))" \
        "$(dpkg-deb --field "$package" Installed-Size)"
done
