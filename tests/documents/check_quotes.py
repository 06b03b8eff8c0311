#!/usr/bin/env python3
"""Checks that the C++ which README.md quotes stands in an example, word for word."""

import pathlib
import re
import sys


def quotes(text):
    return re.findall(r"^```cpp\n(.*?)^```$", text, re.M | re.S)


def strays(text, sources):
    """The quotes that stand in none of the sources."""
    return [quote for quote in quotes(text) if not any(quote in source for source in sources)]


def self_test():
    readme = "```cpp\nint a;\n```\n```sh\nls\n```\n```cpp\nint b;\n```\n"
    assert quotes(readme) == ["int a;\n", "int b;\n"]
    assert strays(readme, ["int a;\nint c;\n"]) == ["int b;\n"]


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    readme = (root / "README.md").read_text()
    sources = [file.read_text() for file in (root / "examples").rglob("*.cpp")]
    found = strays(readme, sources)
    for quote in found:
        print(f"README.md quotes what stands in no example:\n{quote}")
    if not quotes(readme):
        print("README.md quotes no example")
    return 1 if found or not quotes(readme) else 0


if __name__ == "__main__":
    sys.exit(main())
