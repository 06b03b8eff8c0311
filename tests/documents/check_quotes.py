#!/usr/bin/env python3
"""Checks that the C++ quoted by README.md and docs stands in an example, word for word."""

import pathlib
import re
import sys


def quotes(text):
    return re.findall(r"^```cpp\n(.*?)^```$", text, re.M | re.S)


def strays(text, sources):
    """The quotes that are in none of the sources."""
    return [quote for quote in quotes(text) if not any(quote in source for source in sources)]


def self_test():
    page = "```cpp\nint a;\n```\n```sh\nls\n```\n```cpp\nint b;\n```\n"
    assert quotes(page) == ["int a;\n", "int b;\n"]
    assert strays(page, ["int a;\nint c;\n"]) == ["int b;\n"]


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    sources = [file.read_text() for file in (root / "examples").rglob("*.cpp")]
    pages = {path: path.read_text() for path in (*root.glob("*.md"), *root.glob("docs/**/*.md"))}
    found = 0
    for path, text in sorted(pages.items()):
        for quote in strays(text, sources):
            found += 1
            print(f"{path.relative_to(root)} quotes C++ that is in no example:\n{quote}")
    quoted = sum(len(quotes(text)) for text in pages.values())
    print(f"{quoted} quotes in {len(pages)} documents")
    return 1 if found or not quoted else 0


if __name__ == "__main__":
    sys.exit(main())
