"""The changes of a first task of CONTRIBUTING.md, and the files that its table lists.

A recipe is a folder beside this file. It has the new files, under their paths in the tree, and
changes.toml, a list of changes to existing files:

    [[change]]
    file = "host/cli/verbs.h"
    after = "Verb usage_verb("     # the beginning of one line, without its indentation; or before
    text = "Verb turns_verb(CommonOptions& common);"

    [[change]]
    file = "host/cli/CMakeLists.txt"
    replace = "trust_verb.cpp"     # or any text that occurs once, or `times` times
    text = "trust_verb.cpp turns_verb.cpp"
"""

import os
import pathlib
import re
import shutil
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
CHANGES = "changes.toml"
TASKS = {"Add a REST route": "rest_route", "Add a retrieval tool": "retrieval_tool",
         "Add a model provider": "model_provider", "Add a configuration key": "configuration_key",
         "Add a command": "command", "Add a resource type": "resource_type"}


class Misfit(AssertionError):
    """A change that does not fit the tree as it is now."""


def changed(text, change):
    """`text` with one change."""
    added = change["text"]
    if "replace" in change:
        if text.count(change["replace"]) != change.get("times", 1):
            raise Misfit(f"{change['file']} has {text.count(change['replace'])} times "
                         f"{change['replace']!r}")
        return text.replace(change["replace"], added)
    where = "after" if "after" in change else "before"
    lines = text.splitlines(keepends=True)
    found = [number for number, line in enumerate(lines)
             if line.lstrip().startswith(change[where].lstrip())]
    if len(found) != 1:
        raise Misfit(f"{change['file']} has {len(found)} lines that begin with {change[where]!r}")
    lines.insert(found[0] + (where == "after"), added if added.endswith("\n") else added + "\n")
    return "".join(lines)


def is_comment(change):
    """True for a change that adds only lines within a comment."""
    return "replace" not in change and change["file"].endswith(".h") and all(
        line.lstrip().startswith(("* ", "//")) for line in change["text"].splitlines())


class Recipe:
    def __init__(self, task, name):
        self.task, self.folder = task, FOLDER / name
        self.changes = tomllib.loads((self.folder / CHANGES).read_text())["change"]
        self.new = [path.relative_to(self.folder) for path in sorted(self.folder.rglob("*"))
                    if path.is_file() and path.name != CHANGES]

    def paths(self):
        """The files that it changes or creates."""
        return {path.as_posix() for path in self.new} | {change["file"] for change in self.changes}

    def apply(self, root):
        """Changes the tree at `root`. A file in which only comments change keeps its time, since
        nothing that includes it has to be compiled again."""
        for path in self.new:
            if (root / path).exists():
                raise Misfit(f"{path} exists already")
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.folder / path, root / path)
        for change in self.changes:
            file = root / change["file"]
            before = file.stat()
            file.write_text(changed(file.read_text(), change))
            if is_comment(change):
                os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def recipes():
    return [Recipe(task, name) for task, name in TASKS.items()]


def section(text, task):
    """The part of CONTRIBUTING.md about one task: its table, and what stands after "Tests:"."""
    part = text.partition(f"\n### {task}\n")[2].partition("\n### ")[0]
    table, _, tests = part.partition("Tests:")
    return table, tests


def listed(text, task):
    """(the files in the first column of the task's table, those that it names as tests)"""
    table, tests = section(text, task)
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return ({path.strip("<>") for cell in cells for path in re.findall(r"`([^`]+)`", cell)},
            set(re.findall(r"`([^`\s]+/[^`\s]+)`", tests)))
