"""The OCI image: its size and settings, and its use by podman."""

import json
import pathlib
import shlex
import shutil
import subprocess
import tarfile
import tempfile
import time
import unittest

from prepare import SOURCE, digests, documented, package
from git_server import GitServer  # in tests/e2e


MOST_BYTES = 40_000_000
# Limits below those of any machine; runc also works with control groups of version 1.
RUN = ["--rm", "--network", "host", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"]
RUNTIME_ERRORS = (125, 126)  # of podman itself


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="quarry-image-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.image = package("image")[0]
        with tarfile.open(cls.image) as archive:
            def blob(name):
                return json.load(archive.extractfile(name))
            def described(descriptor):
                return blob("blobs/" + descriptor["digest"].replace(":", "/"))
            manifest = described(blob("index.json")["manifests"][0])
            cls.configuration = described(manifest["config"])
            cls.layers = manifest["layers"]

    def podman(self, *words):
        return subprocess.run(["podman", "--root", self.folder / "storage",
                               "--runroot", self.folder / "run", "--storage-driver", "vfs",
                               "--runtime", "runc", *words],
                              cwd=self.folder, capture_output=True, text=True, timeout=300)

    def run_image(self, words):
        """Standard output of "podman run", whose words are given."""
        result = self.podman("run", *RUN, *words)
        if result.returncode in RUNTIME_ERRORS:
            self.skipTest(f"podman cannot run a container on this machine: {result.stderr}")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_it_is_small(self):
        self.assertLess(sum(layer["size"] for layer in self.layers), MOST_BYTES)

    def test_it_runs_the_program_without_root(self):
        settings = self.configuration["config"]
        self.assertEqual(settings["Entrypoint"], ["/usr/bin/quarry"])
        self.assertNotIn(settings["User"].split(":")[0], ("", "0", "root"))

    def test_podman_answers_as_documented_and_reads_a_repository(self):
        load, run = (shlex.split(command)[1:] for command in documented("podman"))
        self.assertTrue(self.image.match(load[-1]), load)
        (self.folder / "docs").mkdir()
        (self.folder / "docs/dates.md").write_text("# Dates\n\nDates are parsed by parse_date.\n")
        (self.folder / "docs/quarry.toml").write_text('[network]\nprivate_hosts = ["127.0.0.1"]\n')
        self.folder.chmod(0o755)
        begun = time.monotonic()
        self.assertEqual(self.podman(*load[:-1], self.image).returncode, 0)
        self.assertRegex(self.run_image(run[1:]), r"\[docs:dates\.md#L\d")
        print(f"from loading the image to a cited answer: {time.monotonic() - begun:.1f} s")

        server = GitServer(self.folder / "git")
        self.addCleanup(server.stop)
        code = server.repository("code")
        code.commit({"README.md": "# Tools\n\nThe walrus sleeps at noon.\n"})
        ask = run[1:run.index("ask") + 1]
        self.assertIn("noon", self.run_image([*ask, "-c", "/docs/quarry.toml", "-r", code.url,
                                              "When does the walrus sleep?"]))

    def test_made_again_it_is_identical(self):
        first = digests([self.image])
        self.assertEqual(digests(package("image")), first)


if __name__ == "__main__":
    unittest.main()
