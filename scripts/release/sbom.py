#!/usr/bin/env python3
"""The list of all parts of Woodshed and all loaded libraries (SBOM), for distributors.

  scripts/release/sbom.py FILE    writes the list in the format SPDX 2.3, as JSON, with the versions of this machine

The list is made from packaging/dependencies.json; scripts/checks/dependencies.py checks that no library is missing
there.
"""
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "scripts/checks"))
from dependencies import TABLE, uses

# SPDX's word for each use of a dependency; the last word is from the dependency's side.
relationships = {"linked": "DYNAMIC_LINK", "contained": "CONTAINS", "loaded": "RUNTIME_DEPENDENCY_OF"}


def output(*command):
    """A command's output; empty if the command is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=root).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def version_of(entry, pins):
    if entry["name"] in pins:
        return pins[entry["name"]]["version"]
    if entry["name"] == "Swift":
        return (re.search(r"Swift version (\S+)", output("swift", "--version")) or [None, ""])[1]
    # The upstream part of a Debian version, without the revision and the mark of repacking.
    return output("pkg-config", "--modversion", entry.get("pkgConfig", "")) or re.sub(
        r"^\d+:|[-+~].*", "", output("dpkg-query", "-W", "-f", "${Version}", entry.get("debian", "")))


def package(identifier, name, version, license, home, **more):
    entry = {"SPDXID": identifier, "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "homepage": home,
             "licenseConcluded": license, "licenseDeclared": license, "copyrightText": "NOASSERTION", **more}
    if version:
        entry["versionInfo"] = version
    return {key: value for key, value in entry.items() if value}


def document():
    resolved = root / "Package.resolved"
    if not resolved.exists():
        sys.exit("sbom: what the package depends on has not been resolved; run: make build")
    pins = {pin["identity"]: pin["state"] for pin in json.loads(resolved.read_text())["pins"]}
    entries = json.loads((root / TABLE).read_text())
    unknown = set(pins) - {entry["name"] for entry in entries}
    if unknown:
        sys.exit(f"sbom: {TABLE} does not list {', '.join(unknown)}, which Package.resolved has")
    version = output("scripts/version.sh")
    commit = output("git", "rev-parse", "HEAD")
    created = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct") or time.time())
    packages = [package(
        "SPDXRef-woodshed", "woodshed", version, "Apache-2.0", "",
        comment="The sources alone. A binary is linked with FFTW and is distributed under the GPL, version 3 or later.")]
    links = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-woodshed")]
    for entry in entries:
        identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", entry["name"])
        more = {"comment": f"{' and '.join(uses(entry))}: {entry['for']}"}
        if entry["name"] in pins:
            more["downloadLocation"] = f"git+{entry['home']}@{pins[entry['name']]['revision']}"
        if "debian" in entry:
            more["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                     "referenceLocator": f"pkg:deb/debian/{entry['debian']}"}]
        packages.append(package(identifier, entry["name"], version_of(entry, pins), entry["license"], entry["home"], **more))
        for kind in (relationships[use] for use in uses(entry)):
            ends = ("SPDXRef-woodshed", identifier)
            links.append((ends[1], kind, ends[0]) if kind.endswith("_OF") else (ends[0], kind, ends[1]))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"woodshed-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/woodshed-{version}-{commit or created}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created)), "creators": ["Tool: scripts/release/sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in links],
    }


if len(sys.argv) != 2:
    sys.exit(__doc__)
Path(sys.argv[1]).write_text(json.dumps(document(), indent=1, ensure_ascii=False) + "\n")
