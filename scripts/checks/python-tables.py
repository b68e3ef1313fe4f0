#!/usr/bin/env python3
"""Writes Bindings/Python/_woodshed_tables.py, the part of the module for Python that woodshed.h determines.

    scripts/checks/python-tables.py          writes the numbers, structs and functions of the header for ctypes
    scripts/checks/python-tables.py --check  fails if the file differs from the header; changes nothing

Both fail if ctypes lays out a struct differently from the C compiler, or if a number differs.
"""
import ctypes
import os
import pathlib
import re
import sys
import textwrap

from c_header import Unreadable, bare, layout, paths, read

root = pathlib.Path(__file__).resolve().parents[2]
header = root / "CSources/CWoodshed/include/woodshed.h"
module = root / "Bindings/Python/_woodshed_tables.py"

BEGIN = '''"""The numbers, structs and functions of woodshed.h for ctypes; made by scripts/checks/python-tables.py from the header.

The names are those of the header without `woodshed_`; the names of numbers are without the words common to an
enumeration.
"""
from ctypes import %s


class _Sized(Structure):
    """A struct that begins with its size."""

    def __init__(self, **fields):
        super().__init__(size=sizeof(self), **fields)


'''
END = '''

def declare(library):
    """Sets the types of the functions of a loaded library, and returns the library. An older library may lack
    functions."""
    for name, (result, *parameters) in _FUNCTIONS.items():
        function = getattr(library, "woodshed_" + name, None)
        if function is not None:
            function.restype, function.argtypes = result, parameters
    return library
'''

