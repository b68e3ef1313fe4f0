#!/usr/bin/env python3
"""The reference of the command line, made from the help of the built command.

  scripts/docs/reference.py COMMAND            writes docs/commands.md, every printed help text, and docs/commands.json,
                                               the same as data: verbs, options, arguments
  scripts/docs/reference.py --check COMMAND    fails if one of both does not match COMMAND
  scripts/docs/reference.py --man FOLDER       writes the manual pages, made from docs/commands.json
"""
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
text_file, data_file = root / "docs/commands.md", root / "docs/commands.json"


def said(command, *arguments):
    # The width of a page, whatever the width of the terminal.
    environment = {**os.environ, "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    return subprocess.run([command, *arguments], capture_output=True, check=True, env=environment, text=True).stdout


def without_help(node):
    """Leaves out the `help` subcommands, equal in all verbs."""
    node = {key: value for key, value in node.items() if key not in ("shouldDisplay",)}
    if node.get("subcommands"):
        node["subcommands"] = [without_help(child) for child in node["subcommands"] if child["commandName"] != "help"]
    return node


def walk(node, path=()):
    path = (*path, node["commandName"])
    yield path, node
    for child in node.get("subcommands", []):
        yield from walk(child, path)


def generate(command):
    dump = json.loads(said(command, "--experimental-dump-help"))
    tree = without_help(dump["command"])
    data = json.dumps(tree, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    lines = [
        "# The commands", "",
        "The help of every verb, as `woodshed help VERB` prints the text. `make reference` writes this page from the command.", "",
    ]
    for path, _ in walk(tree):
        lines += [f"## {' '.join(path)}", "", "```text", said(command, *path[1:], "--help-hidden").rstrip("\n"), "```", ""]
    return {text_file: "\n".join(lines[:-1]) + "\n", data_file: data}


def differences(file, found, wanted):
    """A description of the first line in which two texts differ; empty for equal texts."""
    if found == wanted:
        return []
    pairs = itertools.zip_longest(found.split("\n"), wanted.split("\n"))
    number, (old, new) = next((n, pair) for n, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return [f"{file.relative_to(root)}:{number} is not current; run: make reference",
            f"  in the file: {old}", f"  as is:       {new}"]


def check(command):
    stale = 0
    for file, wanted in generate(command).items():
        # Planted faults first: a file with one more letter, and an empty one.
        assert differences(file, wanted + "x", wanted) and differences(file, "", wanted)
        said = differences(file, file.read_text() if file.exists() else "", wanted)
        stale += bool(said)
        for line in said:
            print(f"reference: {line}", file=sys.stderr)
    print(f"reference: {stale} of 2 files are stale")
    return stale


# MARK: Manual pages


def quoted(text):
    """A text with roff's control characters escaped, and with roff's names in place of characters that roff does not
    read."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def names(argument):
    dashes = {"long": "--", "short": "-", "longWithSingleDash": "-"}
    return [dashes[name["kind"]] + name["name"] for name in argument.get("names", [])]


def page(path, node, version):
    title = "-".join(path)
    # Also options left out by the short help.
    own = node.get("arguments", [])
    out = [f'.TH "{title.upper()}" 1 "" "woodshed {version}" "Woodshed"', ".SH NAME",
           f"{quoted(title)} \\- {quoted(node.get('abstract', ''))}", ".SH SYNOPSIS", f".B {quoted(' '.join(path))}"]
    for argument in own:
        value = f"\\fI{quoted(argument['valueName'])}\\fR"
        form = value if argument["kind"] == "positional" else f"\\fB{quoted(names(argument)[-1])}\\fR" + (
            f" {value}" if argument["kind"] == "option" else "")
        form += " ..." if argument.get("isRepeating") else ""
        out.append(f"[{form}]" if argument.get("isOptional") else form)
    # The discussion has its own headings in capitals, as in the help; columns are kept.
    for block in re.split(r"\n\n+", node.get("discussion", "").strip("\n")):
        head, _, rest = block.partition("\n")
        if re.fullmatch(r"[A-Z][A-Z ]+", head):
            out += [f".SH {head}"]
            block = rest
        elif len(out) and not any(line == ".SH DESCRIPTION" for line in out):
            out += [".SH DESCRIPTION"]
        # Indented lines keep their columns; every other line is a paragraph of its own.
        for indented, lines in itertools.groupby(filter(None, block.split("\n")), lambda line: line.startswith(" ")):
            if indented:
                out += [".PP", ".nf", quoted("\n".join(lines)), ".fi"]
            else:
                out += itertools.chain.from_iterable((".PP", quoted(line)) for line in lines)
    if own:
        out.append(".SH OPTIONS")
    for argument in own:
        value = f" \\fI{quoted(argument['valueName'])}\\fR" if argument["kind"] == "option" else ""
        shown = ", ".join(f"\\fB{quoted(name)}\\fR" for name in names(argument)) + value
        out += [".TP", shown if names(argument) else f"\\fI{quoted(argument['valueName'])}\\fR"]
        told = " ".join(filter(None, [argument.get("abstract"), argument.get("discussion")]))
        if argument.get("defaultValue"):
            told += f" (default: {argument['defaultValue']})"
        out.append(quoted(told) or "\\&")
    children = node.get("subcommands", [])
    if children:
        out.append(".SH COMMANDS")
    for child in children:
        out += [".TP", f"\\fB{quoted('-'.join([*path, child['commandName']]))}\\fR(1)", quoted(child.get("abstract", "")) or "\\&"]
    if len(path) > 1:
        out += [".SH SEE ALSO", f"\\fB{quoted('-'.join(path[:-1]))}\\fR(1)"]
    return "\n".join(out) + "\n"


def man(folder):
    tree = json.loads(data_file.read_text())
    version = said(root / "scripts/version.sh").strip()
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for path, node in walk(tree):
        (folder / f"{'-'.join(path)}.1").write_text(page(path, node, version))
        count += 1
    print(f"reference: {count} manual pages in {folder}")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--man"]:
        man(Path(arguments[1]))
    elif arguments[:1] == ["--check"]:
        sys.exit(1 if check(str(Path(arguments[1]).resolve())) else 0)
    else:
        for file, text in generate(str(Path(arguments[0]).resolve())).items():
            file.write_text(text)


main()
