"""The official client of the interface (npm btca 2.0.5), unmodified, against our server."""

import shutil
import subprocess
import tempfile
import unittest

from harness import SOURCE, TIMEOUT, TestCase

CLIENT = SOURCE / "build/npm/btca/dist/btca-linux-x64"
LOCAL = '[[resource]]\ntype = "local"\nname = "{}"\npath = "{}"\n'


@unittest.skipUnless(CLIENT.exists(), f"{CLIENT} is missing: scripts/install-npm-packages test")
class OfficialClient(TestCase):
    def setUp(self):
        super().setUp()
        self.folder = self.home.path / "code"
        self.folder.mkdir()
        (self.folder / "README.md").write_text("# Tools\n\nThe zebra feature is off by default.\n")
        self.home.write("quarry.toml", LOCAL.format("code", self.folder))
        self.server = self.serve()
        self.user = tempfile.mkdtemp(prefix="btca-home-")
        self.addCleanup(shutil.rmtree, self.user)

    def client(self, *arguments):
        """Runs the client in its own home; it can reach only our server."""
        environment = {"HOME": self.user, "PATH": self.home.environment["PATH"],
                       "BTCA_TELEMETRY": "0", "HTTPS_PROXY": "http://127.0.0.1:9"}
        return subprocess.run([CLIENT, *arguments, "--server", self.server.url], cwd=self.user,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=TIMEOUT)

    def works(self, *arguments):
        result = self.client(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        return result.stdout

    def fails(self, *arguments):
        result = self.client(*arguments)
        self.assertEqual(result.returncode, 1, result.stdout)
        return result.stderr

    def test_a_question_shows_its_answer_and_where_it_stands(self):
        for arguments in (("-r", "code"), ("-r", "@Code"), ()):
            shown = self.works("ask", "-q", "Is the zebra feature on?", *arguments)
            self.assertIn("The zebra feature is off by default.", shown)
            self.assertIn("[code:README.md#L1-L3]", shown)

    def test_tools_are_traced_when_asked_for(self):
        self.assertIn("\n[search]\n", self.works("ask", "-q", "zebra?", "-r", "code", "--tools"))

    def test_an_unknown_resource_is_named(self):
        errors = self.fails("ask", "-q", "zebra?", "-r", "cod")
        self.assertIn("Unknown resources:\n  - cod\nAvailable resources: code", errors)

    def test_a_failure_of_the_server_is_shown_with_its_hint(self):
        self.folder.rename(self.home.path / "away")
        body = {"question": "zebra?", "resources": ["code"]}
        status, answer = self.server.json("POST", "/question/stream", body)
        self.assertEqual(status, 400)
        errors = self.fails("ask", "-q", "zebra?", "-r", "code")
        self.assertIn(answer["error"], errors)
        self.assertIn(answer["hint"], errors)

    def test_resources_are_added_listed_cleared_and_removed(self):
        other = self.home.path / "other"
        other.mkdir()
        added = self.works("add", str(other), "--name", "other", "--type", "local")
        self.assertEqual(added, "Added local resource: other\n")
        listed = self.works("resources")
        self.assertIn(f"  code (local)\n    Path: {self.folder}\n", listed)
        self.assertIn(f"  other (local)\n    Path: {other}\n", listed)
        self.assertRegex(self.works("clear"), r"^Cleared \d+ resource\(s\)\.\n$")
        self.assertEqual(self.works("remove", "other"), "Removed resource: other\n")
        self.assertNotIn("other (local)", self.works("resources"))
        self.assertIn('Resource "other" not found. Available resources: code',
                      self.fails("remove", "other"))

    def test_the_status_names_the_model(self):
        shown = self.works("status")
        self.assertIn("Selected provider: extractive", shown)
        self.assertIn("Selected provider authed: yes", shown)


if __name__ == "__main__":
    unittest.main()
