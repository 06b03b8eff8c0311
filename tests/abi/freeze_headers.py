#!/usr/bin/env python3
"""Copies the headers of the contract, and those for plugins in C, to the folder of their release.

Usage: freeze_headers.py [--again] INCLUDE RELEASES   (the include directory of the SDK, tests/abi)

--again replaces the copy. It is for the time before the release: a release is never edited."""

import argparse
import pathlib
import shutil
import sys

import contract


def freeze(source, releases, again):
    """The folder that now has the headers of `source`."""
    released = contract.read(source)
    target = releases / "v{}.{}/include".format(*released.version)
    if target.exists() and not again:
        raise SystemExit(f"freeze_headers: {target} exists, and a release is never edited. Before "
                         "the release --again replaces it")
    shutil.rmtree(target, ignore_errors=True)
    (target / "quarry").mkdir(parents=True)
    for name in sorted({*released.headers, *contract.HELPERS}):
        shutil.copy(source / "quarry" / name, target / "quarry" / name)
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("include", type=pathlib.Path)
    parser.add_argument("releases", type=pathlib.Path)
    arguments = parser.parse_args()
    target = freeze(arguments.include, arguments.releases, arguments.again)
    print(f"{target}: {len(list(target.rglob('*.h')))} headers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
