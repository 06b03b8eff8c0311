#!/usr/bin/env python3
"""Checks that the page for authors lists the limits of the contract, and links every schema.

    check_limits.py <source tree>

The table of limits and limits.h have the same rows: constant, value, comment."""

import pathlib
import re
import sys

PAGE = "docs/plugins.md"
HEADER = "sdk/include/quarry/limits.h"
UNITS = {30: "GiB", 20: "MiB", 10: "KiB"}


def shown(value):
    """The number as the page writes it: "16 MiB" for (16u << 20), "300" for 300u."""
    number, shift = re.fullmatch(r"\(?(\d+)u(?:ll)?(?: << (\d+)\))?", value).groups()
    return f"{number} {UNITS[int(shift)]}" if shift else number


def rows(header):
    return [f"| `{name}` | {shown(value)} | {comment} |" for name, value, comment in
            re.findall(r"^#define (QUARRY_LIMIT_\w+) (\S+(?: << \d+\))?) +/\* (.*) \*/$", header, re.M)]


def problems(page, header, schemas):
    expected = rows(header)
    named = re.findall(r"^#define (QUARRY_LIMIT_\w+)", header, re.M)
    if len(named) != len(expected):
        yield f"{HEADER}: a limit is not on one line with its comment"
    listed = re.findall(r"^\| `QUARRY_LIMIT_.*\|$", page, re.M)
    for row in expected:
        if row not in listed:
            yield f"{PAGE} lacks the row {row}"
    for row in listed:
        if row not in expected:
            yield f"{PAGE} has a row that {HEADER} lacks: {row}"
    for schema in schemas:
        if f"sdk/schema/{schema})" not in page:
            yield f"{PAGE} does not link sdk/schema/{schema}"


def self_test():
    header = "#define QUARRY_LIMIT_A (2u << 20)   /* an a */\n#define QUARRY_LIMIT_B 300u /* b; c */\n"
    page = "| `QUARRY_LIMIT_A` | 2 MiB | an a |\n| `QUARRY_LIMIT_B` | 300 | b; c |\n(../sdk/schema/x.json)"
    assert not list(problems(page, header, ["x.json"]))
    assert len(list(problems(page, header, ["y.json"]))) == 1
    assert len(list(problems(page.replace("300", "301"), header, []))) == 2


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    schemas = sorted(str(path.relative_to(root / "sdk/schema"))
                     for path in (root / "sdk/schema").rglob("*.json"))
    found = list(problems((root / PAGE).read_text(), (root / HEADER).read_text(), schemas))
    print("\n".join(found) or f"{len(rows((root / HEADER).read_text()))} limits")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
