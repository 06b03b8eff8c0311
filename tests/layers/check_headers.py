#!/usr/bin/env python3
"""Checks that every header of the SDK compiles alone, as its users may include it: as C++20, and C
headers as C11 too. check_includes.py reads the includes of the other headers."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys


def compilers(include, header):
    """The command lines a header must pass."""
    flags = ["-fsyntax-only", "-Wall", "-Wextra", f"-I{include}"]
    if header.suffix == ".h":
        yield ["gcc", "-std=c11", "-x", "c", *flags]
    yield ["g++", "-std=c++20", "-x", "c++", *flags]


def check(include, header):
    for command in compilers(include, header):
        result = subprocess.run([*command, "-"], input=f'#include "{header}"\n', text=True,
                                capture_output=True)
        if result.returncode:
            return f"{header.relative_to(include)} does not compile alone:\n{result.stderr}"
    return None


def main():
    include = pathlib.Path(sys.argv[1]).resolve() / "sdk/include"
    headers = sorted(path for path in include.rglob("*") if path.suffix in (".h", ".hpp"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(lambda header: check(include, header), headers) if text]
    print("\n".join(found) if found else f"all {len(headers)} headers of the SDK compile alone")
    return 1 if found or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
