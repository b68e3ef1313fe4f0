#!/usr/bin/env python3
"""Counts words that make prose hard to read, in the comments of each module, in the scripts and in each page.

  scripts/checks/words.py --table [FOLDER]  prints the counts in 1,000 words; FOLDER is the project by default
  scripts/checks/words.py --check [FOLDER]  fails for each module or page over a limit

A module is a folder of Sources, Tests, CSources, Examples or Bindings; all scripts are one module. Pages are README.md, CONTRIBUTING.md, the
files of docs, and the pages and articles within modules. Comments at the beginning of a line and docstrings count; comments beside code do
not. Code blocks, tables, lists of links and the targets of links are left out, and code in a line is one word.

Short texts, of fewer than 334 words, count together: the short modules of each folder, and the short pages. A sum below 334 counts as 334
words. So one asking word never fails.
"""
import ast
import collections
import pathlib
import re
import subprocess
import sys

FOLDERS = ("Sources", "Tests", "CSources", "Examples", "Bindings", "scripts")
PAGES = ("README.md", "CONTRIBUTING.md", "docs")
SHORT = 334  # The fewest words in which one asking word is within its limit.
# Each kind of word, with its limit in 1,000 words. Participles are recognised by their ends, so "is open" counts, and "is put" does not.
KINDS = {
    "asking words": (3, re.compile(r"\b(?:what(?:ever)?|who(?:m|se|ever)?|wherever)\b")),
    "pronouns": (35, re.compile(r"\b(?:its?|the(?:y|m|ir|se)|th(?:at|ose)|ones?)\b")),
    "passives": (14, re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:not\s+)?\w+(?:ed|en|wn|ne|ld|pt|ught)\b")),
}
SUFFIXES = (".swift", ".c", ".cpp", ".h", ".rs", ".py", ".sh", ".md")
COMMENT = re.compile(r"^[ \t]*(?:///?(.*)|/\*([\s\S]*?)\*/)", re.MULTILINE)
SCRIPT_COMMENT = re.compile(r"^[ \t]*#(?!!| shellcheck )(.*)", re.MULTILINE)


def docstrings(text: str) -> list:
    """The docstrings of a Python file."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]


def prose(path: str, text: str) -> str:
    """The sentences of a source file or page, in small letters."""
    if path.endswith((".py", ".sh")):
        text = "\n".join(SCRIPT_COMMENT.findall(text) + (docstrings(text) if path.endswith(".py") else []))
    elif not path.endswith(".md"):
        text = "\n".join(line or re.sub(r"^[ \t]*\*", "", block, flags=re.MULTILINE) for line, block in COMMENT.findall(text))
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*\|.*|^- \[[^]]*\]\([^)]*\)$|<https?://[^>]*>|(?<=\])\([^)]*\)", "", text, flags=re.MULTILINE)
    return re.sub(r"`[^`]*`", "x", text).lower()


def count(text: str) -> collections.Counter:
    counts = collections.Counter({kind: len(pattern.findall(text)) for kind, (_, pattern) in KINDS.items()})
    counts["words"] = len(re.findall(r"[a-z'’]+", text))
    return counts


def paths(root: pathlib.Path) -> list:
    if (root / ".git").exists():
        command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *FOLDERS, *PAGES]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    else:
        found = [str(path.relative_to(root)) for path in root.rglob("*.*")]
    return sorted(path for path in found if path.endswith(SUFFIXES) and (root / path).is_file())


def texts(root: pathlib.Path) -> dict:
    """The counts of each file, by the module or page to which it belongs."""
    found = collections.defaultdict(dict)
    for path in paths(root):
        folder, is_page = path.split("/")[0], path.endswith(".md")
        if folder in (FOLDERS + PAGES if is_page else FOLDERS):
            name = path if is_page else folder if folder == "scripts" else "/".join(path.split("/")[:-1][:2])
            found[name][path] = count(prose(path, (root / path).read_text(encoding="utf-8", errors="replace")))
    return found


def total(files: dict) -> collections.Counter:
    return sum(files.values(), collections.Counter())


def rows(root: pathlib.Path) -> dict:
    """The counts of each file, by row of the table: the texts, short ones together."""
    found = collections.defaultdict(dict)
    for name, files in sorted(texts(root).items()):
        folder = name.split("/")[0]
        short = "short pages" if name.endswith(".md") else f"{folder}, short modules"
        found[short if total(files)["words"] < SHORT else name].update(files)
    return found


def main():
    if sys.argv[1:2] not in (["--table"], ["--check"]) or len(sys.argv) > 3:
        sys.exit(__doc__)
    found = rows(pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[2])
    faults = [] if found else ["there is no text"]
    if sys.argv[1] == "--table":
        print(f"{'in 1,000 words':32}{'words':>9}" + "".join(f"{kind:>14}" for kind in KINDS))
    for name, files in found.items():
        counts = total(files)
        share = {kind: round(1000 * counts[kind] / max(SHORT, counts["words"]), 1) for kind in KINDS}
        over = [kind for kind, (limit, _) in KINDS.items() if share[kind] > limit]
        if sys.argv[1] == "--table":
            print(f"{name:32}{counts['words']:9,}" + "".join(f"{share[kind]:14.1f}" for kind in KINDS))
        elif over:
            most = sorted(files, key=lambda path: sum(files[path][kind] for kind in over), reverse=True)[:3]
            shares = ", ".join(f"{share[kind]} {kind} (at most {KINDS[kind][0]})" for kind in over)
            faults.append(f"{name}, in 1,000 words: {shares}" + (f"; most in {', '.join(most)}" if len(files) > 1 else ""))
    for fault in faults:
        print(f"words: {fault}", file=sys.stderr)
    if faults:
        print("words: name the subject, repeat the noun, and say who does it", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
