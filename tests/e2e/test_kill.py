"""kill -9 at every relevant moment: nothing is lost, nothing is half-written.

strace delivers SIGKILL in place of the n-th call of one kind that changes the file system, for
every kind and every n, so that every moment between two steps is covered. It counts by kind and by
thread.
"""

import json
import subprocess
import unittest

from harness import QUARRY, TIMEOUT, TestCase
from test_serve import tree

CHANGES = ("write,pwrite64,ftruncate,fallocate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,"
           "unlink,unlinkat,mkdir,mkdirat,rmdir,fchmod")


def traced(home, options, arguments):
    """Runs the program under strace; returns its exit status."""
    environment = {**home.environment, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run(
        ["strace", "-f", "-qqq", *options, QUARRY, *map(str, arguments)], cwd=home.project,
        env=environment, capture_output=True, text=True, timeout=TIMEOUT).returncode


def changes_of(home, *arguments):
    """The kinds of changes that a complete run makes."""
    counts = home.path / "counts"
    traced(home, ["-c", "-U", "name", "-o", counts, "-e", f"trace={CHANGES}"], arguments)
    kinds = [line.strip() for line in counts.read_text().splitlines()]
    counts.unlink()
    return [kind for kind in kinds if kind in CHANGES.split(",")]


def killed_at(home, kind, number, *arguments):
    """True when the program was killed at the `number`-th change of a kind; False when it had fewer."""
    options = ["-o", "/dev/null", "-e", f"trace={kind}", "-e",
               f"inject={kind}:signal=SIGKILL:when={number}"]
    return traced(home, options, arguments) in (137, -9)


class Kill(TestCase):
    def kill_everywhere(self, *arguments):
        """Kills one run after another, each one change later, and checks after each; returns their
        number."""
        kills = 0
        kinds = changes_of(self.home, *arguments)
        self.check()
        for kind in kinds:
            number = 1
            while killed_at(self.home, kind, number, *arguments):
                self.check()
                number += 1
            self.check()
            kills += number - 1
        return kills

    def check(self):
        """Checks the conditions after every kill."""

    def test_while_asking(self):
        folder = tree(self.home)
        for number in range(30):
            (folder / f"file{number}.txt").write_text(f"walrus {number}\n" * 50)

        def check():
            result = self.home.run("ask", "-r", folder, "zebra feature?")
            self.assertIn("off by default", result.stdout, result.stderr)
            self.home.run("clear")

        self.check = check
        self.assertGreater(self.kill_everywhere("ask", "-r", folder, "walrus?"), 5)
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

        self.check = check
        self.assertGreater(self.kill_everywhere("add", folder, "--name", "kept"), 5)
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

        self.check = check
        self.assertGreater(self.kill_everywhere("remove", "one"), 5)


if __name__ == "__main__":
    unittest.main()
