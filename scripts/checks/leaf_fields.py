"""A noncopyable struct embeds no part with more than 70 leaf fields: stored values, including the values in embedded
structs.

The compiler checks each use of a noncopyable value against all its leaf fields, so the time to compile a module grows
with the number. Keep a large part on the heap, in a `Boxed`, which counts as one field. The check finds types by name;
a type other than a struct of the sources counts as one field.
"""
import re

from declarations import declarations, split_outside, stored

LIMIT = 70
# Structs of the standard library with several values.
LIBRARY = {"Range": 2, "ClosedRange": 2, "UnsafeBufferPointer": 2, "UnsafeMutableBufferPointer": 2, "Span": 2, "MutableSpan": 2}


class Sources:
    """The stored properties of all structs, by the struct's name and by its name within the type around it."""

    def __init__(self, project):
        self.structs, self.noncopyable, self.counts = {}, {}, {}
        for path in project.matching(r"^Sources/.*\.swift$"):
            for declaration in declarations(project.code(path)):
                if declaration.keyword == "struct":
                    key = f"{path.split('/')[1]}.{declaration.name}"
                    self.structs[key] = [kind for _, _, _, kind in stored(declaration.body)]
                    if "~Copyable" in declaration.head:
                        self.noncopyable[key] = f"{path}:{declaration.line}"

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
