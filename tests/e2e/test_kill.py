"""kill -9 at every relevant moment: nothing is lost, nothing is half-written."""

import json
import unittest

from harness import TestCase
from kill_harness import kill_everywhere
from test_serve import tree


class Kill(TestCase):
    def test_while_asking(self):
        folder = tree(self.home)
        for number in range(30):
            (folder / f"file{number}.txt").write_text(f"walrus {number}\n" * 50)

        def check():
            result = self.home.run("ask", "-r", folder, "zebra feature?")
            self.assertIn("off by default", result.stdout, result.stderr)
            self.home.run("clear")

        self.assertGreater(kill_everywhere(self.home, check, "ask", "-r", folder, "walrus?"), 5)
        self.assertEqual(list((self.home.path / "cache").rglob("building/*")), [])

    def test_while_adding(self):
        before = "# first line\n[model]\nmax_steps = 9\n"
        file = self.home.write("quarry.toml", before)
        folder = tree(self.home)

        def check():
            self.assertTrue(file.read_text().startswith(before))
            listed = self.home.run("resources", "--json")
            self.assertEqual(listed.returncode, 0, listed.stderr)
            names = [r["name"] for r in json.loads(listed.stdout)["resources"]]
            self.assertIn(names, ([], ["kept"]))
            if names:
                self.home.run("remove", "kept")

        self.assertGreater(kill_everywhere(self.home, check, "add", folder, "--name", "kept"), 5)
        self.assertEqual(self.home.run("add", folder).returncode, 0)
        self.assertEqual([path.name for path in self.home.project.iterdir()], ["quarry.toml"])

    def test_while_removing(self):
        folder = tree(self.home)
        text = f'# a\n[[resource]]\ntype = "local"\nname = "one"\npath = "{folder}"\n\n# b\n[log]\nlevel = "info"\n'
        file = self.home.write("quarry.toml", text)

        def check():
            now = file.read_text()
            self.assertIn(now, (text, "# b\n[log]\nlevel = \"info\"\n"))
            listed = self.home.run("resources")
            self.assertEqual(listed.returncode, 0, "the file stays trusted: " + listed.stderr)
            self.home.write("quarry.toml", text)

        self.assertGreater(kill_everywhere(self.home, check, "remove", "one"), 5)


if __name__ == "__main__":
    unittest.main()
