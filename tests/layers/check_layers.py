#!/usr/bin/env python3
"""Checks that every #include of the product respects the layers (layers.txt), that each layer uses
what it may include, that each library links what it includes, and that what only tests use is in a
folder testing/."""

import fnmatch
import pathlib
import re
import sys

TOPS = ("sdk", "host", "plugins", "examples")
SOURCES = (".h", ".hpp", ".c", ".cpp")
# What follows SOURCES of a test program, or TESTS of a module, in a CMakeLists.txt.
TESTED = re.compile(r"\b(?:(?:CONCURRENT_)?TESTS|quarry_test\(\w+\s+SOURCES)\s+((?:[\w./-]+\.cpp\s*)+)")
MODULE = re.compile(r"quarry_module\((\w+)\s(.*?)\)\n", re.S)
LIBRARY = re.compile(r"add_library\((quarry_\w+) STATIC\s(.*?)\)\n", re.S)
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


def included_file(root, file, name):
    """The file of this tree that `name` means, or None for a foreign header."""
    for base in ("host", "sdk/include", "sdk/tools", "plugins", "examples"):
        if (root / base / name).is_file():
            return pathlib.PurePosixPath(base) / name
    beside = file.parent / name
    if not beside.is_file():
        return None
    return pathlib.PurePosixPath(beside.resolve().relative_to(root.resolve()).as_posix())


def beneath(folder, top):
    return folder == top or folder.startswith(top + "/")


def is_for_tests(path):
    """True for a test, and for what is in a folder testing/ or in the test kit of the SDK."""
    kit = path.as_posix().startswith(("sdk/include/quarry/testing", "sdk/include/quarry/draft/testing"))
    return "_test." in path.name or "testing" in path.parts or kit


def read_targets(root):
    """File -> the files of this tree that it includes, for the product and its unit tests."""
    out = {}
    for file in (file for top in TOPS for file in sorted((root / top).rglob("*"))):
        if file.suffix in SOURCES:
            found = (included_file(root, file, name)
                     for _, name in INCLUDE.findall(file.read_text(errors="replace")))
            out[pathlib.PurePosixPath(file.relative_to(root).as_posix())] = [
                target for target in found if target is not None]
    return out


def misplaced(targets, made):
    """What only tests use outside of testing/, and what includes it from there.

    targets: file -> the files of this tree that it includes; made: the text of CMake's
    files, by their folder.
    """
    product = {file: found for file, found in targets.items() if not is_for_tests(file)}
    for file, found in product.items():
        yield from (f"{file}: includes {target}, which is for tests"
                    for target in found if is_for_tests(target))
    used = {target for found in product.values() for target in found}
    cmake = "".join(made.values())
    yield from (f"{file}: only tests include it; move it to testing/" for file in product
                if file.suffix in (".h", ".hpp") and file.parts[0] in ("host", "plugins")
                and file not in used and file.name not in cmake)
    for folder, text in made.items():
        for name in " ".join(TESTED.findall(text)).split():
            if not is_for_tests(pathlib.PurePosixPath(name)) and text.count(name) < 2:
                yield f"{folder}/{name}: only tests link it; move it to testing/"


def violations(rows, targets):
    for file, found in targets.items():
        if "_test." in file.name:
            continue
        folder = file.parent.as_posix()
        module, allowed = layer_of(folder, rows)
        for header in found:
            target = header.parent.as_posix()
            own = (module is not None and "/" in module and beneath(target, module)
                   and layer_of(target, rows)[0] == module)
            if target != folder and not own and not any(beneath(target, a) for a in allowed):
                yield f"{file}: includes {header.name}, which is in {target}"


def unused(rows, targets):
    """Permissions that no file of the layer's product uses."""
    uses = {}
    for file, found in targets.items():
        if not is_for_tests(file):
            row = row_of(file, rows)
            uses.setdefault(row, set()).update(header.parent.as_posix() for header in found)
    for pattern, allowed in rows:
        for folder in allowed:
            if not any(beneath(used, folder) for used in uses.get(pattern, ())):
                yield f"layers.txt: {pattern} does not use {folder}"


def row_of(file, rows):
    """The pattern of the row for a file, or None."""
    layer = layer_of(file.parent.as_posix(), rows)[0]
    return next((pattern for pattern, _ in rows
                 if layer is not None and fnmatch.fnmatch(layer, pattern)), None)


def libraries(made):
    """Folder -> (its library, the library's source files, what it links as PUBLIC, as PRIVATE). A
    folder with two libraries counts as one, by the name of the last."""
    out = {}
    for folder, text in made.items():
        if not folder.startswith(("host/", "plugins/")):
            continue
        text = re.sub(r"\bif\(BUILD_TESTING\)\n.*?\nendif\(\)", "", text, flags=re.S)
        for name, sources in LIBRARY.findall(text):
            linked = "\n".join(re.findall(rf"target_link_libraries\({name}\s(.*?)\)", text, re.S))
            before = out.get(folder, ("", [], set(), set()))
            out[folder] = (name, before[1] + sources.split(),
                           before[2] | words_after("PUBLIC", linked),
                           before[3] | words_after("PRIVATE", linked))
        for name, rest in MODULE.findall(text):
            sources = rest.partition("SOURCES")[2].partition("TESTS")[0].split()
            out[folder] = (f"quarry_{name}", sources, words_after("PUBLIC", rest),
                           words_after("PRIVATE", rest))
    return out


def words_after(keyword, text):
    found = re.search(rf"\b{keyword}\s((?:[a-z][\w:]*\s*|[A-Z]\w*::\w+\s*)*)", text)
    return set(found.group(1).split()) if found else set()


