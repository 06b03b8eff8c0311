#!/usr/bin/env python3
"""Checks that every test that docs/security.md names exists, and that every attack names one."""

import pathlib
import re
import sys

UNIT_TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.M)
PYTHON_TEST = re.compile(r"^    def (test_\w+)\(", re.M)


def rows(text):
    """The cells of every row of the tables about attacks; headings and rulers left out."""
    _, _, attacks = text.partition("\n## Attacks")
    for line in attacks.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[0] != "attack" and not set(cells[0]) <= set("-:"):
            yield cells


def named_tests(cell):
    return re.findall(r"`([^`]+)`", cell)


def existing_tests(root):
    found = set()
    for folder in ("host", "plugins", "tests", "examples", "sdk"):
        for file in (root / folder).rglob("*_test.cpp"):
            found |= {f"{suite}.{name}" for suite, name in UNIT_TEST.findall(file.read_text())}
        for file in (root / folder).rglob("test_*.py"):
            found |= {f"{file.stem}.{name}" for name in PYTHON_TEST.findall(file.read_text())}
    return found


def mistakes(text, existing):
    out = []
    for cells in rows(text):
        if len(cells) != 3:
            out.append(f'"{cells[0]}" has {len(cells)} cells, not 3')
            continue
        tests = named_tests(cells[2])
        if not tests:
            out.append(f'"{cells[0]}" names no test')
        out += [f'"{cells[0]}" names {test}, which does not exist' for test in tests
                if test not in existing]
    return out


def self_test():
    page = ("| not | an | attack |\n\n## Attacks\n\n| attack | defence | tests |\n|---|---|---|\n"
            "| one | d | `A.B` |\n| two | d | |\n| three | d | `A.C`, `A.B` |\n| four |\n")
    assert mistakes(page, {"A.B"}) == [
        '"two" names no test', '"three" names A.C, which does not exist', '"four" has 1 cells, not 3']
    assert mistakes(page.replace("`A.C`, ", "").replace("| two | d | |\n| ", "| ")
                    .replace("| four |\n", ""), {"A.B"}) == []


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    text = (root / "docs" / "security.md").read_text()
    found = mistakes(text, existing_tests(root))
    for mistake in found:
        print(f"docs/security.md: {mistake}")
    if not list(rows(text)):
        print("docs/security.md names no attack")
    return 1 if found or not list(rows(text)) else 0


if __name__ == "__main__":
    sys.exit(main())
