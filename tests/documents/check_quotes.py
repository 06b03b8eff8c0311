#!/usr/bin/env python3
"""Checks that the C++ quoted by README.md and docs stands in an example, word for word, or in a project
that the document makes with `quarry plugins new`."""

import pathlib
import re
import sys


def quotes(text):
    return re.findall(r"^```cpp\n(.*?)^```$", text, re.M | re.S)


def made(text, templates):
    """The C++ of the projects that a document makes. templates: folder, such as "resource-c++"."""
    for kind, name in re.findall(r"^quarry plugins new (\w+) ([\w-]+)(?!.*--language)", text, re.M):
        words = {"name": name, "Name": name.title().replace("-", ""), "identifier": name.replace("-", "_"),
                 "id": f"org.example.{name}"}
        for source in templates.get(f"{kind}-c++", []):
            yield re.sub(r"@(\w+)@", lambda word: words[word[1]], source)


def strays(text, sources):
    """The quotes that are in none of the sources."""
    return [quote for quote in quotes(text) if not any(quote in source for source in sources)]


def self_test():
    page = "```cpp\nint a;\n```\n```sh\nls\n```\n```cpp\nint b;\n```\n"
    assert quotes(page) == ["int a;\n", "int b;\n"]
    assert strays(page, ["int a;\nint c;\n"]) == ["int b;\n"]
    templates = {"resource-c++": ["class @Name@ // @name@ @identifier@ @id@"]}
    command = "quarry plugins new resource my-wiki"
    assert [*made(f"{command} --folder x\n", templates)] == ["class MyWiki // my-wiki my_wiki org.example.my-wiki"]
    assert not [*made(f"{command} --language c\n# {command}\nquarry plugins new model a", templates)]


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    sources = [file.read_text() for file in (root / "examples").rglob("*.cpp")]
    templates = {folder.name: [file.read_text() for file in folder.glob("*.cpp")]
                 for folder in (root / "sdk/templates").iterdir() if folder.is_dir()}
    pages = {path: path.read_text() for path in (*root.glob("*.md"), *root.glob("docs/**/*.md"))}
    found = 0
    for path, text in sorted(pages.items()):
        for quote in strays(text, [*sources, *made(text, templates)]):
            found += 1
            print(f"{path.relative_to(root)} quotes C++ that is in no example and no template:\n{quote}")
    quoted = sum(len(quotes(text)) for text in pages.values())
    print(f"{quoted} quotes in {len(pages)} documents")
    return 1 if found or not quoted else 0


if __name__ == "__main__":
    sys.exit(main())
