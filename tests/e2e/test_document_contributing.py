"""CONTRIBUTING.md: the files, presets, tests and commands that it names exist."""

import json
import os
import re
import unittest

from document_harness import DocumentCase
from harness import SOURCE

FOLDERS = ("docs", "examples", "host", "plugins", "scripts", "sdk", "tests")
TASKS = ("Add a REST route", "Add a retrieval tool", "Add a model provider",
         "Add a configuration key", "Add a command", "Add a resource type")


def paths_in(text):
    """The paths of this tree in backticks; new ones, in angle brackets, apart."""
    words = re.findall(r"`([^`\s]+)`", text)
    named = [word for word in words if word.strip("<>").partition("/")[0] in FOLDERS]
    return ([path for path in named if not path.startswith("<")],
            [path.strip("<>") for path in named if path.startswith("<")])


class Contributing(DocumentCase):
    document = "CONTRIBUTING.md"

    def task(self, title):
        return self.text.partition(f"\n### {title}\n")[2].partition("\n### ")[0]

    def test_every_file_that_is_named_exists(self):
        existing, new = paths_in(self.text)
        self.assertGreater(len(existing), 50)
        self.assertEqual([path for path in existing if "*" not in path
                          and not (SOURCE / path).exists()], [])
        self.assertEqual([path for path in new if (SOURCE / path).exists()], [])

    def test_every_task_names_its_files_and_its_tests(self):
        self.assertEqual(tuple(re.findall(r"^### (.*)$", self.text, re.M)), TASKS)
        for title in TASKS:
            text = self.task(title)
            table, _, rest = text.partition("Tests:")
            self.assertGreater(len(re.findall(r"^\| `", table, re.M)), 3, title)
            tests = [path for path in paths_in(rest)[0] if "test" in path]
            self.assertTrue(tests, title)

    def test_the_names_in_the_files_are_there(self):
        for path, name in (("host/engine/methods/history_methods.cpp", "add_history_methods"),
                           ("host/engine/tool_table.cpp", "kRows"),
                           ("host/corpus/tools/page.h", "PageArguments"),
                           ("host/cli/verbs.cpp", "kVerbs"),
                           ("host/config/keys.cpp", "kLower")):
            self.assertTrue(f"`{name}`" in self.text, name)
            self.assertTrue(name in (SOURCE / path).read_text(), f"{name} in {path}")

    def test_every_folder_and_preset_is_described(self):
        layout = self.text.partition("\n## Layout\n")[2].partition("\n## ")[0]
        described = set(re.findall(r"^\| `(\w+)/`", layout, re.M))
        existing = {path.name for path in SOURCE.iterdir()
                    if path.is_dir() and path.name in FOLDERS}
        self.assertEqual(existing - described, {"scripts"})
        modules = re.search(r"^\| `host/` \| (.*) \|$", layout, re.M).group(1).split(" · ")
        self.assertEqual(sorted(modules), sorted(
            path.name for path in (SOURCE / "host").iterdir() if path.is_dir()))
        presets = json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]
        table = self.text.partition("| preset |")[2].partition("\n\n")[0]
        self.assertEqual(re.findall(r"^\| `(\w+)` \|", table, re.M),
                         [preset["name"] for preset in presets if not preset.get("hidden")])

    def test_the_commands_are_right(self):
        build = self.take("sh", "install-packages").commands()
        for command in build[:2]:
            self.assertTrue(os.access(SOURCE / command.split()[0], os.X_OK), command)
        self.assertEqual([command.split()[0] for command in build[2:]], ["cmake", "ctest"])
        program, unit, file, single = self.take("sh", "ctest --preset dev -R").commands()
        folder = re.search(r"\^(\w+)_tests\$", program).group(1)
        suite, name = re.search(rf"/tests/{folder}_tests --gtest_filter=(\w+)\.(\w+)$", unit).groups()
        sources = "".join(path.read_text() for path in (SOURCE / "host" / folder).glob("*_test.cpp"))
        self.assertTrue(f"TEST({suite}, {name})" in sources, unit)
        listed = (SOURCE / "tests/e2e/CMakeLists.txt").read_text()
        name = re.search(r"e2e\\\.(\w+)", file).group(1)
        self.assertRegex(listed, rf"\n +{name}\n", file)
        folder, _, rest = single.partition(" && ")
        places = {"QUARRY_BUILD_DIR=../../build/dev": f"QUARRY_BUILD_DIR={os.environ['QUARRY_BUILD_DIR']}",
                  "QUARRY_SOURCE_DIR=../..": f"QUARRY_SOURCE_DIR={SOURCE}"}
        for shown, real in places.items():
            self.assertIn(shown, rest)
            rest = rest.replace(shown, real)
        self.run_shell(f"cd {SOURCE}/{folder.split()[1]} && PYTHONDONTWRITEBYTECODE=1 {rest}", 120)


if __name__ == "__main__":
    unittest.main()
