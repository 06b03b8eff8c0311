#!/usr/bin/env python3
"""Checks that the layout ledger has a line for everything in the contract, and that every struct
can grow.

The compiler checks the values of the lines; this test that none is missing. Usage: ledger.py
INCLUDE LEDGER"""

import pathlib
import re
import sys

import contract


def numbers(pattern, text):
    """{names: greatest number} of the lines that match."""
    found = {}
    for *names, number in re.findall(pattern, text, re.M):
        found[tuple(names)] = max(int(number), found.get(tuple(names), 0))
    return found


def struct_problems(struct, sizes, offsets):
    if sizes.get((struct.name,)) != struct.size:
        yield f"add the line SIZE({struct.name}, {struct.size});"
    for field in struct.fields:
        if offsets.get((struct.name, field.name)) != field.offset:
            yield f"add the line OFFSET({struct.name}, {field.name}, {field.offset});"
    if struct.padding:
        yield (f"{struct.name} has {struct.padding} bytes after {struct.fields[-1].name}: a field "
               "appended there would not change its size. Add a reserved field that fills them")


def constant_problems(constants, ledger):
    known = set(re.findall(r"^CONSTANT\((\w+), [^)]+\);$", ledger, re.M))
    ids = set(re.findall(r"^#define (\w+) \"", ledger, re.M))
    for name, text in sorted(constants.items()):
        if name == "QUARRY_ABI_MINOR":  # rises
            continue
        if text.startswith('"') and name not in ids:
            yield f"add the line #define {name} {text}"
        elif not text.startswith('"') and name not in known:
            yield f"add a line CONSTANT({name}, …); with the value of {text}"


def problems(released, ledger):
    sizes = numbers(r"^SIZE\((\w+), (\d+)\);$", ledger)
    offsets = numbers(r"^OFFSET\((\w+), (\w+), (\d+)\);$", ledger)
    found = [problem for struct in released.structs.values()
             for problem in struct_problems(struct, sizes, offsets)]
    return found + list(constant_problems(released.constants, ledger))


def main():
    include, ledger = map(pathlib.Path, sys.argv[1:3])
    try:
        found = problems(contract.read(include), ledger.read_text())
    except contract.Unreadable as error:
        found = [str(error)]
    for problem in found:
        print(f"{ledger.name}: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
