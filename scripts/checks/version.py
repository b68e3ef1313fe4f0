"""The newest release in CHANGELOG.md, and a tag of this commit, have the version in Sources/Woodshed/Version.swift."""
import re

from project import Fault

SOURCE, CHANGELOG = "Sources/Woodshed/Version.swift", "CHANGELOG.md"


def version(project) -> str:
    found = re.findall(r'^ *public let woodshedVersion = "([\d.]+)"$', project.text(SOURCE), re.M)
    if len(found) != 1 or not re.fullmatch(r"\d+\.\d+\.\d+", found[0]):
        raise Fault(f"{SOURCE}: there must be one version of the form 1.2.3")
    return found[0]


def faults(project):
    own = version(project)
    # The form of a release's heading is that of Keep a Changelog: ## 0.2.0 - 2026-12-24. Before the first release there
    # is none.
    heading = re.search(r"^## (?!Unreleased$).*", project.text(CHANGELOG), re.M)
    if heading:
        place = project.place(CHANGELOG, heading.start())
        release = re.fullmatch(r"## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d", heading[0])
        if not release:
            yield f"{place}: '{heading[0]}' is no release; write: ## {own} - YEAR-MONTH-DAY"
        elif release[1] != own:
            yield f"{place}: the newest release is {release[1]}, and the command's version is {own}"
    # A commit may have other tags, too.
    for tag in project.git("tag", "--points-at", "HEAD", "v[0-9]*").split() if (project.root / ".git").exists() else ():
        if tag != f"v{own}":
            yield f"{SOURCE}: this commit has the tag {tag}, and the command's version is {own}"