BASIC = {
    "void": "None", "char": "c_char", "signed char": "c_byte", "unsigned char": "c_ubyte", "short": "c_short", "unsigned short": "c_ushort",
    "int": "c_int", "unsigned int": "c_uint", "long": "c_long", "unsigned long": "c_ulong", "float": "c_float", "double": "c_double",
    "_Bool": "c_bool", "bool": "c_bool", "size_t": "c_size_t",
    **{f"{sign}int{bits}_t": f"c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}}


def short(name):
    return name.removeprefix("woodshed_").removeprefix("WOODSHED_")


class Tables:
    """The text of the module. A struct or a type of function is written before its first use."""

    def __init__(self, declared):
        self.declared, self.parts, self.begun, self.written = declared, [], set(), set()
        numbers = [f"{short(name)} = {number}\n" for name, number in declared.constants.items()]
        for name, enumerators in declared.enumerations.items():
            # The last word always remains.
            common = len(os.path.commonprefix([each.split("_")[:-1] for each in enumerators]))
            pairs = [f'"{"_".join(each.split("_")[common:]).lower()}": {number}' for each, number in enumerators.items()]
            numbers.append(self.listed(f"{short(name)} = {{", pairs, "}"))
        self.parts.append("".join(numbers))
        for name in declared.records:
            self.define(name)
        functions = [self.listed(f'    "{short(name)}": [', self.prototype(kind), "],", 8) for name, (kind, _) in declared.functions.items()]
        self.parts.append("_FUNCTIONS = {\n" + "".join(functions) + "}\n")

    @staticmethod
    def listed(begin, items, end, indent=4):
        """Items in one line, or in lines below the beginning."""
        line = begin + ", ".join(items) + end + "\n"
        if len(line) <= 120:
            return line
        # No line ends within an item.
        lines = textwrap.wrap(", ".join(item.replace(" ", "\0") for item in items), 120 - indent, break_long_words=False, break_on_hyphens=False)
        return begin + "\n" + "".join(" " * indent + each.replace("\0", " ") + "\n" for each in lines) + " " * (indent - 4) + end + "\n"

    def define(self, name):
        """Writes a struct, or another type that has a name, unless it is written; its name, or None inside its own
        declaration."""
        if name in self.begun:
            return short(name) if name in self.written else None
        self.begun.add(name)
        record = self.declared.records.get(name)
        if record:
            self.parts.append(self.record(name, record))
        else:
            self.parts.append(f"{short(name)} = {self.expression(self.declared.types[name])}\n")
        self.written.add(name)
        return short(name)

    def record(self, name, record):
        fields, unnamed = [], []
        for field, kind in record.fields:
            if not field:
                field = f"_unnamed_{len(fields)}"
                unnamed.append(f'"{field}"')
            fields.append(f'("{field}", {self.expression(kind)})')
        is_sized = record.fields[0] == ("size", "uint32_t") and not record.inside
        base = "_Sized" if is_sized else {"struct": "Structure", "union": "Union"}[record.kind]
        text = f"class {short(name)}({base}):\n"
        if unnamed:
            text += f"    _anonymous_ = ({', '.join(unnamed)},)\n"
        return text + self.listed("    _fields_ = [", fields, "]", 8)

    def prototype(self, kind):
        """The types of a function's result and parameters."""
        return self.kind(self.tokens(kind))[1]

    def expression(self, kind):
        return self.kind(self.tokens(kind))[0]

    @staticmethod
    def tokens(kind):
        return re.findall(r"\w+|\.\.\.|[^\s\w]", kind)

    def kind(self, tokens):
        """Reads a type in C's notation: the type for ctypes, and for a function the types of its result and
        parameters."""
        words = []
        while tokens and re.match(r"\w", tokens[0]):
            words.append(tokens.pop(0))
        name = " ".join(word for word in words if word not in ("const", "volatile", "struct", "union", "enum"))
        types, records = self.declared.types, self.declared.records
        if name in BASIC:
            kind = BASIC[name]
        elif name in self.declared.enumerations:
            kind = "c_int"
        elif name in records or name in types and bare(types[name]) != name:
            kind = str(self.define(name))
        elif name in types or words[-2:-1] == ["struct"]:
            kind = "None"  # A handle: its struct is the library's own.
        else:
            raise Unreadable(f"there is no type of ctypes for {name}; add one to BASIC in scripts/checks/python-tables.py")
        listed = None
        for step in self.declarator(tokens):
            if step == "*":
                is_text = kind == "c_char" and "const" in words
                kind = "c_char_p" if is_text else "c_void_p" if kind == "None" else kind if listed else f"POINTER({kind})"
                listed = None
            elif isinstance(step, list):
                listed = [kind, *step]
                kind = f"CFUNCTYPE({', '.join(listed)})"
            else:
                kind = f"{kind} * {step}"
        return kind, listed

    def declarator(self, tokens):
        """Reads what follows the name of a type: "*" for a pointer, a number for an array, a list of parameters for
        a function."""
        pointers, inner, suffixes = [], [], []
        while tokens and (tokens[0] == "*" or re.match(r"\w", tokens[0])):
            if tokens.pop(0) == "*":
                pointers.append("*")
        if tokens[:2] == ["(", "*"]:
            tokens.pop(0)
            inner = self.declarator(tokens)
            tokens.pop(0)
        while tokens and tokens[0] in ("[", "("):
            if tokens.pop(0) == "[":
                suffixes.append(tokens.pop(0))
            else:
                parameters = []
                while tokens[0] != ")":
                    if tokens[0] == "...":
                        raise Unreadable("a function with any number of arguments is not supported")
                    parameters.append(self.kind(tokens)[0])
                    if tokens[0] == ",":
                        tokens.pop(0)
                suffixes.append([] if parameters == ["None"] else parameters)
            tokens.pop(0)
        return pointers + suffixes[::-1] + inner

    def __str__(self):
        body = "\n\n".join(self.parts)
        names = sorted(set(re.findall(r"\b(?:CFUNCTYPE|POINTER|Union|c_\w+)\b", body)) | {"Structure", "sizeof"}, key=lambda name: (name.lower(), name))
        return BEGIN % ", ".join(names) + body + END


def layout_by_ctypes(declared, text):
    """The lines of `layout` by the generated module."""
    tables = {}
    exec(compile(text, module.name, "exec"), tables)
    for name, record in declared.records.items():
        if record.inside:
            continue
        whole = tables[short(name)]()
        for path, _ in paths(declared.records, name):
            *outer, last = path.split(".")
            part = whole
            for field in outer:
                part = getattr(part, field)
            place = getattr(type(part), last)
            yield f"{name}.{path} at {ctypes.addressof(part) - ctypes.addressof(whole) + place.offset}, {place.size} bytes"
        yield f"{name}: {ctypes.sizeof(whole)} bytes"
    for name, enumerators in declared.enumerations.items():
        yield from (f"{each} = {number}" for each, number in zip(enumerators, tables[short(name)].values()))
    yield from (f"{name} = {tables[short(name)]}" for name in declared.constants)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    declared = read(header)
    text = str(Tables(declared))
    by_compiler, by_ctypes = layout(header, union_sizes=True), list(layout_by_ctypes(declared, text))
    faults = [f"by the C compiler: {line}" for line in by_compiler if line not in by_ctypes]
    faults += [f"by ctypes: {line}" for line in by_ctypes if line not in by_compiler]
    if sys.argv[1:] and (not module.exists() or module.read_text() != text):
        faults.append(f"{module.relative_to(root)} differs from {header.name}; make it anew: scripts/checks/python-tables.py")
    elif not faults:
        module.write_text(text)
    if faults:
        sys.exit("\n".join(f"python-tables: {fault}" for fault in faults))


try:
    main()
except Unreadable as error:
    sys.exit(f"python-tables: {error}")
