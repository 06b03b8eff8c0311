"""A plugin that misbehaves costs its own questions alone: cells of the table of start_harness.py that take
no time. The others are in test_plugin_start_slow.py."""

import shutil
import unittest

from harness import BUILD, TestCase
from start_harness import CONFIGURATION, RESOURCE, Table
from test_serve import LOCAL, tree


class Cells(Table):
    def test_of_an_isolated_plugin(self):
        for function, fault in (("open", "segv"), ("create", "fail"), ("describe", "exit"),
                                ("normalise", "nonsense"), ("resolve", "segv")):
            self.cell(function, fault, True)

    def test_of_a_plugin_in_the_host(self):
        for function, fault in (("open", "exit"), ("create", "segv"), ("fetch", "segv")):
            self.cell(function, fault, False)


class NotThere(TestCase):
    """A plugin that is not loaded: its type stays, and the other questions are answered."""

    def setUp(self):
        super().setUp()
        self.plugin = self.home.path / "plugins/faulty"
        shutil.copytree(BUILD / "tests/plugins/faulty", self.plugin)
        shutil.copytree(BUILD / "tests/plugins/hello", self.home.path / "plugins/hello")
        self.folder = tree(self.home)
        self.configure()

    def configure(self, more=""):
        self.home.write("quarry.toml", CONFIGURATION.format(plugins=self.plugin.parent, isolation="")
                        + more + LOCAL.format("code", self.folder) + RESOURCE.format("nothing"))

    def costs_its_questions(self, *words):
        server = self.serve()
        status, text = server.json("POST", "/question", {"question": "zebra?", "resources": ["bad"]})
        self.assertNotEqual(status, 200, text)
        for word in words:
            self.assertIn(word, str(text))
        self.assertEqual(
            server.json("POST", "/question", {"question": "zebra?", "resources": ["code"]})[0], 200)
        self.assertEqual([each["name"] for each in server.json("GET", "/resources")[1]["resources"]],
                         ["code", "bad"])
        self.assertEqual(server.json("POST", "/reload-config", {})[0], 200)
        self.assertEqual(server.stop()[0], 0)
        self.assertIn(self.home.run("config", "check").returncode, (0, 3))

    def test_without_its_file(self):
        (self.plugin / "faulty.so").unlink()
        self.costs_its_questions("org.example.faulty", "No such file", "install the plugin again")

    def test_without_its_folder(self):
        shutil.rmtree(self.plugin)
        self.costs_its_questions("no plugin offers", "faulty", "quarry plugins list")

    def test_with_a_manifest_that_cannot_be_read(self):
        (self.plugin / "plugin.toml").write_text("id = \n")
        self.costs_its_questions("no plugin offers", "faulty")

    def test_that_is_refused(self):
        (self.plugin / "faulty.so").chmod(0o666)
        self.costs_its_questions("org.example.faulty", "writable by everyone", "chmod o-w")

    def test_of_another_digest(self):
        with open(self.plugin / "faulty.so", "ab") as file:
            file.write(b"more")
        self.costs_its_questions("org.example.faulty", "SHA-256")

    def test_that_is_disabled(self):
        self.configure('[plugins]\ndisabled = ["org.example.faulty"]\n')
        self.costs_its_questions("org.example.faulty", "is disabled")

    def test_that_is_quarantined(self):
        """Three crashes do not make the next start impossible."""
        state = self.home.path / "state/quarry"
        state.mkdir(parents=True, exist_ok=True)
        digest = next(line.split('"')[1] for line in (self.plugin / "plugin.toml").read_text().splitlines()
                      if line.startswith("sha256"))
        (state / "quarantined-plugins").write_text(digest + "\n")
        self.costs_its_questions("org.example.faulty", "is not started", "quarry plugins release")
        server = self.serve()
        self.assertEqual(self.home.run("plugins", "release", "org.example.faulty").stdout,
                         "released org.example.faulty\n")
        self.assertIn("is not quarantined", self.home.run("plugins", "release", "org.example.faulty").stdout)
        self.assertEqual(server.json("POST", "/plugins/reload", {})[0], 200)
        self.assertEqual(
            server.json("POST", "/question", {"question": "zebra?", "resources": ["bad"]})[0], 200)

    def test_that_is_removed_while_the_server_runs(self):
        server = self.serve()
        question = {"question": "zebra?", "resources": ["bad"]}
        self.assertEqual(server.json("POST", "/question", question)[0], 200)
        shutil.rmtree(self.plugin)
        status, answer = server.json("POST", "/plugins/reload", {})
        self.assertEqual(status, 200, answer)
        self.assertIn("faulty", str(answer["problems"]))
        self.assertNotEqual(server.json("POST", "/question", question)[0], 200)
        self.assertEqual(
            server.json("POST", "/question", {"question": "zebra?", "resources": ["code"]})[0], 200)


class UnknownKinds(TestCase):
    """A plugin of a later contract, with one component of a kind that this host does not know: the other one
    works."""

    def asked(self, more=""):
        self.home.write("quarry.toml", CONFIGURATION.format(
            plugins=self.home.path / "plugins", isolation=more) + '[[resource]]\ntype = "hello"\nname = "bad"\n')
        for arguments in (("ask", "-r", "bad", "hello"), ("config", "check")):
            result = self.home.run(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("warning", result.stderr)

    def test_are_left_out(self):
        shutil.copytree(BUILD / "tests/plugins/unknown-kind", self.home.path / "plugins/unknown-kind")
        self.asked()
        self.asked('[plugins.isolation]\n"org.example.unknown-kind" = "none"\n')
        listed = self.home.run("plugins", "list")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn('quarry.memory/1 hello (a kind that this host does not know), quarry.resource/1 hello',
                      listed.stdout)


if __name__ == "__main__":
    unittest.main()
