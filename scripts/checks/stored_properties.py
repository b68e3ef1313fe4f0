"""Types with too much state, and state that a type opens only for its own second file.

A type has at most 15 stored properties. The properties of a struct count for the type that stores the struct (also in
an optional, a collection or a box) if no other type of Sources and no test names the struct: such a part is only a name
for some of the type's own state. The parts of a part count for the part. scripts/checks/stored-properties.txt has the
exceptions, and the types still over the limit.

No `var` is internal only because another file of the same type needs the `var`: put the files together, and make the
`var` private. The check finds names, not meanings: a `var` counts as needed elsewhere if any other type or a test has
the name behind a point or before a colon.
"""
import re
from collections import defaultdict

from declarations import START, body_end, declarations, stored

LIMIT, EXCEPTIONS = 15, 10
TABLE = "scripts/checks/stored-properties.txt"
ACCESS = {"public", "package", "internal", "private", "fileprivate"}
NAME = re.compile(r"(?:(?<=\.)|\b)[A-Z]\w*")


def outermost(text):
    """The text of each outermost type and extension, by the type's name, and the text between them, by the empty
    name."""
    place = 0
    while match := START.search(text, place):
        end = body_end(text, match.end())
        yield "", text[place:match.start()]
        yield match[2].split(".")[0], text[match.start():end]
        place = end + 1
    yield "", text[place:]


class Type:
    def __init__(self, declaration, file):
        self.keyword, self.file, self.place = declaration.keyword, file, f"{file}:{declaration.line}"
        self.properties = stored(declaration.body)


class Types:
    """All types of Sources, and the texts that use them."""

    def __init__(self, project):
        self.types, self.texts, self.users = {}, defaultdict(lambda: defaultdict(str)), defaultdict(set)
        self.tests = defaultdict(set)  # The modules whose internal names each module of tests sees.
        for file in project.matching(r"^(Sources|Tests)/[^/]+/.*\.swift$"):
            folder, module, _ = file.split("/", 2)
            text = project.code(file)
            self.tests[module] |= set(re.findall(r"@testable import (\w+)", text))
            for name, part in outermost(text):
                self.texts[(module, name)][file] += part
            for declaration in declarations(text) if folder == "Sources" else ():
                if declaration.keyword in ("struct", "class", "actor"):
                    self.types[f"{module}.{declaration.name}"] = Type(declaration, file)
        self.whole = {user: "\n".join(texts.values()) for user, texts in self.texts.items()}
        for user, text in self.whole.items():
            for name in set(NAME.findall(text)):
                self.users[name].add(user)

    def find(self, kind, owner):
        """The nearest type of a name inside another type, or the only one of this name elsewhere."""
        module, *scopes = owner.split(".")
        while True:
            key = ".".join([module, *scopes, kind])
            if key in self.types:
                return key
            if not scopes:
                break
            scopes.pop()
        others = [key for key in self.types if key.split(".", 1)[1] == kind]
        return others[0] if len(others) == 1 else None

    def belongs(self, part, owner):
        """Whether only the owner, with the types inside it, names a struct."""
        (module, outer, *inner), own = part.split("."), tuple(owner.split(".")[:2])
        users = self.users[outer] & self.users[inner[-1]] if inner else self.users[outer]
        if inner:
            named = re.compile(rf"\b{outer}\.(?:\w+\.)*{inner[-1]}\b")
            users = {user for user in users if user == (module, outer) or named.search(self.whole[user])}
        return users <= {own, (module, outer)}

    def parts(self, key):
        """The structs that only this type uses, among the types of its stored properties."""
        kinds = [kind for _, _, _, kind in self.types[key].properties if "->" not in kind]
        found = {self.find(name, key) for kind in kinds for name in re.findall(r"[A-Z][\w.]*", kind)} - {None, key}
        return sorted(part for part in found if self.types[part].keyword == "struct" and self.belongs(part, key))

    def over(self):
        """The number of stored properties of each type over the limit."""
        counts = {key: sum(len(self.types[name].properties) for name in [key, *self.parts(key)]) for key in self.types}
        return {key: count for key, count in counts.items() if count > LIMIT}

    def opened(self):
        """Each internal `var` that only other files of the same type name, as the type, the name and these files."""
        needed = defaultdict(set)
        for user, text in self.whole.items():
            for name in set(re.findall(r"(?<=\.)[a-z_]\w*|\b[a-z_]\w*(?=:)", text)):
                needed[name].add(user)
        found = []
        for key, type in self.types.items():
            module, *owner = key.split(".")
            others = {file: text for file, text in self.texts[(module, owner[0])].items() if file != type.file and len(owner) == 1}
            # Another module of Sources cannot reach an internal name.
            reached = {module} | {test for test, modules in self.tests.items() if module in modules}
            for modifiers, keyword, name, _ in type.properties if others else []:
                users = {user for user in needed[name] if user[0] in reached}
                if keyword == "var" and not ACCESS & set(modifiers) and users <= {(module, *owner)}:
                    files = [file.rpartition("/")[2] for file, text in others.items() if re.search(rf"\b{name}\b", text)]
                    found += [(key, name, files)] if files else []
        return found


def listed(project):
    """The lines of the table: name, present number or `var`, and the reason of an exception."""
    lines = project.text(TABLE).splitlines() if TABLE in project.files else []
    rows = [line.split(maxsplit=2) for line in lines if line and not line.startswith("#")]
    return {row[0]: (row[1], row[2] if len(row) > 2 else "") for row in rows}


def show(project):
    """Each type over the limit with its properties and parts, and each opened variable."""
    types = Types(project)
    counts, opened = types.over(), types.opened()
    for key, count in sorted(counts.items(), key=lambda item: -item[1]):
        parts = ", ".join(part.split(".", 1)[1] for part in types.parts(key))
        yield f"{count:3d}  {key}: {len(types.types[key].properties)} of its own{parts and ', and those of ' + parts}"
    for key, name, files in opened:
        yield f"var  {key}.{name}, for {', '.join(files)}"
    yield f"{len(counts)} types with more than {LIMIT} stored properties, {len(opened)} opened variables"


def faults(project):
    types = Types(project)
    counts, opened, table = types.over(), types.opened(), listed(project)
    limits = {key: int(number) for key, (number, _) in table.items() if number != "var"}
    for key, count in counts.items():
        if count > limits.get(key, LIMIT):
            yield f"{types.types[key].place}: {key} has {count} stored properties, more than {limits.get(key, LIMIT)}; " \
                  "give some of them to a type with a purpose of its own"
    for key, name, files in opened:
        if f"{key}.{name}" not in table:
            yield f"{types.types[key].place}: {name} is internal only for {', '.join(files)}; put the files together, and make it private"
    needed = {*counts, *(f"{key}.{name}" for key, name, _ in opened)}
    for key in table.keys() - needed:
        yield f"{TABLE}: {key} no longer needs its line"
    if sum(bool(reason) for _, reason in table.values()) > EXCEPTIONS:
        yield f"{TABLE}: more than {EXCEPTIONS} exceptions"
