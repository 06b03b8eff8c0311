#!/usr/bin/env python3
"""Finds files of released contracts that were edited: a release is what a stranger has built with.

Usage: released.py [--write] CHANGELOG RELEASES   (sdk/CHANGELOG.md, tests/abi)

A release is a section of the change log with a date. Its folder has the digest of each of its files in
SHA256SUMS, which --write makes for those that have none."""

import argparse
import hashlib
import pathlib
import re
import sys

SUMS = "SHA256SUMS"
SECTION = re.compile(r"^## \[(\d+\.\d+)\] - \d{4}-\d\d-\d\d$", re.M)


def versions(changelog):
    """Of the contracts that were released: "1.0"."""
    return SECTION.findall(changelog)


def sums(folder):
    """The lines of SHA256SUMS as they must be, as sha256sum prints them."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files)


def problems(changelog, releases):
    """A sentence for each release that is not as it was."""
    for version in versions(changelog):
        folder = releases / f"v{version}"
        recorded = folder / SUMS
        if not recorded.exists():
            yield f"{version}: {recorded} is missing. Close the release with --write"
            continue
        was, now = (set(text.splitlines()) for text in (recorded.read_text(), sums(folder)))
        for path in sorted({line.split("  ", 1)[1] for line in was ^ now}):
            yield f"{version}: {path} was changed, added or removed. Restore it: a release is never edited"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("changelog", type=pathlib.Path)
    parser.add_argument("releases", type=pathlib.Path)
    arguments = parser.parse_args()
    changelog = arguments.changelog.read_text()
    for version in versions(changelog) if arguments.write else ():
        recorded = arguments.releases / f"v{version}" / SUMS
        if not recorded.exists():
            recorded.write_text(sums(recorded.parent))
    found = list(problems(changelog, arguments.releases))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
