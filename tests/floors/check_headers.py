#!/usr/bin/env python3
"""Checks that every header of the product compiles alone: C headers as C11 and C++20 too."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys


def compilers(root, header):
    """The command lines a header must pass."""
    includes = [f"-I{root / folder}" for folder in ("host", "sdk/include", "plugins")]
    flags = ["-fsyntax-only", "-Wall", "-Wextra", "-DBOOST_ASIO_SEPARATE_COMPILATION",
             "-DBOOST_BEAST_SEPARATE_COMPILATION", *includes]
    sdk = "sdk" in header.relative_to(root).parts[:1]
    if header.suffix == ".h" and sdk:
        yield ["gcc", "-std=c11", "-x", "c", *flags]
    yield ["g++", "-std=c++20" if sdk else "-std=c++23", "-x", "c++", *flags]


def check(root, header):
    for command in compilers(root, header):
        result = subprocess.run([*command, "-"], input=f'#include "{header}"\n', text=True,
                                capture_output=True)
        if result.returncode:
            return f"{header.relative_to(root)} does not compile alone:\n{result.stderr}"
    return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    headers = [file for top in ("sdk/include", "host", "plugins")
               for file in sorted((root / top).rglob("*")) if file.suffix in (".h", ".hpp")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(lambda header: check(root, header), headers) if text]
    print("\n".join(found) if found else f"all {len(headers)} headers compile alone")
    return 1 if found or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
