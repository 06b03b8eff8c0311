"""kill -9 at random moments: nothing is lost, nothing is half-written."""

import json
import random
import signal
import time
import unittest

from harness import TestCase
from test_serve import tree


class Kill(TestCase):
    def killed_after(self, seconds, *arguments):
        process = self.home.start(*arguments)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def test_while_asking(self):
        folder = tree(self.home)
        for number in range(200):
            (folder / f"file{number}.txt").write_text(f"walrus {number}\n" * 500)
        chance = random.Random(1)
        for _ in range(15):
            self.killed_after(chance.uniform(0, 0.15), "ask", "-r", folder, "walrus?")
        result = self.home.run("ask", "-r", folder, "zebra feature?")
        self.assertIn("off by default", result.stdout, result.stderr)
        self.assertEqual(list((self.home.path / "cache").rglob("building/*")), [])

    def test_while_adding_and_removing(self):
        file = self.home.write("quarry.toml", "# first line\n[model]\nmax_steps = 9\n")
        chance = random.Random(2)
        folder = tree(self.home)
        for number in range(15):
            self.killed_after(chance.uniform(0, 0.05), "add", folder, "--name", f"n{number}")
            if number % 3 == 2:
                self.killed_after(chance.uniform(0, 0.05), "remove", f"n{number - 1}")
            self.assertEqual(self.home.run("config", "check").returncode, 0)
            self.assertTrue(file.read_text().startswith("# first line\n[model]\nmax_steps = 9\n"))
        self.assertEqual(self.home.run("add", folder, "--name", "last").returncode, 0)
        names = [r["name"] for r in json.loads(self.home.run("resources", "--json").stdout)["resources"]]
        self.assertEqual(names[-1], "last")
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
