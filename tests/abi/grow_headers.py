#!/usr/bin/env python3
"""Copies the SDK's headers as the next minor version might have them: one field appended to every
struct that begins with struct_size.

Usage: grow_headers.py SOURCE_DIR OUTPUT_DIR   (the include directory of the SDK, the new one)"""

import pathlib
import re
import shutil
import sys

STRUCT = re.compile(r"^(?:typedef )?struct \w+ \{\n  uint32_t struct_size;.*?^(?=\})", re.M | re.S)
MINOR = re.compile(r"(?<=^#define QUARRY_ABI_MINOR )\d+(?=u$)", re.M)
FIELD = "  uint64_t added_later;\n"


def grow(text):
    """(the text with its structs grown, their number)"""
    return STRUCT.subn(lambda struct: struct.group() + FIELD, text)


def raise_minor(text):
    text, count = MINOR.subn(lambda minor: str(int(minor.group()) + 1), text)
    if count != 1:
        raise SystemExit("grow_headers: quarry/abi.h has no line \"#define QUARRY_ABI_MINOR 0u\"")
    return text


def main():
    source, output = map(pathlib.Path, sys.argv[1:3])
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(source, output)
    structs = 0
    for header in sorted(output.rglob("*.h")):
        text, count = grow(header.read_text())
        marked = len(re.findall(r"^\s*uint32_t struct_size;", text, re.M))
        if count != marked:
            raise SystemExit(f"grow_headers: {header.name} has {marked} structs with struct_size, "
                             f"of which {count} were understood")
        structs += count
        header.write_text(raise_minor(text) if header.name == "abi.h" else text)
    print(f"{structs} structs have one more field")
    return 0 if structs else "grow_headers: no struct begins with struct_size"


if __name__ == "__main__":
    sys.exit(main())
