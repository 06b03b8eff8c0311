#!/usr/bin/env python3
"""Checks that the page for authors lists every helper header of the SDK, and no other.

    check_helpers.py <source tree>

Helpers are the C++ headers, and those in C that say that they are not part of the contract."""

import pathlib
import re
import sys

PAGE = "docs/plugins.md"
FOLDER = "sdk/include/quarry"
HEADING = "## Helper headers"
NO_CONTRACT = "not part of the contract"


def helpers(files):
    """The names of the helpers among {name: text}."""
    return sorted(name for name, text in files.items()
                  if name.endswith(".hpp") or NO_CONTRACT in " ".join(text.split("\n", 6)[:6]))


def listed(page):
    """The names in the first column of the section's table, in order."""
    section = page.partition(f"\n{HEADING}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `quarry/([\w./]+)` \| \S.* \|$", section, re.M)


def problems(page, files):
    expected, found = helpers(files), listed(page)
    for name in expected:
        if found.count(name) != 1:
            yield f"{PAGE} has {found.count(name)} rows of `quarry/{name}` under \"{HEADING}\", not one"
    for name in found:
        if name not in expected:
            yield f"{PAGE} lists `quarry/{name}`, which is no helper in {FOLDER}"


def self_test():
    files = {"a.hpp": "/// A.", "b.h": "/* B. Not here. */", "c.h": f"/* C. A convenience, {NO_CONTRACT}. */"}
    page = f"\n{HEADING}\n\n| `quarry/a.hpp` | an a |\n| `quarry/c.h` | a c |\n\n## Next\n| `quarry/d.hpp` | d |\n"
    assert not list(problems(page, files))
    assert len(list(problems(page.replace("an a", ""), files))) == 1
    assert len(list(problems(page.replace("c.h", "b.h"), files))) == 2
    assert len(list(problems(page, {**files, "e.hpp": ""}))) == 1


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    files = {str(path.relative_to(root / FOLDER)): path.read_text()
             for path in (root / FOLDER).rglob("*.h*")}
    found = list(problems((root / PAGE).read_text(), files))
    print("\n".join(found) or f"{len(helpers(files))} helper headers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
