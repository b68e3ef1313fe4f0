"""Few words make prose hard to read, in the comments of each module, in the scripts and in each page.

A module is a folder of Sources, Tests, CSources, Examples or Bindings; all scripts are one module. Pages are README.md,
CONTRIBUTING.md, the files of docs, and the pages and articles within modules. Comments at the beginning of a line and
docstrings count; comments beside code do not. Code blocks, tables, lists of links and the targets of links are left
out, and code in a line is one word.

Short texts, of fewer than 334 words, count together: the short modules of each folder, and the short pages. A sum below
334 counts as 334 words. So one asking word never fails.
"""
import ast
import collections
import re

FOLDERS = ("Sources", "Tests", "CSources", "Examples", "Bindings", "scripts")
PAGES = ("README.md", "CONTRIBUTING.md", "docs")
SHORT = 334  # The fewest words in which one asking word is within its limit.
# Each kind of word, with its limit in 1,000 words. Participles are recognised by their ends, so "is open" counts, and
# "is put" does not.
KINDS = {
    "asking words": (3, re.compile(r"\b(?:what(?:ever)?|who(?:m|se|ever)?|wherever)\b")),
    "pronouns": (35, re.compile(r"\b(?:its?|the(?:y|m|ir|se)|th(?:at|ose)|ones?)\b")),
    "passives": (14, re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:not\s+)?\w+(?:ed|en|wn|ne|ld|pt|ught)\b")),
}
ENDS = r"\.(swift|c|cpp|h|rs|py|sh|md)$"
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


def texts(project) -> dict:
    """The counts of each file, by the module or page to which it belongs."""
    found = collections.defaultdict(dict)
    for path in project.matching(ENDS):
        folder, is_page = path.split("/")[0], path.endswith(".md")
        if folder in (FOLDERS + PAGES if is_page else FOLDERS):
            name = path if is_page else folder if folder == "scripts" else "/".join(path.split("/")[:-1][:2])
            found[name][path] = count(prose(path, project.text(path)))
    return found


def total(files: dict) -> collections.Counter:
    return sum(files.values(), collections.Counter())


def rows(project) -> dict:
    """The counts of each file, by row of the table: the texts, short ones together."""
    found = collections.defaultdict(dict)
    for name, files in sorted(texts(project).items()):
        folder = name.split("/")[0]
        short = "short pages" if name.endswith(".md") else f"{folder}, short modules"
        found[short if total(files)["words"] < SHORT else name].update(files)
    return found


def shares(counts: collections.Counter) -> dict:
    """The number of each kind in 1,000 words."""
    return {kind: round(1000 * counts[kind] / max(SHORT, counts["words"]), 1) for kind in KINDS}


def show(project):
    """The counts in 1,000 words."""
    yield f"{'in 1,000 words':32}{'words':>9}" + "".join(f"{kind:>14}" for kind in KINDS)
    for name, counts in ((name, total(files)) for name, files in rows(project).items()):
        yield f"{name:32}{counts['words']:9,}" + "".join(f"{share:14.1f}" for share in shares(counts).values())


def faults(project):
    found = rows(project)
    if not found:
        yield "README.md: there is no text"
    for name, files in found.items():
        over = {kind: share for kind, share in shares(total(files)).items() if share > KINDS[kind][0]}
        if over:
            most = sorted(files, key=lambda path: sum(files[path][kind] for kind in over), reverse=True)[:3]
            told = ", ".join(f"{share} {kind} (at most {KINDS[kind][0]})" for kind, share in over.items())
            yield (f"{name}: in 1,000 words: {told}" + (f"; most in {', '.join(most)}" if len(files) > 1 else "")
                   + "; name the subject, repeat the noun, and say who does it")
