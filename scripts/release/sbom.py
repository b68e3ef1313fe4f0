#!/usr/bin/env python3
"""The list of all parts of Woodshed and all loaded libraries (SBOM), for distributors.

  scripts/release/sbom.py FILE               writes the list in the format SPDX 2.3, as JSON, with the versions of this machine
  scripts/release/sbom.py --check [FOLDER]   fails if a linked or loaded library is missing in packaging/

packaging/dependencies.json has the facts missing in the sources: licences, addresses, and purposes. The check reads the names of the
libraries from Package.swift and CSources.
"""
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parents[2]
# Woodshed's use of a dependency, and SPDX's word for the use; the last word is from the dependency's side. A part linked with the command
# and contained in the shared library has the second use as `also`.
relationships = {"linked": "DYNAMIC_LINK", "contained": "CONTAINS", "loaded": "RUNTIME_DEPENDENCY_OF"}


def output(*command):
    """A command's output; empty if the command is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=root).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def uses(entry):
    return [entry[key] for key in ("use", "also") if key in entry]


def listed(folder):
    return json.loads((folder / "packaging/dependencies.json").read_text())


# MARK: The check


def faults(folder):
    """The parts missing in packaging/, as a list of sentences."""
    table = listed(folder)
    found = []
    for entry in table:
        missing = {"name", "use", "license", "home", "for"} - set(entry)
        if missing or not set(uses(entry)) <= set(relationships):
            found.append(f"packaging/dependencies.json: {entry.get('name', entry)} lacks {', '.join(sorted(missing)) or 'a known use'}")
    linked = {entry["pkgConfig"] for entry in table if entry["use"] == "linked" and "pkgConfig" in entry}
    for name in re.findall(r'pkgConfig: "([^"]+)"', (folder / "Package.swift").read_text()):
        if name not in linked:
            found.append(f"packaging/dependencies.json: {name} is linked by Package.swift, and not listed")
    for name in re.findall(r'\.package\(\s*url: "[^"]*/([^/"]+?)(?:\.git)?"', (folder / "Package.swift").read_text()):
        if name not in {entry["name"] for entry in table if entry["use"] == "contained"}:
            found.append(f"packaging/dependencies.json: {name} is a dependency in Package.swift, and not listed")

    control = (folder / "packaging/debian/control").read_text()
    command = re.search(r"^Package: woodshed\n.*?(?=^\n|\Z)", control, re.MULTILINE | re.DOTALL).group(0)
    fields = re.findall(r"^(?:Depends|Recommends): (.*(?:\n .*)*)", command, re.MULTILINE)
    packages = set(re.split(r"[\s,]+", " ".join(fields)))
    loaded = {entry["library"]: entry for entry in table if "library" in entry}
    for file in sorted((folder / "CSources").glob("*/*.c")):
        for library, package in re.findall(r'\{?\s*"(lib[^"]+\.so\.[0-9]+)", "([^"]+)"', file.read_text()):
            if library not in loaded or loaded[library].get("debian") != package:
                found.append(f"packaging/dependencies.json: {library} of {package} is loaded, and not listed")
            if package not in packages:
                found.append(f"packaging/debian/control: woodshed neither depends on {package} nor recommends it")
    terms = (folder / "packaging/debian/copyright").read_text()
    found += [f"packaging/debian/copyright: nothing about {entry['name']}" for entry in table
              if not re.search(rf"^ +{re.escape(entry['name'])}  ", terms, re.MULTILINE)]
    return found


# MARK: The list


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
    entries = listed(root)
    unknown = set(pins) - {entry["name"] for entry in entries}
    if unknown:
        sys.exit(f"sbom: packaging/dependencies.json does not list {', '.join(unknown)}, which Package.resolved has")
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


def main():
    if sys.argv[1:2] == ["--check"]:
        said = faults(Path(sys.argv[2]) if len(sys.argv) > 2 else root)
        for line in said:
            print(f"sbom: {line}", file=sys.stderr)
        sys.exit(1 if said else 0)
    Path(sys.argv[1]).write_text(json.dumps(document(), indent=1, ensure_ascii=False) + "\n")


main()
