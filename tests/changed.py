"""Which tests of a build a change reaches, by the graph of Ninja and by what tests name.

A program of unit tests is reached if a file that it is built of has changed. A module of end-to-end
tests is reached if the program `quarry` or a transport is, if the module or one that it imports has
changed, or if these configure a component of a plugin that is reached, or name a changed document.
Whatever else is a test, as checks of the sources are, is always run. A change of how things are built
reaches everything.
"""

import collections
import functools
import os
import pathlib
import re
import subprocess
import tomllib

BUILD_RULES = re.compile(r"(^|/)(CMakeLists\.txt|CMakePresets\.json|[^/]*\.cmake)$|^scripts/|^tests/run")
BUILD_LINE = re.compile(r"^build (.*?): \S+ ?(.*)$")
IMPORT = re.compile(r"^(?:from|import) (\w+)", re.M)


class Changed(Exception):
    """What stands in the way, as a sentence."""


def files_since(root, base):
    """Paths of the tree that differ from where `base` and the current commit parted, new files included."""
    def git(*words):
        run = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
        if run.returncode:
            raise Changed(run.stderr.strip())
        return run.stdout
    parted = git("merge-base", base, "HEAD").strip()
    listed = git("diff", "--name-only", parted) + git("ls-files", "--others", "--exclude-standard")
    return set(listed.splitlines())


class Graph:
    """The edges of build.ninja, and the headers and sources that compilers have read."""

    def __init__(self, root, build):
        self.root, self.build = root.resolve(), build.resolve()
        self.inputs = {}
        text = (build / "build.ninja").read_text().replace("$\n", "")
        for outputs, inputs in (match.groups() for match in map(BUILD_LINE.match, text.splitlines()) if match):
            needed, _, ordered = inputs.partition("||")
            for output in outputs.replace("|", " ").split():
                self.inputs[output] = (needed.replace("|", " ").split(), ordered.split())
        self.read = collections.defaultdict(list)
        run = subprocess.run(["ninja", "-t", "deps"], cwd=build, capture_output=True, text=True, check=True)
        output = None
        for line in run.stdout.splitlines():
            if line.startswith("    "):
                self.read[output].append(line.strip())
            else:
                output = line.partition(":")[0]

    @functools.cache  # noqa: B019, there is one graph
    def path(self, name):
        """A path of the tree, or None for a file that is not in it."""
        path = os.path.normpath(os.path.join(self.build, name))
        return os.path.relpath(path, self.root) if path.startswith(f"{self.root}/") else None

    def sources(self, target, ordered):
        """Paths of the tree that `target` is built of; with `ordered`, also of what must only be built before it."""
        seen, waiting = set(), [target]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            needed, before = self.inputs.get(name, ((), ()))
            waiting += needed
            waiting += self.read.get(name, ())
            if ordered:
                waiting += before
        return {path for path in map(self.path, seen) if path}


def imported(module, folder):
    """The files of a module and of those beside it that it imports."""
    found, waiting = set(), [module]
    while waiting:
        file = folder / f"{waiting.pop()}.py"
        if file.exists() and file not in found:
            found.add(file)
            waiting += IMPORT.findall(file.read_text())
    return found


def components(graph, changed):
    """(kind, name) of the components of plugins that the change reaches."""
    found = set()
    for manifest in graph.build.glob("lib/quarry/plugins/*/plugin.toml"):
        table = tomllib.loads(manifest.read_text())
        module = manifest.parent / table["file"]["name"]
        if graph.sources(str(module.relative_to(graph.build)), False) & changed:
            found |= {(component["kind"], component["name"]) for component in table["component"]}
    return found


def reached(listed, root, build, base):
    """Names of the tests, of a list as CTest shows it, that the change since `base` reaches."""
    changed = files_since(root, base)
    if any(BUILD_RULES.search(path) for path in changed):
        return [test["name"] for test in listed]
    graph = Graph(root, build)
    used = components(graph, changed)
    names = {name for _, name in used}
    is_everywhere = (bool(graph.sources("bin/quarry", False) & changed)
                     or any(kind.startswith("quarry.transport/") for kind, _ in used))

    def is_reached(test):
        command = [str(word) for word in test["command"]]
        program = pathlib.Path(command[0])
        if program.is_relative_to(graph.build):
            return bool(graph.sources(str(program.relative_to(graph.build)), True) & changed)
        if any(word.endswith("run_unittest.py") for word in command):
            return is_everywhere or concerns(command, test, names, changed)
        return True
    return [test["name"] for test in listed if is_reached(test)]


def concerns(command, test, names, changed):
    """Whether the modules of an end-to-end test, with what they import, are changed, configure a component of
    one of these names, or name a changed document."""
    folder = next(pathlib.Path(each["value"]) for each in test["properties"] if each["name"] == "WORKING_DIRECTORY")
    files = set().union(*(imported(module, folder) for module in command if module.startswith("test_")))
    if {file.name for file in files} & {pathlib.Path(path).name for path in changed}:
        return True
    text = "\n".join(file.read_text() for file in files)
    if any(re.search(rf'(document = |SOURCE / )"{re.escape(path)}"', text) for path in changed):
        return True
    # type = "git", provider="git", [pricing.git], git:reference
    return any(re.search(rf"""(type|provider)["']?\s*[=:]\s*["']{name}\b|\[\w+\.{name}\b|["' ]{name}:\w""", text)
               for name in map(re.escape, names))
