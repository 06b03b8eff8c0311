"""One plugin in each language, built with the installed SDK alone by every toolchain of the table in
docs/plugins.md: one test a row, which validates the plugin and asks a question through it, isolated
and in the process of the host."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))

from harness import BUILD, SOURCE, TestCase, patience  # noqa: E402

CXX = {  # row: option, as in the table
    "cxx20": "-std=c++20",
    "cxx23": "-std=c++23",
    "no-rtti": "-fno-rtti",
    "no-exceptions": "-fno-exceptions",
    "old-abi": "-D_GLIBCXX_USE_CXX11_ABI=0",
    "static-libstdcxx": "-static-libstdc++ -static-libgcc",
    "lto": "-flto",
}
C = {"c99": "-std=c99", "c11": "-std=c11", "c17": "-std=c17", "c23": "-std=c2x"}
ROWS = {"CXX": CXX, "C": C}
COMPILERS = {"gcc": {"C": "gcc", "CXX": "g++"}, "clang": {"C": "clang", "CXX": "clang++"}}
WARNINGS = "-Wall -Wextra -Wpedantic -Werror"
# What a compiler of this age calls an option of the table.
SPELLINGS = {"-std=c++23": ("-std=c++23", "-std=c++2b"), "-flto": ("-flto", "-flto=auto", "-flto=thin")}


def tool(*command, **more):
    """(exit code, output)"""
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=patience(300), **more)
    return result.returncode, result.stdout


def needed_libraries(module):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", tool("readelf", "-d", module)[1])


class Toolchains(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="quarry-toolchains-"))
        cls.addClassCleanup(shutil.rmtree, cls.work, ignore_errors=True)
        code, output = tool("cmake", "--install", BUILD, "--prefix", cls.work / "sdk",
                            "--component", "sdk")
        assert code == 0, output
        cls.log = {(compiler, language): cls.build(compiler, language)
                   for compiler in COMPILERS for language in ROWS}
        cls.log["rustc"] = cls.make(cls.work / "rust", SOURCE / "examples/resource-note-rust",
                                    "-DBUILD_TESTING=OFF")

    @classmethod
    def make(cls, folder, source, *settings, **more):
        code, output = tool("cmake", "-G", "Ninja", "-S", source, "-B", folder,
                            f"-DCMAKE_PREFIX_PATH={cls.work / 'sdk'}", *settings, **more)
        if code:
            return output
        # Goes on after a failure, which is the matter of its row alone.
        return output + tool("ninja", "-C", folder, "-k", "0", "-j", os.cpu_count())[1]

    @classmethod
    def build(cls, compiler, language):
        program = COMPILERS[compiler][language]
        return cls.make(cls.work / f"{compiler}-{language}", SOURCE / "tests/sdk/toolchains",
                        f"-DLANGUAGE={language}", f"-DCMAKE_{language}_COMPILER={program}",
                        f"-DEXAMPLES={SOURCE / 'examples'}",
                        env={**os.environ, f"{language}FLAGS": WARNINGS})

    def check_row(self, compiler, language, row):
        folder = self.work / f"{compiler}-{language}"
        plugin = folder / "rows" / row / row
        self.assertTrue((plugin / "plugin.toml").exists(), self.log[compiler, language])
        self.check_option(folder, row, ROWS[language][row], needed_libraries(plugin / f"{row}.so"))
        if language == "C":
            self.use(plugin, "org.example.note", "note", 'text = "The zebra ships on Friday."')
        else:
            self.use(plugin, "org.example.notes", "notes", 'notes = ["The zebra ships on Friday."]')

    def check_option(self, folder, row, option, libraries):
        """The row is built as its name says."""
        if option.startswith("-static"):
            self.assertFalse([library for library in libraries if "stdc++" in library], libraries)
            return
        commands = json.loads((folder / "compile_commands.json").read_text())
        [command] = [each["command"].split() for each in commands if f"/{row}.dir/" in each["command"]]
        self.assertTrue(set(SPELLINGS.get(option, (option,))) & set(command), command)

    def use(self, plugin, plugin_id, kind, fields):
        validated = self.home.run("plugins", "validate", plugin)
        self.assertEqual(validated.returncode, 0, validated.stdout + validated.stderr)
        self.assertIn("pass  loads-and-agrees", validated.stdout)
        for isolation in ("process", "none"):
            self.home.write("quarry.toml", f'plugin_path = ["{plugin.parent}"]\n[plugins.isolation]\n'
                                           f'"{plugin_id}" = "{isolation}"\n'
                                           f'[[resource]]\ntype = "{kind}"\nname = "mine"\n{fields}\n')
            asked = self.home.run("ask", "When does the zebra ship?")
            self.assertRegex(asked.stdout, r"mine:note(-1)?\.md#L1", asked.stderr)
            self.assertNotIn("warning", asked.stderr)
            shutil.rmtree(self.home.path / "cache")  # the next question fetches again

    def test_rust(self):
        plugin = self.work / "rust/lib/quarry/plugins/resource-note-rust"
        self.assertTrue((plugin / "plugin.toml").exists(), self.log["rustc"])
        self.use(plugin, "org.example.note-rust", "note", 'text = "The zebra ships on Friday."')

    def test_the_table_of_the_page_is_what_is_tested(self):
        page = (SOURCE / "docs/plugins.md").read_text()
        table = page.partition("\n## Toolchains\n")[2].partition("\n## ")[0]
        options = re.findall(r"^\|[^|]+\| `(-[^`]+)` \|", table, re.M)
        self.assertEqual(options, [*CXX.values(), *C.values()])
        versions = {"gcc": r"gcc \(.*\) (\d+)", "clang": r"clang version (\d+)"}
        for compiler, pattern in versions.items():
            major = re.search(pattern, tool(compiler, "--version")[1]).group(1)
            self.assertIn(f"{compiler} {major}", table)


def add_rows():
    for compiler in COMPILERS:
        for language, rows in ROWS.items():
            for row in rows:
                def test(self, arguments=(compiler, language, row)):
                    self.check_row(*arguments)
                setattr(Toolchains, f"test_{compiler}_{row.replace('-', '_')}", test)


add_rows()

if __name__ == "__main__":
    unittest.main()
