"""Plugins that cannot be loaded: every verb that needs plugins, or lists them, reports the plugin,
the cause and the next step."""

import hashlib
import json
import os
import shutil
import subprocess
import unittest

from harness import BUILD, QUARRY, TestCase
from test_serve import tree

PLUGIN = BUILD / "tests/fixtures/resource-walk-fixture"
ID = "org.example.resource-walk-fixture"
OTHER = "org.example.other"


def edit(*change):
    """Replaces text of the manifest."""
    def apply(case):
        text = case.manifest.read_text()
        case.assertIn(change[0], text)
        case.manifest.write_text(text.replace(*change))
    return apply


def truncate(case):
    """Halves the shared object, and corrects its digest in the manifest."""
    data = case.object.read_bytes()
    case.object.write_bytes(data[:len(data) // 2])
    edit(*(hashlib.sha256(part).hexdigest() for part in (data, data[:len(data) // 2])))(case)


def break_digest(case):
    data = bytearray(case.object.read_bytes())
    data[-1] ^= 1
    case.object.write_bytes(data)


AGAIN = "install the plugin again, file and manifest together"
DISAGREES = "so that code and manifest agree"
# name: the mistake, and words of the report: plugin, cause, next step
MISTAKES = {
    "wrong id": (edit(ID, OTHER), OTHER, f'calls itself "{ID}"', DISAGREES),
    "wrong version": (edit('version = "1.0.0"', 'version = "1.0.9"'), ID,
                      "it says version 1.0.0, its manifest 1.0.9", DISAGREES),
    "wrong component": (edit('name = "walk"', 'name = "run"'), ID, '"walk"', DISAGREES),
    "digest": (break_digest, ID, "its manifest says", AGAIN),
    "later minor": (edit('minimum = "1.0"', 'minimum = "1.99"'), ID, "needs version 1.99",
                    "update quarry"),
    "other major": (edit('built_for = "1.0"', 'built_for = "99.0"'), ID, "built for version 99.0",
                    "update quarry"),
    "truncated": (truncate, ID, "not a whole shared object", "copy or build the plugin again"),
    "missing": (lambda case: case.object.unlink(), ID, f"{PLUGIN.name}.so", AGAIN),
    "writable by everybody": (lambda case: case.directory.chmod(0o777), ID, "writable by everyone",
                              "chmod o-w"),
    "manifest writable by everybody": (lambda case: case.manifest.chmod(0o666), ID,
                                       "writable by everyone", "chmod o-w"),
    "incomplete manifest": (edit('licence = "MIT"\n', ""), f"{PLUGIN.name}/plugin.toml",
                            '"licence"', "build the plugin again with quarry_add_plugin"),
}
VERBS = (("ask", "-r", "{folder}", "zebra?"), ("ask", "-q", "-r", "mine", "zebra?"),
         ("add", "{folder}", "-n", "docs"), ("plugins", "list"), ("config", "check"))


class Mistakes(TestCase):
    def setUp(self):
        super().setUp()
        self.folder = tree(self.home)
        self.place = self.home.path / "plugins"
        self.directory = self.place / PLUGIN.name
        self.manifest = self.directory / "plugin.toml"
        self.object = self.directory / f"{PLUGIN.name}.so"

    def prepare(self, isolation, more=""):
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(PLUGIN, self.directory)
        self.home.write("quarry.toml", f'plugin_path = ["{self.place}"]\n{more}'
                                       f'[plugins.isolation]\n"{ID}" = "{isolation}"\n'
                                       f'"{OTHER}" = "{isolation}"\n')

    def configure_resource(self):
        """The plugin is needed: without it, nothing starts."""
        with open(self.home.project / "quarry.toml", "a") as file:
            file.write('[[resource]]\ntype = "walk"\nname = "mine"\nplace = "park"\n')
        self.home.run("trust", "--yes", "quarry.toml")

    def reports(self):
        """(verb, what it writes to standard error)"""
        for verb in VERBS:
            words = [word.format(folder=self.folder) for word in verb]
            if "mine" not in words or self.needed:
                yield words[0], self.home.run(*words).stderr
        served = self.home.start("serve", "--listen", "127.0.0.1:0")
        served.stdout.readline()
        served.terminate()
        lines = served.communicate()[1].decode().splitlines()
        yield "serve", "\n".join(json.loads(line)["message"] if line.startswith("{") else line for line in lines)

    def check(self, *words, needed=False):
        self.needed = needed
        if needed:
            self.configure_resource()
        for verb, report in self.reports():
            with self.subTest(verb=verb, needed=needed):
                for word in words:
                    self.assertIn(word, report)

    def test_every_mistake_is_reported_by_every_verb(self):
        for isolation in ("process", "none"):
            for name, (make, *words) in MISTAKES.items():
                with self.subTest(mistake=name, isolation=isolation):
                    self.prepare(isolation)
                    make(self)
                    self.check(*words)

    def test_the_cause_is_told_where_a_resource_needs_the_plugin(self):
        for isolation in ("process", "none"):
            for name in ("wrong version", "digest", "later minor", "missing"):
                make, *words = MISTAKES[name]
                with self.subTest(mistake=name, isolation=isolation):
                    self.prepare(isolation)
                    make(self)
                    self.check(*words, needed=True)

    @unittest.skipIf(os.geteuid() != 0, "only root can give a file away")
    def test_a_file_of_somebody_else_is_reported(self):
        for path in (self.object, self.manifest, self.directory):
            with self.subTest(path=path):
                self.prepare("process")
                os.chown(path, 12345, 12345)
                self.check(ID, str(path), "belongs to user 12345", "install the plugin as yourself")

    def test_a_pin_and_a_second_plugin_are_reported(self):
        self.prepare("process", f'[plugins.pinned]\n"{ID}" = "{"0" * 64}"\n')
        self.check(ID, "is pinned to SHA-256", "change [plugins.pinned]")
        self.prepare("process")
        second = self.place / "second"
        shutil.copytree(self.directory, second)
        self.check(ID, f"in {second} is not used", "remove one of them")
        edit(ID, OTHER)(type("Second", (), {"manifest": second / "plugin.toml",
                                            "assertIn": self.assertIn}))
        self.check(OTHER, f'"walk" is offered by {ID} already', "disable one of them")

    def test_a_wrong_directory_is_reported(self):
        above = self.home.path / "above"
        (above / "a/b").mkdir(parents=True)
        empty = self.home.path / "empty"
        empty.mkdir()
        for place, words in (
                (self.home.path / "none", ("does not exist", "take it out of plugin_path")),
                (self.directory, ("is that of one plugin", f"name the directory above it: {self.place}")),
                (f"{self.directory}/", ("is that of one plugin", f"above it: {self.place}")),
                (self.object, ("is a file", f"perhaps {self.place}")),
                (above, ("has no plugin", f'did you mean "{above}/a/b"?')),
                (empty, ("has no plugin", "name the directory that has the folders of plugins")),
                ("plugins", ("is relative", "write an absolute path"))):
            with self.subTest(place=place):
                self.prepare("process")
                shutil.copytree(PLUGIN, above / "a/b/c", dirs_exist_ok=True)
                self.home.write("quarry.toml", f'plugin_path = ["{place}"]\n')
                self.check(str(place), *words)

    def test_a_quarantine_is_reported(self):
        self.prepare("process")
        state = self.home.path / "state/quarry"
        state.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(self.object.read_bytes()).hexdigest()
        (state / "quarantined-plugins").write_text(f"{digest}\n")
        self.check(f"plugin {ID} (isolated) is not started: it crashed 3 times",
                   "disable it in [plugins]")

    def test_lists_in_json_have_the_next_step(self):
        self.prepare("process")
        MISTAKES["wrong version"][0](self)
        listed = json.loads(self.home.run("plugins", "list", "--json").stdout)
        self.assertIn(ID, [plugin["id"] for plugin in listed["plugins"]])
        [problem] = listed["problems"]
        self.assertRegex(problem, f"{ID}.*1\\.0\\.9.*\\(.*{DISAGREES}\\)")
        [mistake] = json.loads(self.home.run("config", "check", "--json").stdout)["mistakes"]
        self.assertIn(ID, mistake["message"])
        self.assertIn(DISAGREES, mistake["hint"])


class Loading(TestCase):
    """Verbs that inspect plugins load them in other processes, and each once."""

    def setUp(self):
        super().setUp()
        self.place = self.home.path / "plugins"
        self.configure("process")

    def configure(self, isolation):
        rows = "".join(f'"{plugin}" = "{isolation}"\n'
                       for plugin in (ID, "org.example.exits", "org.example.crashes"))
        self.home.write("quarry.toml",
                        f'plugin_path = ["{self.place}"]\n[plugins.isolation]\n{rows}')

    def add(self, folder):
        shutil.copytree(folder, self.place / folder.name)

    def starts(self, *verb):
        """Number of programs that a verb starts."""
        trace = self.home.path / "trace"
        result = subprocess.run(["strace", "-f", "-o", trace, "-e", "trace=execve", QUARRY, *verb],
                                cwd=self.home.project,
                                # The leak sanitizer cannot run under strace.
                                env=self.home.environment | {"ASAN_OPTIONS": "detect_leaks=0"},
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        return trace.read_text().count("execve(") - 1

    def test_an_initialiser_that_exits_or_crashes_is_reported(self):
        for name, words in (("exits", "exited with status 7"), ("crashes", "signal 4")):
            shutil.rmtree(self.place, ignore_errors=True)
            self.add(BUILD / "tests/plugins" / name)
            for isolation in ("process", "none"):
                self.configure(isolation)
                for verb in (("plugins", "list"), ("config", "check")):
                    with self.subTest(name=name, isolation=isolation, verb=verb):
                        report = self.home.run(*verb).stderr
                        self.assertRegex(report, f"plugin org.example.{name} .*{words}")
                        self.assertIn("hint: ask the plugin's author", report)

    def test_a_plugin_is_loaded_once_until_it_changes(self):
        self.add(PLUGIN)
        self.assertGreater(self.starts("plugins", "list"), 0)
        self.assertEqual(self.starts("plugins", "list"), 0)
        runner = self.starts("config", "check")  # to which the resources are given
        manifest = self.place / PLUGIN.name / "plugin.toml"
        manifest.write_text(manifest.read_text() + "# changed\n")
        self.assertGreaterEqual(self.starts("config", "check"), runner)
        self.assertEqual(self.starts("plugins", "list"), 0)
        self.configure("none")
        self.assertEqual(self.starts("plugins", "list"), 1)

    def test_plugins_of_an_untrusted_file_are_not_loaded(self):
        self.add(BUILD / "tests/plugins/exits")
        self.home.run("trust", "--revoke", "quarry.toml")
        for verb in (("plugins", "list"), ("config", "check")):
            with self.subTest(verb=verb):
                result = self.home.run(*verb)
                self.assertIn("is not trusted", result.stderr)
                self.assertNotIn("exited", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
