"""The types of Swift sources and their stored properties."""
import re
from collections import namedtuple

START = re.compile(r"\b(struct|class|enum|actor|extension|protocol)\s+([A-Z]\w*(?:\.\w+)*)([^{]*)\{")
# Words before `let` or `var`; `static` and `class` are not among them.
MODIFIERS = r"(?:(?:public|package|internal|private|fileprivate|nonisolated|final|lazy|weak|unowned|override)(?:\(\w+\))?\s+)*"
PROPERTY = re.compile(rf"^({MODIFIERS})(let|var)\s+(.+)$")
Declaration = namedtuple("Declaration", "keyword name head body line")


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
    """The lines of a type's body outside inner braces, parentheses closed, each without the contents of its own
    braces."""
    # Observers do not make a property a computed one.
    body = re.sub(r"(=[^{}\n]*)?\{(?=\s*(?:willSet|didSet)\b)", r"\1= {", body)
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


def without_attributes(line):
    """A declaration without the attributes before it, whose arguments may have brackets of their own."""
    while attribute := re.match(r"@\w+\s*", line):
        end = attribute.end()
        if line[end:end + 1] == "(":
            depth = 0
            for end in range(end, len(line)):
                depth += (line[end] == "(") - (line[end] == ")")
                if depth == 0:
                    break
            end += 1
        line = line[end:].lstrip()
    return line


def properties_of(declaration):
    """The names and types of the values that a declaration stores; none for a computed property."""
    if "{" in declaration and "=" not in declaration.split("{")[0]:
        return []
    declaration = declaration.split("{}")[0].strip() if declaration.endswith("{}") and "= {}" not in declaration else declaration
    sides = split_outside(declaration, "=")
    value = sides[1] if len(sides) > 1 else ""
    found = []
    # `a: Int, b: Int`, `(a, b): (Int, Float)` or `a = Part()`.
    for part in split_outside(sides[0], ","):
        name, _, kind = part.partition(":")
        if name.startswith("("):
            names = split_outside(name.strip("() "), ",")
            given = split_outside(kind.strip()[1:-1], ",") if kind.strip().startswith("(") else []
            found += zip(names, given if len(given) == len(names) else ["Int"] * len(names))
        else:
            found.append((name.strip(), kind.strip() or (re.match(r"([A-Z][\w.]*)\(", value) or ["", "Int"])[1]))
    return found


def stored(body):
    """The stored properties in a type's body: modifiers, `let` or `var`, name, and type, whose name may be missing."""
    return [(found[1].split(), found[2], *property) for line in statements(body)
            if (found := PROPERTY.match(without_attributes(line))) for property in properties_of(found[3])]


def declarations(text, outer="", line=1):
    """The types and extensions of a text without comments, inner types included: full names, the rest of the head,
    body, and line."""
    place = 0
    while match := START.search(text, place):
        end = body_end(text, match.end())
        body = text[match.end():end]
        yield Declaration(match[1], outer + match[2], match[3], body, line + text.count("\n", 0, match.start()))
        yield from declarations(body, f"{outer}{match[2]}.", line + text.count("\n", 0, match.end()))
        place = end + 1
