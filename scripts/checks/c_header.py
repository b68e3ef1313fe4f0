"""Reads a header in C as the compiler does: functions, structs, unions, enumerations and constants, and the layout in
memory.

For c-layout.py, c-abi.py, python-tables.py, c_symbols.py and scripts/tests/test-c.sh. Only names that begin with
woodshed_ or WOODSHED_ are read.
"""
import collections
import json
import pathlib
import re
import subprocess
import tempfile

# A struct or union: "struct" or "union", and its fields as pairs of a name and a type. `inside` names the struct with
# this declaration in its body. A field without a name has the name "", and its own fields are used like those of the
# struct around it.
Record = collections.namedtuple("Record", "kind fields inside")
# Functions: the type, and the types of the parameters. Types: the names of types with their types. Enumerations:
# numbers by name.
Header = collections.namedtuple("Header", "functions types records enumerations constants")

UNNAMED = re.compile(r"\b(?:struct|union) (?:\w+::)*\((?:unnamed|anonymous) .*:\d+:\d+\)")


class Unreadable(Exception):
    """A declaration that this reader does not support."""


def read(header):
    """The declarations of a header, in their order; a struct inside another comes before the struct around it."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "header.c")
        source.write_text(f'#include "{header.resolve()}"\n')
        tree = json.loads(subprocess.run(
            ["clang", "-fsyntax-only", "-Xclang", "-ast-dump=json", source], check=True, capture_output=True, text=True).stdout)
    found = Header({}, {}, {}, {}, {})
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    for name, value in re.findall(r"^#define (WOODSHED_\w+) +([(\d-].*)", text, flags=re.M):
        number = re.fullmatch(r"\(?(-?\d+)\)?", value.strip())
        if not number:
            raise Unreadable(f"{name} is {value}; write one number, with or without brackets")
        found.constants[name] = int(number[1])
    for node in tree["inner"]:
        name, kind, children = node.get("name", ""), node["kind"], node.get("inner", [])
        nameless = [child["name"] for child in children if kind == "EnumDecl" and not name and child.get("name", "").startswith("WOODSHED_")]
        if nameless:
            raise Unreadable(f"the enumeration with {nameless[0]} has no name; name the enumeration")
        if not name.startswith("woodshed_"):
            continue
        if kind == "FunctionDecl":
            parameters = [child["type"]["qualType"] for child in children if child["kind"] == "ParmVarDecl"]
            found.functions[name] = (node["type"]["qualType"], parameters)
        elif kind == "TypedefDecl":
            if any(child.get("ownedTagDecl", {}).get("name") == "" for child in children):
                raise Unreadable(f"{name} is another name of a struct or an enumeration without a name; write: typedef struct {name} {{ ... }} {name};")
            found.types[name] = node["type"]["qualType"]
        elif kind == "RecordDecl" and node.get("completeDefinition"):
            read_record(found.records, node, name, None)
        elif kind == "EnumDecl":
            found.enumerations[name] = numbers = {}
            for child in children:
                if child["kind"] == "EnumConstantDecl":
                    given = [int(part["value"]) for part in child.get("inner", []) if "value" in part]
                    numbers[child["name"]] = given[0] if given else [-1, *numbers.values()][-1] + 1
    if not found.functions or not found.records:
        raise Unreadable(f"{header} declares nothing")
    return found


def read_record(records, node, name, inside):
    """Adds a struct or union, and each in its body, which is named by its field if it has no name."""
    fields, unnamed = [], None
    for child in node.get("inner", []):
        if child["kind"] == "RecordDecl" and child.get("completeDefinition"):
            unnamed = None if child.get("name") else child
            if not unnamed:
                read_record(records, child, child["name"], name)
        elif child["kind"] == "FieldDecl":
            field, kind = child.get("name", ""), child["type"]["qualType"]
            if child.get("isBitfield"):
                raise Unreadable(f"{name}.{field} is a field of single bits; use an int32_t")
            if UNNAMED.search(kind):
                if not UNNAMED.fullmatch(kind):
                    raise Unreadable(f"{name}.{field} is an array of a struct without a name, or a pointer to one; name the struct")
                kind = f"{name}_{field}" if field else f"{name}_unnamed_{len(fields)}"
                read_record(records, unnamed, kind, name)
            fields.append((field, kind))
    records[name] = Record(node["tagUsed"], fields, inside)


def bare(kind):
    """The name of a type, without `const`, `struct` and the like."""
    return re.sub(r"\b(?:const|volatile|struct|union|enum) +", "", kind)


def paths(records, name):
    """The fields of a struct in C's notation, such as `data.started.frame`: each field, and then the fields of a struct
    in its body.

    A member of a union comes with the name of its type, any other field with an empty name.
    """
    record = records[name]
    for field, kind in record.fields:
        if field:
            yield field, bare(kind) if record.kind == "union" else ""
        inner = records.get(bare(kind))
        if inner and inner.inside == name:
            for path, member in paths(records, bare(kind)):
                yield f"{field}.{path}" if field else path, member


def layout(header, union_sizes=False):
    """The layout by the C compiler, a line for each fact.

    A member of a union has the type in its line, because a struct may grow within a union; with `union_sizes` the size,
    as other fields.
    """
    declared = read(header)
    lines = ["#include <stddef.h>", "#include <stdio.h>", f'#include "{header.resolve()}"', "int main(void) {"]
    for name, record in declared.records.items():
        if record.inside:
            continue
        whole = f"{record.kind} {name}"
        # A struct with an INIT macro, or in arrays from the library, must keep its size for a version.
        for path, member in paths(declared.records, name):
            if member and not union_sizes:
                lines.append(f'printf("{name}.{path} at %zu, {member}\\n", offsetof({whole}, {path}));')
            else:
                lines.append(f'printf("{name}.{path} at %zu, %zu bytes\\n", offsetof({whole}, {path}), sizeof((({whole} *)0)->{path}));')
        lines.append(f'printf("{name}: %zu bytes\\n", sizeof({whole}));')
    for name in [name for numbers in declared.enumerations.values() for name in numbers] + list(declared.constants):
        lines.append(f'printf("{name} = %d\\n", (int){name});')
    lines.append("}")
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
        source.write_text("\n".join(lines))
        subprocess.run(["cc", source, "-o", program], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
