"""changed.py, on a small build of Ninja and a repository of git."""

import pathlib
import subprocess
import tempfile
import unittest

import changed

NINJA = """
rule copy
  command = cp $in $out && echo "$out: $in ../shared.h" > $out.d
  depfile = $out.d
  deps = gcc
rule link
  command = cat $in > $out
build one.o: copy ../one.cpp
build other.o: copy ../other.cpp
build plugin.o: copy ../plugin.cpp
build bin/quarry: link one.o | lib.txt || tests/other_tests
build lib.txt: link ../lib.cpp
build tests/other_tests: link other.o || lib/quarry/plugins/zebra/zebra.so
build lib/quarry/plugins/zebra/zebra.so: link plugin.o
"""
MANIFEST = """
[file]
name = "zebra.so"
[[component]]
kind = "quarry.resource/1"
name = "zebra"
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.build = self.root / "build"
        for name in ("one.cpp", "other.cpp", "plugin.cpp", "lib.cpp", "shared.h", "docs/zebras.md"):
            self.write(name, name)
        self.write("build/build.ninja", NINJA)
        subprocess.run(["ninja"], cwd=self.build, check=True, capture_output=True)
        self.write("build/lib/quarry/plugins/zebra/plugin.toml", MANIFEST)
        self.graph = changed.Graph(self.root, self.build)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *words], cwd=self.root, check=True,
                       capture_output=True)


class Programs(Case):
    def test_are_built_of_their_sources_and_of_the_headers_that_these_read(self):
        self.assertEqual(self.graph.sources("bin/quarry", False) - {"build/one.o", "build/lib.txt", "build/bin/quarry"},
                         {"one.cpp", "shared.h", "lib.cpp"})

    def test_that_are_built_after_a_plugin_may_use_it(self):
        self.assertIn("plugin.cpp", self.graph.sources("tests/other_tests", True))
        self.assertNotIn("plugin.cpp", self.graph.sources("tests/other_tests", False))

    def test_a_plugin_has_the_components_of_its_manifest(self):
        self.assertEqual(changed.components(self.graph, {"plugin.cpp"}), {("quarry.resource/1", "zebra")})
        self.assertEqual(changed.components(self.graph, {"one.cpp"}), set())


class Modules(Case):
    def concerns(self, text, names=(), paths=()):
        self.write("e2e/test_a.py", "import helper\n")
        self.write("e2e/helper.py", text)
        test = {"properties": [{"name": "WORKING_DIRECTORY", "value": str(self.root / "e2e")}]}
        return changed.concerns(["python3", "run.py", "test_a"], test, set(names), set(paths))

    def test_concern_what_they_and_their_imports_configure(self):
        for text in ('type = "zebra"', "{'type': 'zebra'}", '"provider": "zebra"', "[resource_type.zebra]",
                     'ask "zebra:x"'):
            self.assertTrue(self.concerns(text, ["zebra"]), text)
        for text in ('run("zebra")', 'type = "zebra2"', 'type = "local"', "# a zebra: none"):
            self.assertFalse(self.concerns(text, ["zebra"]), text)

    def test_concern_changed_modules_and_documents(self):
        self.assertTrue(self.concerns("", paths=["e2e/helper.py"]))
        self.assertTrue(self.concerns('document = "docs/zebras.md"', paths=["docs/zebras.md"]))
        self.assertFalse(self.concerns('write("docs/zebras.md")', paths=["docs/zebras.md"]))


class Changes(Case):
    def setUp(self):
        super().setUp()
        self.git("init", "-q", "-b", "main")
        self.write(".gitignore", "build/\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "base")
        self.git("checkout", "-q", "-b", "work")

    def reached(self):
        """The tests that a change since main reaches, of a list in which a program, a module and a check are."""
        listed = [{"name": "other", "command": [str(self.build / "tests/other_tests")], "properties": []},
                  {"name": "e2e.a", "command": ["python3", "tests/run_unittest.py", "test_a"],
                   "properties": [{"name": "WORKING_DIRECTORY", "value": str(self.root / "e2e")}]},
                  {"name": "check", "command": ["python3", "check.py"], "properties": []}]
        return changed.reached(listed, self.root, self.build, "main")

    def test_reach_what_is_built_of_them_and_every_check(self):
        self.assertEqual(self.reached(), ["check"])
        self.write("other.cpp", "another")
        self.assertEqual(self.reached(), ["other", "check"])
        self.git("commit", "-q", "-a", "-m", "other")
        self.assertEqual(self.reached(), ["other", "check"])
        self.write("lib.cpp", "another")  # of the program
        self.assertEqual(self.reached(), ["other", "e2e.a", "check"])

    def test_of_how_things_are_built_reach_everything(self):
        self.write("new/CMakeLists.txt", "")
        self.assertEqual(self.reached(), ["other", "e2e.a", "check"])

    def test_since_what_is_not_there_say_so(self):
        with self.assertRaisesRegex(changed.Changed, "nowhere"):
            changed.files_since(self.root, "nowhere")


if __name__ == "__main__":
    unittest.main()
