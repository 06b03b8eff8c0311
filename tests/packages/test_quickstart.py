"""README.md, word by word in a Debian with nothing installed: each command, its time, its exit code.

What a network has is there as files: Debian's packages, archives of npm; and the compiler's cache of this
machine.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

import chroot
from prepare import OUT, SOURCE
from document_harness import samples_of  # in tests/e2e, as the next one
from test_readme import ANSWER

BARE = OUT / "bare-chroot"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
BUILD_TIMEOUT = 2400
# Followed in a way of their own below, but for the gate, which this is a part of.
APART = ("scripts/", "quarry mcp", "quarry serve", "curl")
REACHED = "curl -fs --retry 100 --retry-connrefused --retry-delay 1 http://127.0.0.1:8080/livez"
PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'


def build_packages():
    rows = (line.split() for line in (SOURCE / "scripts/packages.txt").read_text().splitlines())
    return [row[0] for row in rows if row[1:2] == ["build"]]


def object_cache():
    return subprocess.run(["ccache", "--get-config", "cache_dir"], check=True, capture_output=True,
                          text=True).stdout.strip()


class Quickstart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        chroot.keep_base(BARE, install=build_packages())  # as downloaded files alone
        cls.root = chroot.Chroot(BARE, [(object_cache(), "/root/.cache/ccache")])
        cls.addClassCleanup(cls.root.remove)
        home = cls.root.path / "root"
        (home / ".cache/ccache").mkdir(parents=True)
        shutil.copytree(CACHE / "quarry-build/npm", home / ".cache/quarry-build/npm",
                        ignore=shutil.ignore_patterns("cache"))
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, check=True,
                                capture_output=True, text=True)
        for name in filter(None, listed.stdout.split("\0")):
            (home / "quarry" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, home / "quarry" / name, follow_symlinks=False)
        text = (SOURCE / "README.md").read_text()
        cls.commands = [one for sample in samples_of(text) for one in sample.commands()]

    def follow(self, command, codes=(0,), timeout=chroot.TIMEOUT):
        """Standard output and error of a command in the clone; the quickstart's link is in PATH."""
        begun = time.monotonic()
        script = f'cd ~/quarry; PATH="$HOME/.local/bin:$PATH"; {command}'
        result = self.root.run("bash", "-c", script, timeout=timeout)
        print(f"{time.monotonic() - begun:7.1f} s, {result.returncode}: {command}", file=sys.stderr)
        self.assertIn(result.returncode, codes, result.stdout[-4000:] + result.stderr[-4000:])
        return result.stdout, result.stderr

    def command(self, word):
        return next(one for one in self.commands if one.startswith(word))

    def test_the_readme_is_followed(self):
        answer, said = self.follow("scripts/quickstart", timeout=BUILD_TIMEOUT)
        self.assertIn(ANSWER, answer)
        self.assertNotIn("going on without", said)
        (link,) = re.findall(r'To call it "quarry": (.*)', said)
        self.follow(link)
        first, *others = (one for one in self.commands if not one.startswith(APART))
        answer, _ = self.follow(first)
        self.assertIn(ANSWER, answer.partition("\n[")[2].partition("\n[")[0], "the first passage")
        for command in others:
            with self.subTest(command):
                finds_nothing = (0, 3) if "setup" in command else (0, 1) if "doctor" in command else (0,)
                self.follow(command, finds_nothing)
        serve, curl = self.command("quarry serve --listen"), self.command("curl")
        streamed, _ = self.follow(f"{serve} & {REACHED}; {curl}; kill %1; wait")
        self.assertIn("event: done", streamed)
        self.follow(self.command("quarry mcp setup"))
        self.assertIn('"id":1', self.follow(f"echo '{PING}' | quarry mcp")[0])


if __name__ == "__main__":
    unittest.main()
