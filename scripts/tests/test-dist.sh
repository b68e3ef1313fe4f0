#!/usr/bin/env bash
# Makes the source tarball and the SBOM twice, and checks that both results are equal, complete and readable.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
if [ ! -e .git ]; then
    echo "not run here: tarball: this is no git repository"
    exit 77
fi

failures=0
fail() {
    failures=$((failures + 1))
    echo "dist: $1" >&2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
version=$(scripts/version.sh)

# Another time, another umask and another time zone must make no difference.
scripts/release/dist.sh "$folder/one" >/dev/null || fail "dist.sh ended with $?"
(umask 077 && TZ=Asia/Tokyo scripts/release/dist.sh "$folder/two" >/dev/null 2>&1) || fail "dist.sh ended with $? the second time"
diff -r "$folder/one" "$folder/two" || fail "the same commit made different files"
(cd "$folder/one" && sha256sum --quiet --check SHA256SUMS) || fail "the checksums are wrong"

tar -C "$folder" -xzf "$folder/one/woodshed-$version.tar.gz" || fail "the tarball does not unpack"
[ "$(cd "$folder/woodshed-$version" && find . -type f -o -type l | sed 's|^\./||' | sort)" = "$(git ls-tree -r --name-only HEAD | sort)" ] ||
    fail "the tarball has other files than the commit"
[ "$("$folder/woodshed-$version/scripts/version.sh")" = "$version" ] || fail "the unpacked sources do not know their version"
! grep -F -- "$PWD" "$folder/one/woodshed-$version.spdx.json" || fail "the SBOM names a folder of this machine"

python3 - "$folder/one/woodshed-$version.spdx.json" <<'END' || fail "the SBOM is not complete"
import json, re, sys
from pathlib import Path

document = json.loads(Path(sys.argv[1]).read_text())
assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
packages = {package["SPDXID"]: package for package in document["packages"]}
assert len(packages) == len(document["packages"]), "two packages with one name"
for package in packages.values():
    assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]), package
    assert package["licenseDeclared"] not in ("", "NOASSERTION") and package["downloadLocation"], package
# Everything is connected with Woodshed.
ends = {link[key] for link in document["relationships"] for key in ("spdxElementId", "relatedSpdxElement")}
assert ends == {*packages, "SPDXRef-DOCUMENT"}, ends ^ {*packages, "SPDXRef-DOCUMENT"}
table = json.loads(Path("packaging/dependencies.json").read_text())
names = {package["name"] for package in packages.values()}
for entry in table:
    assert entry["name"] in names, entry
linked = {entry["pkgConfig"]: entry["name"] for entry in table if entry["use"] == "linked" and "pkgConfig" in entry}
for library in re.findall(r'pkgConfig: "([^"]+)"', Path("Package.swift").read_text()):
    assert linked[library] in names, library
for pin in json.loads(Path("Package.resolved").read_text())["pins"]:
    found = [package for package in packages.values() if package["name"] == pin["identity"]]
    assert found and found[0]["versionInfo"] == pin["state"]["version"], pin
END

echo "dist: $failures failures"
[ $failures -eq 0 ]
