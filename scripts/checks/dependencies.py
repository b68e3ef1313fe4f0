"""Every linked or loaded library is in packaging/: in dependencies.json, among the package's dependencies, and in the
copyright file.

The names of the libraries come from Package.swift and CSources; packaging/dependencies.json has the facts missing
there: licences, addresses, and purposes. scripts/release/sbom.py makes the list for distributors from the same file.
"""
import json
import re

TABLE, PACKAGE = "packaging/dependencies.json", "Package.swift"
CONTROL, COPYRIGHT = "packaging/debian/control", "packaging/debian/copyright"
# Woodshed's use of a dependency. A part linked with the command and contained in the shared library has the second use
# as `also`.
USES = ("linked", "contained", "loaded")


def listed(project):
    return json.loads(project.text(TABLE))


def uses(entry):
    return [entry[key] for key in ("use", "also") if key in entry]


def faults(project):
    table = listed(project)
    for entry in table:
        missing = {"name", "use", "license", "home", "for"} - set(entry)
        if missing or not set(uses(entry)) <= set(USES):
            yield f"{TABLE}: {entry.get('name', entry)} lacks {', '.join(sorted(missing)) or 'a known use'}"
    package = project.text(PACKAGE)
    linked = {entry["pkgConfig"] for entry in table if entry["use"] == "linked" and "pkgConfig" in entry}
    contained = {entry["name"] for entry in table if entry["use"] == "contained"}
    for pattern, names, word in ((r'pkgConfig: "([^"]+)"', linked, "is linked"),
                                 (r'\.package\(\s*url: "[^"]*/([^/"]+?)(?:\.git)?"', contained, "is a dependency")):
        for match in re.finditer(pattern, package):
            if match[1] not in names:
                yield f"{project.place(PACKAGE, match.start())}: {match[1]} {word}, and not listed in {TABLE}"

    command = re.search(r"^Package: woodshed\n.*?(?=^\n|\Z)", project.text(CONTROL), re.MULTILINE | re.DOTALL)[0]
    fields = re.findall(r"^(?:Depends|Recommends): (.*(?:\n .*)*)", command, re.MULTILINE)
    packages = set(re.split(r"[\s,]+", " ".join(fields)))
    loaded = {entry["library"]: entry for entry in table if "library" in entry}
    for path in project.matching(r"^CSources/[^/]*/[^/]*\.c$"):
        for match in re.finditer(r'\{?\s*"(lib[^"]+\.so\.[0-9]+)", "([^"]+)"', project.text(path)):
            place = project.place(path, match.end())
            library, package = match.groups()
            if library not in loaded or loaded[library].get("debian") != package:
                yield f"{place}: {library} of {package} is loaded, and not listed in {TABLE}"
            if package not in packages:
                yield f"{place}: woodshed neither depends on {package} nor recommends it, in {CONTROL}"
    for entry in table:
        if not re.search(rf"^ +{re.escape(entry['name'])}  ", project.text(COPYRIGHT), re.MULTILINE):
            yield f"{COPYRIGHT}: nothing about {entry['name']}"
