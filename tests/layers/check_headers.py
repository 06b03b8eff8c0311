#!/usr/bin/env python3
"""Checks that every header of the product compiles alone: C headers as C11 and C++20 too.

The first include of a source was compiled alone by the build, after the precompiled header of
their module, if it has one; so was that header's own first include. Only the others are compiled
here, in the same way.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

FIRST_INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)
ROOTS = ("host", "sdk/include", "plugins")
INCLUDES = (*ROOTS, "tests/canary")
PRECOMPILED = re.compile(r"-include (\S+/cmake_pch\.hxx)")


def first_include(root, file):
    """The header of this tree that a file includes before anything else, or None."""
    found = FIRST_INCLUDE.search(file.read_text(errors="replace"))
    if not found:
        return None
    candidates = [file.parent / found[1], *(root / folder / found[1] for folder in ROOTS)]
    return next((path.resolve() for path in candidates if path.is_file()), None)


def chain(root, file):
    """Headers compiled alone with `file`: its first include, that one's first include, …"""
    seen = []
    header = first_include(root, file)
    while header and header not in seen:
        seen.append(header)
        header = first_include(root, header)
    return seen


def module_of(file, modules):
    """The folder among `modules` that has the file, or None."""
    return next((folder for folder in file.parents if folder in modules), None)


def proved(root, entries, modules):
    """Headers that the build compiled alone, as C++; `modules` have a precompiled header."""
    headers = set()
    for entry in entries:
        source = pathlib.Path(entry["file"])
        if source.suffix != ".cpp" or not source.is_relative_to(root):
            continue
        if "cmake_pch" not in entry["command"]:
            if source.parts[len(root.parts)] in ("host", "sdk", "plugins"):
                headers.update(chain(root, source))
        elif (module := module_of(source, modules)) and "_tests.dir" not in entry["command"]:
            headers.update(header for header in chain(root, source)
                           if module_of(header, modules) == module)
    return headers


def with_precompiled(root, build, entries):
    """For each module of host and plugins with a precompiled header: a command that uses it, without
    its source and its output."""
    commands = {}
    for entry in entries:
        output = re.search(r" -o (\S+)/CMakeFiles/\w[\w-]*\.dir/", entry["command"])
        if not output or "_tests.dir" in entry["command"]:
            continue
        if PRECOMPILED.search(entry["command"]) and entry["file"].endswith((".cpp", ".cxx")):
            command = shlex.split(entry["command"].split(" -o ")[0])
            commands[root / output[1]] = [part for part in command if not part.endswith("ccache")]
    return commands


def system_includes(entries):
    """For each folder with sources, the directories of libraries that they are compiled with."""
    found = {}
    for entry in entries:
        directories = re.findall(r"-isystem (\S+)", entry["command"])
        found.setdefault(pathlib.Path(entry["file"]).parent, set()).update(directories)
    return found


def is_sdk(root, header):
    return header.relative_to(root).parts[0] == "sdk"


def compilers(root, build, header, precompiled, libraries):
    """The command lines a header must pass."""
    module = module_of(header, precompiled)
    if module:
        yield [*precompiled[module], f"-I{build / 'generated'}",
               *(f"-I{root / folder}" for folder in INCLUDES), "-fsyntax-only", "-x", "c++"]
        return
    flags = ["-fsyntax-only", "-Wall", "-Wextra", "-DBOOST_ASIO_SEPARATE_COMPILATION",
             "-DBOOST_BEAST_SEPARATE_COMPILATION", f"-I{build / 'generated'}",
             *(f"-I{root / folder}" for folder in INCLUDES),
             *(f"-isystem{directory}" for directory in sorted(libraries.get(header.parent, ())))]
    if header.suffix == ".h" and is_sdk(root, header):
        yield ["gcc", "-std=c11", "-x", "c", *flags]
    yield ["g++", "-std=c++20" if is_sdk(root, header) else "-std=c++23", "-x", "c++", *flags]


def check(root, build, header, precompiled, libraries):
    for command in compilers(root, build, header, precompiled, libraries):
        result = subprocess.run([*command, "-"], input=f'#include "{header}"\n', text=True,
                                capture_output=True, cwd=build)
        if result.returncode:
            return f"{header.relative_to(root)} does not compile alone:\n{result.stderr}"
    return None


def left_to_check(root, headers, known):
    """Headers without proof, but for those that compiling another of them proves."""
    left = [header for header in headers if header not in known]
    covered = set()
    for header in left:
        if header not in covered and not is_sdk(root, header):
            covered.update(chain(root, header))
    return [header for header in left if is_sdk(root, header) or header not in covered]


def main():
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    headers = [file for folder in ROOTS for file in sorted((root / folder).rglob("*"))
               if file.suffix in (".h", ".hpp")]
    # The contract must compile as C and as C++20, which no source of this build proves.
    entries = json.loads((build / "compile_commands.json").read_text())
    precompiled = with_precompiled(root, build, entries)
    known = {header for header in proved(root, entries, precompiled) if not is_sdk(root, header)}
    left = left_to_check(root, headers, known)
    libraries = system_includes(entries)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(
            lambda header: check(root, build, header, precompiled, libraries), left) if text]
    print("\n".join(found) if found else
          f"all {len(headers)} headers compile alone ({len(left)} compiled here)")
    return 1 if found or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
