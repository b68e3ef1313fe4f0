#!/usr/bin/env python3
"""Checks the comments of woodshed.h.

    scripts/checks/c-comments.py [HEADER]           fails if a function lacks a comment, the first version or its
                                                    statuses
    scripts/checks/c-comments.py --since [HEADER]   prints each function with its first version; 0 for none

A function that returns a woodshed_status names the statuses after "@return", by constants of the enumeration. The first
version of a function is in its comment ("Since 200."), or else in the title of its section. The table of contents has
the titles of the sections.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
SECTION = r"^/\* ---- (.+?)(?:\. Since (\d+))?\.? -+ \*/$"
FUNCTION = r"^(?!typedef)([a-z][\w ]*[ *])(woodshed_\w+)\("


def functions(text):
    """The functions of a header: name, result type, comment (empty for none), and the section's first version."""
    bare = re.sub(r"/\*.*?\*/", lambda comment: re.sub(r"[^\n]", " ", comment[0]), text, flags=re.S)
    for function in re.finditer(FUNCTION, bare, flags=re.M):
        before = text[:function.start()]
        comment = re.search(r"/\*\*((?:(?!\*/).)*)\*/\n\Z", before, flags=re.S)
        section = re.findall(SECTION, before, flags=re.M)
        yield function[2], function[1].strip(), comment[1] if comment else "", section[-1][1] if section else ""


def first_version(comment, section):
    said = re.findall(r"Since (\d+)\.", comment)
    return int((said or [section or 0])[-1])


def faults(text):
    enumeration = re.search(r"typedef enum woodshed_status \{(.*?)\}", text, flags=re.S)
    known = set(re.findall(r"^\s*(WOODSHED_\w+) =", enumeration[1], flags=re.M)) if enumeration else set()
    for name, kind, comment, section in functions(text):
        if not comment.strip():
            yield f"{name} has no comment"
            continue
        if not first_version(comment, section):
            yield f"{name} does not say since which version it is there"
        returned = comment.partition("@return")[2]
        named = re.findall(r"\bWOODSHED_\w+", returned)
        if kind == "woodshed_status" and not named:
            yield f"{name} does not name the statuses that it returns"
        yield from (f"{name} names {status}, which is no status" for status in named if kind == "woodshed_status" and status not in known)
    titles = [title for title, _ in re.findall(SECTION, text, flags=re.M)]
    contents = re.search(r"^ \* CONTENTS\n \*\n((?: \* .*\n)+)", text, flags=re.M)
    listed = re.findall(r"^ \* (\w+(?: \w+)*)  ", contents[1], flags=re.M) if contents else []
    if titles and listed != titles:
        yield f"the table of contents has {listed}, the header {titles}"


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--since"]
    text = pathlib.Path(arguments[0] if arguments else root / "CSources/CWoodshed/include/woodshed.h").read_text()
    if "--since" in sys.argv:
        print("".join(f"{name} {first_version(comment, section)}\n" for name, _, comment, section in functions(text)), end="")
        return
    found = list(faults(text))
    for fault in found:
        print(f"c-comments: {fault}", file=sys.stderr)
    sys.exit(1 if found else 0)


main()
