#!/usr/bin/env python3
"""Checks that docs/architecture.md names modules, files, functions and threads that exist."""

import pathlib
import re
import subprocess
import sys

PAGE = "docs/architecture.md"
LAYERS = "tests/layers/layers.txt"
ROOTS = ("", "host/", "plugins/", "sdk/include/")  # where an #include is looked up
SOURCES = {".c", ".cpp", ".h", ".hpp"}
FILE = re.compile(r"[\w-]+(?:\.[\w-]+)*\.(?:c|cpp|h|hpp|py|md|txt)")
PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)+/?|[\w.*-]+/")
MEMBER = re.compile(r"(?:\w+::)*(\w+)::(~?\w+)(?:\(\))?")
FUNCTION = re.compile(r"(\w+)\(\)")
THREAD = re.compile(r"\bquarry-[a-z]+")


def spans(page):
    """(line number, text) of everything in backticks outside of drawings."""
    drawing = False
    for number, line in enumerate(page.splitlines(), 1):
        drawing ^= line.startswith("```")
        if not drawing:
            yield from ((number, span) for span in re.findall(r"`([^`]+)`", line))


def folders_of(files):
    return {parent.as_posix() for file in files for parent in pathlib.PurePosixPath(file).parents}


def missing_path(span, files, folders):
    """True for what looks like a file or folder of the tree and is none."""
    if FILE.fullmatch(span):
        return span not in {file.rpartition("/")[2] for file in files}
    if not PATH.fullmatch(span):
        return False
    known = files | folders
    first, _, rest = span.partition("/")
    ours = FILE.fullmatch(span.rpartition("/")[2]) or (rest and any(
        root + first in folders for root in ROOTS))
    return bool(ours) and not any(root + span.rstrip("/").removesuffix("/*") in known
                                  for root in ROOTS)


def without_comments(source):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.S)


def missing_function(span, sources):
    """True for Class::function and function() that no source has."""
    if span.startswith("std::"):
        return False
    if member := MEMBER.fullmatch(span):
        owner, name = map(re.escape, member.groups())
        wanted = [rf"\b{owner}::{name}\b",
                  rf"\b(?:class|struct|namespace)\s+(?:\w+::)*{owner}\b[^;]*?{{.*?\b{name}\b"]
    elif function := FUNCTION.fullmatch(span):
        wanted = [rf"\b{re.escape(function.group(1))}\s*\("]
    else:
        return False
    return not any(re.search(one, source, re.S) for source in sources for one in wanted)


def read_layers(text):
    """Folder -> the names that the table of the page uses for what it may include."""
    rows = [line.partition(":") for line in text.splitlines()
            if line.strip() and not line.startswith("#")]
    return {folder.strip(): {"sdk" if one == "sdk/include/quarry" else one.rpartition("/")[2]
                             for one in allowed.split()} for folder, _, allowed in rows}


def table(page):
    """Folder -> the last cell of its row, as a set of names."""
    rows = re.findall(r"^\| `([^`]+)` \|.*\| ([^|]+) \|$", page, re.M)
    return {folder: set() if cell == "nothing" else set(cell.split(", ")) for folder, cell in rows}


def mistakes(page, layers, files, sources):
    told, folders = table(page), folders_of(files)
    out = [f"the table lacks {folder}" for folder in layers if folder not in told]
    out += [f"the table says that {folder} may include {', '.join(sorted(told[folder]))}; "
            f"{LAYERS} says {', '.join(sorted(allowed))}"
            for folder, allowed in layers.items() if told.get(folder, allowed) != allowed]
    out += [f"no thread is named {thread}" for thread in sorted(set(THREAD.findall(page)))
            if not any('"' + thread in source for source in sources)]
    for number, span in spans(page):
        if missing_path(span, files, folders):
            out.append(f"line {number}: there is no {span}")
        elif missing_function(span, sources):
            out.append(f"line {number}: no source has {span}")
    return out


def self_test():
    files = {"host/base/file.h", "host/main.cpp", "docs/a.md"}
    sources = [without_comments("struct Store {\n  int open(); // close()\n};\n"
                                "int Disk::sync() {}\nvoid run();\n/* void gone(); */\n"
                                "start(\"quarry-io\");")]
    layers = read_layers("# x\nhost/base:\nhost: host/base sdk/include/quarry\n")
    assert layers == {"host/base": set(), "host": {"base", "sdk"}}
    good = ("| `host/base` | files | nothing |\n| `host` | all | base, sdk |\n\n`base/file.h` "
            "`main.cpp` `host/base/` `host/*` `a/b` `Store::open` `Disk::sync()` `run()` `std::none`\n"
            "```text\n`lost.cpp` quarry-io\n```\n")
    assert mistakes(good, layers, files, sources) == []
    assert mistakes(good.replace("`host` |", "`guest` |").replace("| nothing", "| sdk"),
                    layers, files, sources) == [
        "the table lacks host",
        "the table says that host/base may include sdk; tests/layers/layers.txt says "]
    assert mistakes(good + "[quarry-ip]", layers, files, sources) == [
        "no thread is named quarry-ip"]
    bad = good + ("`host/base/fil.h` `lost.cpp` `host/bas/` `base/fil` `a/b.cpp`\n"
                  "`Store::close` `Disk::open` `gone()` `close()`\n")
    assert [line.split(" ", 2)[2] for line in mistakes(bad, layers, files, sources)] == [
        "there is no host/base/fil.h", "there is no lost.cpp", "there is no host/bas/",
        "there is no base/fil", "there is no a/b.cpp", "no source has Store::close",
        "no source has Disk::open", "no source has gone()", "no source has close()"]


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    files = {name for name in listed if (root / name).is_file()}
    sources = [without_comments((root / name).read_text(errors="replace")) for name in sorted(files)
               if pathlib.PurePosixPath(name).suffix in SOURCES and "_test." not in name
               and name.startswith(("host/", "plugins/", "sdk/"))]
    page = (root / PAGE).read_text()
    found = mistakes(page, read_layers((root / LAYERS).read_text()), files, sources)
    for mistake in found:
        print(f"{PAGE}: {mistake}")
    named = [span for _, span in spans(page)]
    if not any(map(PATH.fullmatch, named)) or not any(map(MEMBER.fullmatch, named)):
        found.append("")
        print(f"{PAGE} names no file or no function")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
