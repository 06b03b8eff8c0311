#!/usr/bin/env python3
"""Copies the contract to the folder of its release: headers, those for plugins in C, and schemas.

Usage: freeze.py [--again] SDK RELEASES   (the folder of the SDK, tests/abi)

--again replaces the copy, until sdk/CHANGELOG.md has the date of the release: a release is never edited."""

import argparse
import pathlib
import shutil
import sys

import contract
import released as closed


def freeze(sdk, releases, again, changelog):
    """The folder that now has the headers and schemas of `sdk`."""
    released = contract.read(sdk / "include")
    version = "{}.{}".format(*released.version)
    if version in closed.versions(changelog):
        raise SystemExit(f"freeze: {version} is released, and a release is never edited. Raise QUARRY_ABI_MINOR")
    target = releases / f"v{version}"
    include, schema = target / "include", target / "schema"
    if include.exists() and not again:
        raise SystemExit(f"freeze: {include} exists, and a release is never edited. Before the "
                         "release --again replaces it")
    for folder in (include, schema):
        shutil.rmtree(folder, ignore_errors=True)
    (include / "quarry").mkdir(parents=True)
    for name in sorted({*released.headers, *contract.HELPERS}):
        shutil.copy(sdk / "include/quarry" / name, include / "quarry" / name)
    shutil.copytree(sdk / "schema", schema, ignore=shutil.ignore_patterns("draft"))
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("sdk", type=pathlib.Path)
    parser.add_argument("releases", type=pathlib.Path)
    arguments = parser.parse_args()
    changelog = (arguments.sdk / "CHANGELOG.md").read_text()
    target = freeze(arguments.sdk, arguments.releases, arguments.again, changelog)
    print(f"{target}: {len(list((target / 'include').rglob('*.h')))} headers, "
          f"{len(list((target / 'schema').rglob('*.json')))} schemas")
    return 0


if __name__ == "__main__":
    sys.exit(main())