def linking(targets, made):
    """Libraries of this tree that a library includes and does not link, or links and does not
    include. One that a header includes is PUBLIC."""
    known = libraries(made)
    names = {folder: library[0] for folder, library in known.items()} | {
        "sdk/include/quarry": "quarry_sdk"}
    for folder, (name, sources, public, private) in known.items():
        needs = {}
        for file, found in targets.items():
            inside = beneath(file.parent.as_posix(), folder) and not is_for_tests(file)
            if inside and (file.suffix != ".cpp" or file.relative_to(folder).as_posix() in sources):
                for header in found:
                    needs.setdefault(home_of(header, names), set()).add(file.suffix)
        linked = dict.fromkeys(private, "PRIVATE") | dict.fromkeys(public, "PUBLIC")
        if "Quarry::Sdk" in linked:
            linked["quarry_sdk"] = linked["Quarry::Sdk"]
        for library in sorted(needs.keys() - {name, None}):
            kind = "PUBLIC" if needs[library] & {".h", ".hpp"} else "PRIVATE"
            if linked.get(library) != kind:
                yield f"{folder}: {name} must link {library} as {kind}"
        for library in sorted((linked.keys() & set(names.values())) - needs.keys()):
            yield f"{folder}: {name} links {library} and includes nothing of it"


def home_of(file, names):
    """The library of a file, or None."""
    parts = file.parts
    return next((names["/".join(parts[:length])] for length in range(len(parts) - 1, 0, -1)
                 if "/".join(parts[:length]) in names), None)


def self_test(rows):
    assert layer_of("host/base", rows)[0] == "host/base"
    assert layer_of("plugins/resource-local", rows) == (
        "plugins/resource-local",
        ["sdk/include/quarry", "plugins/http_server", "plugins/engine_client", "plugins/model_http",
         "plugins/package_source", "plugins/store_sql", "plugins/symbols_tree_sitter"])
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


def self_test_of_testing():
    path = pathlib.PurePosixPath
    source, fake = path("host/a/a.cpp"), path("host/a/testing/fake.h")
    header, test = path("host/a/a.h"), path("host/a/a_test.cpp")
    made = {"host/a": "quarry_module(a SOURCES a.cpp\n TESTS a_test.cpp testing/fake.cpp\n PUBLIC b)"}
    good = {source: [header], header: [], fake: [header], test: [header, fake]}
    assert list(misplaced(good, made)) == []
    assert list(misplaced({**good, source: [header, fake]}, made)) == [
        "host/a/a.cpp: includes host/a/testing/fake.h, which is for tests"]
    assert list(misplaced({**good, path("host/a/b.h"): [], test: [path("host/a/b.h")]}, made)) == [
        "host/a/b.h: only tests include it; move it to testing/"]
    for text in ("TESTS a_test.cpp peer.cpp", "CONCURRENT_TESTS peer.cpp",
                 "quarry_test(a_tests SOURCES peer.cpp LINK a)"):
        assert list(misplaced(good, {"host/a": text})) == [
            "host/a/peer.cpp: only tests link it; move it to testing/"]
    kit = path("sdk/include/quarry/testing.hpp")
    assert list(misplaced({**good, source: [header, kit]}, made)) == [
        "host/a/a.cpp: includes sdk/include/quarry/testing.hpp, which is for tests"]


def self_test_of_links():
    path = pathlib.PurePosixPath
    targets = {path("host/b/b.h"): [path("host/a/a.h")], path("host/b/b.cpp"): [path("host/c/c.h")],
               path("host/b/b_test.cpp"): [path("host/d/d.h")], path("host/a/a.h"): []}

    def links(text):
        made = {f"host/{name}": f"quarry_module({name}\n  SOURCES {name}.cpp)\n" for name in "acd"}
        return list(linking(targets, {**made, "host/b": f"quarry_module(b\n  SOURCES b.cpp\n{text})\n"}))

    assert links("  PUBLIC quarry_a\n  PRIVATE quarry_c other::other") == []
    assert links("  PUBLIC quarry_a") == ["host/b: quarry_b must link quarry_c as PRIVATE"]
    assert links("  PRIVATE quarry_a quarry_c") == ["host/b: quarry_b must link quarry_a as PUBLIC"]
    assert links("  PUBLIC quarry_a quarry_d\n  PRIVATE quarry_c") == [
        "host/b: quarry_b links quarry_d and includes nothing of it"]
    library = "add_library(quarry_b STATIC b.cpp)\ntarget_link_libraries(quarry_b PUBLIC quarry_a)\n"
    assert list(linking(targets, {"host/a": "quarry_module(a SOURCES a.cpp)\n", "host/b": library})) == []
    assert list(unused([("host/b", ["host/a", "host/c"])], targets)) == []
    assert list(unused([("host/b", ["host/a", "host/d"])], targets)) == [
        "layers.txt: host/b does not use host/d"]


def main():
    root = pathlib.Path(sys.argv[1])
    rows = read_layers((pathlib.Path(__file__).parent / "layers.txt").read_text())
    self_test(rows)
    self_test_of_testing()
    self_test_of_links()
    targets = read_targets(root)
    made = {file.parent.relative_to(root).as_posix(): file.read_text()
            for top in (*TOPS, "scripts") for file in sorted((root / top).rglob("*"))
            if file.name == "CMakeLists.txt" or file.suffix == ".cmake"}
    found = [*violations(rows, targets), *unused(rows, targets), *linking(targets, made),
             *misplaced(targets, made)]
    print("\n".join(found) if found else "every include respects the layers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
