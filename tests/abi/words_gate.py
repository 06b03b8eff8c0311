#!/usr/bin/env python3
"""Finds comments of the released headers OLD that the headers NEW do not have word by word.

Usage: words_gate.py CHANGELOG OLD NEW   (directories that contain quarry/)

Meaning, ownership and threads are in comments. A change of their words is permitted if an item of the
change log, under "Unreleased" or the heading of the version, says what was "clarified" and names the
header. Lines may be broken elsewhere."""

import collections
import pathlib
import re
import sys

import contract
import gate

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
SHOWN = 60  # characters of a comment


def words(header):
    """The comments of a header and how often each occurs, on one line each."""
    found = COMMENT.findall(header.read_text())
    return collections.Counter(" ".join(re.sub(r"\n *\* ?", "\n", comment).split()) for comment in found)


def clarified(header, changelog, version):
    return any(re.search(r"\bclarified\b", item, re.I) and gate.mentions(item, header)
               for item in gate.items(changelog, version))


def problems(old, new, changelog, version):
    """A sentence for each comment that was changed or removed without an item of the change log."""
    for header in sorted((old / "quarry").glob("*.h")):
        now = new / "quarry" / header.name
        if not now.exists() or clarified(header.name, changelog, version):
            continue  # gate.py names a missing header
        for comment in words(header) - words(now):
            shown = comment if len(comment) <= SHOWN else comment[:SHOWN] + "…"
            yield (f"{header.name}: the comment \"{shown}\" has other words. Restore them, or add an item "
                   f"to the change log that says what was clarified in `{header.name}`")


def main():
    changelog, old, new = map(pathlib.Path, sys.argv[1:4])
    found = list(problems(old, new, changelog.read_text(), contract.read(new).version))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
