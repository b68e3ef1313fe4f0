"""A noncopyable struct embeds no part with more than 70 leaf fields: stored values, including the values in embedded structs.

The compiler checks each use of a noncopyable value against all its leaf fields, so the time to compile a module grows with the number. Keep a
large part on the heap, in a `Boxed`, which counts as one field. The check finds types by name; a type other than a struct of the sources
counts as one field.
"""
import re
from collections import defaultdict

LIMIT = 70
START = re.compile(r"\b(struct|class|enum|actor|extension|protocol)\s+([A-Z]\w*(?:\.\w+)*)([^{]*)\{")
PROPERTY = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate|nonisolated)(?:\(\w+\))?\s+)*(?:let|var)\s+(.+)$")
# Structs of the standard library with several values.
LIBRARY = {"Range": 2, "ClosedRange": 2, "UnsafeBufferPointer": 2, "UnsafeMutableBufferPointer": 2, "Span": 2, "MutableSpan": 2}


def body_end(text, start):
    """The index of the brace that closes the brace before `start`."""
    depth = 1
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return start + match.start()
    return len(text)


def split_outside(text, separator):
    """Splits at separators outside brackets."""
    parts, depth, last = [], 0, 0
    for index, sign in enumerate(text):
        depth += (sign in "([<{") - (sign in ")]}" or sign == ">" and text[index - 1] != "-")
        if sign == separator and depth == 0:
            parts.append(text[last:index])
            last = index + 1
    return [part.strip() for part in [*parts, text[last:]]]


def statements(body):
    """The lines of a type's body outside inner braces, parentheses closed, each without the contents of its own braces."""
    found, depth, line = [], 0, ""
    for sign in body:
        if sign == "{":
            depth += 1
            line += "{" if depth == 1 else ""
        elif sign == "}":
            depth -= 1
            line += "}" if depth == 0 else ""
        elif depth == 0:
            if sign == "\n" and line.count("(") <= line.count(")") and line.count("[") <= line.count("]") and not line.rstrip().endswith("="):
                found.append(line.strip())
                line = ""
            else:
                line += " " if sign == "\n" else sign
    return [*found, line.strip()]


def types_of(declaration):
    """The types of a stored property's values; none for a computed property."""
    if "{" in declaration and "=" not in declaration.split("{")[0]:
        return []
    declaration = declaration.split("{}")[0].strip() if declaration.endswith("{}") and "= {}" not in declaration else declaration
    sides = split_outside(declaration, "=")
    value = sides[1] if len(sides) > 1 else ""
    types = []
    # `a: Int, b: Int`, `(a, b): (Int, Float)` or `a = Part()`.
    for part in split_outside(sides[0], ","):
        name, _, kind = part.partition(":")
        if name.startswith("("):
            count = len(split_outside(name.strip("() "), ","))
            given = split_outside(kind.strip()[1:-1], ",") if kind.strip().startswith("(") else []
            types += given if len(given) == count else ["Int"] * count
        else:
            types.append(kind.strip() or (re.match(r"([A-Z][\w.]*)\(", value) or ["", "Int"])[1])
    return types


class Sources:
    """The stored properties of all structs, by the struct's name and by its name within the type around it."""

    def __init__(self, project):
        self.structs, self.noncopyable, self.counts = defaultdict(list), {}, {}
        for path in project.matching(r"^Sources/.*\.swift$"):
            self.read(project.code(path), "", path, 1)

    def read(self, text, outer, path, line):
        place = 0
        while match := START.search(text, place):
            end = body_end(text, match.end())
            name = outer + match[2]
            body = text[match.end():end]
            if match[1] == "struct":
                key = f"{path.split('/')[1]}.{name}"
                self.structs[key] = [kind for line in statements(body)
                                     if (found := PROPERTY.match(line)) for kind in types_of(found[1])]
                if "~Copyable" in match[3]:
                    self.noncopyable[key] = f"{path}:{line + text.count(chr(10), 0, match.start())}"
            self.read(body, name + ".", path, line + text.count("\n", 0, match.end()))
            place = end + 1

    def find(self, kind, owner):
        """The nearest struct of a name inside another type."""
        module, *scopes = owner.split(".")
        while True:
            key = ".".join([module, *scopes, kind])
            if key in self.structs:
                return key
            if not scopes:
                break
            scopes.pop()
        others = [key for key in self.structs if key.split(".", 1)[1] == kind]
        return others[0] if len(others) == 1 else None

    def leaves(self, kind, owner):
        kind = kind.strip()
        if kind.startswith("(") and kind.endswith(")") and "->" not in kind:
            return sum(self.leaves(part.partition(":")[2] or part, owner) for part in split_outside(kind[1:-1], ","))
        base = re.match(r"[\w.]*", kind)[0]
        if not base or kind[-1:] in "?!" or kind.startswith("any "):
            return 1
        key = self.find(base, owner)
        return self.count(key) if key else LIBRARY.get(base, 1)

    def count(self, key):
        if key not in self.counts:
            self.counts[key] = 1
            self.counts[key] = max(1, sum(self.leaves(kind, key) for kind in self.structs[key]))
        return self.counts[key]


def show(project):
    """The count of every noncopyable struct, largest first."""
    sources = Sources(project)
    return [f"{count:5d}  {key}" for count, key in sorted(((sources.count(key), key) for key in sources.noncopyable), reverse=True)]


def faults(project):
    sources = Sources(project)
    for key, place in sorted(sources.noncopyable.items()):
        for kind in sources.structs[key]:
            if (count := sources.leaves(kind, key)) > LIMIT:
                yield f"{place}: {key} embeds {kind}, which has {count} leaf fields, more than {LIMIT}; keep it in a Boxed"
