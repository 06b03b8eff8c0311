#!/usr/bin/env python3
"""Checks that every #include of the product respects the layers (layers.txt)."""

import fnmatch
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)


def read_layers(text):
    """[(folder pattern, allowed folders)] in order of the file."""
    rows = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            folder, _, allowed = line.partition(":")
            rows.append((folder.strip(), allowed.split()))
    return rows


def layer_of(folder, rows):
    """The row for a folder: the longest pattern that is the folder or one above it; a pattern
    of one part is for that folder alone."""
    parts = folder.split("/")
    for length in range(len(parts), 0, -1):
        prefix = "/".join(parts[:length])
        for pattern, allowed in rows:
            if length == 1 and prefix != folder:
                continue
            if fnmatch.fnmatch(prefix, pattern) and pattern.count("/") == prefix.count("/"):
                return prefix, allowed
    return None, []


def included_folder(root, file, name):
    """The folder of this tree that `name` comes from, or None for a foreign header."""
    for base in ("host", "sdk/include", "plugins", "examples", ""):
        if base and (root / base / name).is_file():
            return (pathlib.PurePosixPath(base) / name).parent.as_posix()
    beside = file.parent / name
    return beside.parent.resolve().relative_to(root.resolve()).as_posix() if beside.is_file() else None


def beneath(folder, top):
    return folder == top or folder.startswith(top + "/")


def violations(root, rows):
    for top in ("sdk", "host", "plugins", "examples"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".hpp", ".c", ".cpp") or "_test." in file.name:
                continue
            folder = file.parent.relative_to(root).as_posix()
            module, allowed = layer_of(folder, rows)
            for _, name in INCLUDE.findall(file.read_text(errors="replace")):
                target = included_folder(root, file, name)
                own = (module is not None and "/" in module and beneath(target or "", module)
                       and layer_of(target, rows)[0] == module)
                if target is None or target == folder or own:
                    continue
                if not any(beneath(target, a) for a in allowed):
                    yield f"{file.relative_to(root)}: includes {name}, which is in {target}"


def self_test(rows):
    assert layer_of("host/base", rows)[0] == "host/base"
    assert layer_of("plugins/resource-local", rows) == (
        "plugins/resource-local",
        ["sdk/include/quarry", "plugins/http_server", "plugins/engine_client", "plugins/model_http",
         "plugins/store_sql", "plugins/mcp_server"])
    assert "host/engine" not in layer_of("host/ask", rows)[1]
    assert layer_of("nowhere", rows) == (None, [])
    assert layer_of("host", rows)[0] == "host"
    assert layer_of("host/unlisted", rows) == (None, [])
    # A module may include every folder beneath its row's, unless that folder has a row of its own.
    assert layer_of("host/corpus/text/testing", rows) == ("host/corpus/text", ["host/base"])
    assert layer_of("host/corpus", rows)[0] != "host/corpus"
    assert layer_of("host/cli/mcp", rows)[0] == "host/cli/mcp" != layer_of("host/cli", rows)[0]
    assert beneath("host/corpus/text/testing", "host/corpus/text")
    assert not beneath("host/corpus/text_tables", "host/corpus/text")


def main():
    root = pathlib.Path(sys.argv[1])
    rows = read_layers((pathlib.Path(__file__).parent / "layers.txt").read_text())
    self_test(rows)
    found = list(violations(root, rows))
    print("\n".join(found) if found else "every include respects the layers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
