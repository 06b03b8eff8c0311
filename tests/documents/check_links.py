#!/usr/bin/env python3
"""Checks that every relative link of a Markdown file leads to a file, and its #anchor to a heading."""

import pathlib
import re
import subprocess
import sys
import tempfile

LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
DEFINITION = re.compile(r"^\[[^\]]+\]:\s+<?([^\s>]+)", re.M)
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)


def without_code(text):
    """`text` without fenced blocks; its line numbers stay."""
    return re.sub(r"^(```+|~~~+).*?^\1", lambda block: "\n" * block.group().count("\n"), text,
                  flags=re.M | re.S)


def anchors(text):
    """The anchors of the headings, as hosting services derive them."""
    found = {}
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", without_code(text), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number = found.get(slug, -1) + 1
        found[slug] = number
        if number:
            found[f"{slug}-{number}"] = 0
    return set(found)


def links(text):
    """(line number, target) of each link outside of code."""
    prose = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", lambda code: "`" * len(code.group()),
                   without_code(text))
    for pattern in (LINK, DEFINITION):
        for match in pattern.finditer(prose):
            yield prose.count("\n", 0, match.start()) + 1, match.group(1)


def mistakes(page, root):
    """(line number, sentence) of each link of the file `page` that leads nowhere."""
    for line, target in links(page.read_text()):
        if SCHEME.match(target):
            continue
        path, _, anchor = target.partition("#")
        other = page if not path else page.parent / path
        if not other.resolve().is_relative_to(root.resolve()):
            yield line, f"{target} leads out of the tree"
        elif not other.exists():
            yield line, f"{target} does not exist"
        elif anchor and (other.suffix != ".md" or anchor not in anchors(other.read_text())):
            yield line, f"{target} names no heading"


def self_test():
    assert anchors("# One, two\n## `[model]`\n## A\n## A\n```\n# no\n```\n### [x](y) z\n") == {
        "one-two", "model", "a", "a-1", "x-z"}
    assert list(links("a [b](c.md)\n`[d](e)` [![f](g)](h#i)\n```\n[j](k)\n```\n[l]: m\n")) == [
        (1, "c.md"), (2, "g"), (2, "h#i"), (6, "m")]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "docs/b.md").write_text("# B\n")
        page = root / "a.md"
        page.write_text("# A\n[1](docs/b.md#b) [2](#a) [3](docs) [4](https://x/y)\n"
                        "[5](c.md) [6](#b)\n[7](docs/b.md#a) [8](../x) [9](docs#a)\n")
        assert [line for line, _ in mistakes(page, root)] == [3, 3, 4, 4, 4]


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=root,
                            check=True, capture_output=True, text=True).stdout.splitlines()
    found = [f"{name}:{line}: {sentence}" for name in listed if (root / name).exists()
             for line, sentence in mistakes(root / name, root)]
    print("\n".join(found) or f"{len(listed)} documents")
    return 1 if found or not listed else 0


if __name__ == "__main__":
    sys.exit(main())
