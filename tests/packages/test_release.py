"""scripts/release in a clone of this tree, with its build: one command makes all files."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from prepare import BUILD, SOURCE, documented

KINDS = (".deb", ".oci.tar", ".spdx.json", ".tar.zst", ".tgz", "CHANGES-", "SHA256SUMS", ".minisig")
NOTES = "## [Unreleased]\n\n### Added\n\n- Something new.\n\n## [0.0.1]\n\nFirst.\n"


class Release(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="quarry-release-")
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)
        self.clone = self.folder / "quarry"
        self.git("clone", "--quiet", SOURCE, self.clone, cwd=SOURCE)
        (self.clone / "CHANGELOG.md").write_text(NOTES)
        self.git("commit", "--quiet", "--all", "--message", "notes")
        (self.clone / "build").mkdir()
        (self.clone / "build/npm").symlink_to(SOURCE / "build/npm")
        subprocess.run(["minisign", "-G", "-W", "-p", self.folder / "a.pub", "-s", self.folder / "a.key"],
                       check=True, capture_output=True)
        self.key = self.folder / "a.key"
        # The build as hard links, so that the files of the other tests stay.
        self.build = self.folder / "build"
        subprocess.run(["cp", "-al", BUILD, self.build], check=True)
        subprocess.run(["rm", "-rf", self.build / "packages"], check=True)

    def git(self, *words, cwd=None):
        names = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
        return subprocess.run(["git", *names, *words], cwd=cwd or self.clone, check=True, capture_output=True, text=True).stdout

    def release(self, *words):
        people = {f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return subprocess.run([self.clone / "scripts/release", *words], capture_output=True, text=True,
                              env={**os.environ, **people, "QUARRY_RELEASE_KEY": str(self.key)})

    def test_one_command_makes_all_files_of_a_version(self):
        version = json.loads(subprocess.run([BUILD / "bin/quarry", "version", "--json"], check=True, capture_output=True).stdout)["version"]
        [command] = documented("scripts/release")
        self.assertEqual(command, f"QUARRY_RELEASE_KEY=quarry.key scripts/release {version}")
        made = self.release(version, self.build)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        print(made.stdout)
        for kind in KINDS:
            self.assertIn(kind, made.stdout)
        self.assertIn(" min in all", made.stdout)
        self.assertEqual(self.git("describe", "--tags").strip(), f"v{version}")
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertRegex((self.clone / "CHANGELOG.md").read_text(),
                         rf"^## \[Unreleased\]\n\n## \[{version}\] - \d{{4}}-\d\d-\d\d\n\n### Added\n\n- Something new")
        self.assertIn("- Something new.", (self.build / "packages" / f"CHANGES-{version}.md").read_text())

    def test_what_it_cannot_release_is_said_before_anything_is_made(self):
        for words, said in (((), "Usage:"), (("1.0",), "is not a version"), (("0.0.1",), "is lower than"),
                            (("9.0.0", self.folder), "no bin/quarry of version 9.0.0")):
            refused = self.release(*words)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(said, refused.stderr)
        (self.clone / "README.md").write_text("changed")
        self.assertIn("not committed", self.release("9.0.0").stderr)
        self.git("checkout", "--quiet", "README.md")
        self.git("tag", "v9.0.0", "HEAD~1")
        self.assertIn("v9.0.0 is another commit", self.release("9.0.0").stderr)
        self.git("tag", "--delete", "v9.0.0")
        (self.clone / "CHANGELOG.md").write_text("## [Unreleased]\n\n## [0.0.1]\n\nFirst.\n")
        self.git("commit", "--quiet", "--all", "--message", "no notes")
        self.assertIn("CHANGELOG.md must have", self.release("9.0.0").stderr)
        self.key = self.folder / "nowhere"
        self.assertIn("QUARRY_RELEASE_KEY", self.release("9.0.0").stderr)


if __name__ == "__main__":
    unittest.main()
