#!/usr/bin/env python3
"""Checks that no file uses a word that docs/glossary.md retires, and how comments begin."""

import pathlib
import re
import subprocess
import sys

SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".cmake", ".txt", ".py", ".md", ".sh", ".toml", ".1"}
GLOSSARY = "docs/glossary.md"
# Where a retired word is data or somebody else's name.
ALLOWED = {
    "floor": re.compile(r"std::(chrono::|ranges::)?floor\b|\bfloor<|chrono::floor"),
    "news": re.compile(r'"news"'),
    "whom": re.compile(r"\bwho whom whose\b"),
}
OPENINGS = ("What", "Whether", "Who", "Whom", "Whose", "Whoever", "Those")
MOST_OPENINGS = 0.02


def retired(glossary):
    """The words of the second table."""
    _, _, table = glossary.partition("## Retired words")
    rows = re.findall(r"^\| ([^|]+?) \| [^|]+\|$", table, re.M)
    return [word for word in rows if word != "word"]


def pattern(words):
    """Finds the words, also as parts of CamelCase, snake_case and plural names."""
    parts = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in sorted(words, key=len))
    camel = "|".join(word.capitalize() for word in words if " " not in word)
    return re.compile(rf"(?<![a-zA-Z])(?i:({parts})(?:s|es)?)(?![a-zA-Z])"
                      rf"|(?<=[a-z])({camel})(?![a-z])|(?<![A-Za-z])({camel})(?=[A-Z])")


def uses(text, find):
    """(line number, word) of each use."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in find.finditer(line):
            word = " ".join(next(group for group in match.groups() if group).lower().split())
            allowed = ALLOWED.get(word)
            if not (allowed and allowed.search(line)):
                yield number, word


def comments(text):
    """The first line of every block of comments, and every comment behind code."""
    before = False
    for line in text.splitlines():
        whole = re.match(r"\s*(?:///?|/\*+|\*)(?!/)\s*(.*)", line)
        if whole and not before:
            yield whole.group(1)
        elif not whole and (behind := re.search(r"\s///?<?\s+(\S.*)", line)):
            yield behind.group(1)
        before = bool(whole)


def self_test():
    find = pattern(["house", "in vain", "floor"])
    assert list(uses("int a;\nHouse h; // House\n", find)) == [(2, "house"), (2, "house")]
    assert list(uses("TestHouse the_house; houses; HouseKey", find)) == [(1, "house")] * 4
    assert list(uses("household in  vain greenhouse", find)) == [(1, "in vain")]
    assert list(uses("std::chrono::floor<days>(x);\n// a floor\n", find)) == [(2, "floor")]
    assert list(comments("/// What a.\n/// Who b.\nint c;  ///< c\n  // d\n/* e */\n")) == [
        "What a.", "c", "d"]
    assert retired("| a | b |\n## Retired words\n\n| word | say |\n|---|---|\n| x | y |\n| p q | z |\n"
                   ) == ["x", "p q"]


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    find = pattern(retired((root / GLOSSARY).read_text()))
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    found, begun, bad = [], 0, 0
    for name in listed:
        path = root / name
        if path.suffix not in SUFFIXES or name in (GLOSSARY, "tests/documents/check_words.py"):
            continue
        text = path.read_text(errors="replace")
        found += [f"{name}:{number}: \"{word}\" is retired ({GLOSSARY})"
                  for number, word in uses(text, find)]
        if path.suffix in (".c", ".cpp", ".h", ".hpp"):
            for comment in comments(text):
                begun += 1
                bad += comment.split(" ")[0].rstrip(",") in OPENINGS
    print("\n".join(found))
    share = bad / max(begun, 1)
    print(f"{bad} of {begun} comments begin with one of {', '.join(OPENINGS)}: {share:.1%}")
    return 1 if found or share > MOST_OPENINGS else 0


if __name__ == "__main__":
    sys.exit(main())
