"""The archive, unpacked where none of the libraries is installed that it brings along."""

import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

from chroot import USER, Chroot, keep_base
from prepare import BASE, OUT, SOURCE, archive, digests, documented, package

OF_THE_SYSTEM = re.compile(r"(/usr)?/lib(64)?/(x86_64-linux-gnu/)?"
                           r"(ld-linux-x86-64|libc|libm|libresolv|libstdc\+\+|libgcc_s)\.so\.\d")
DATES = "# Dates\n\nDates are parsed by parse_date.\n"
NEXT = OUT / "trixie-chroot"  # a minimal Debian 13
STORE = '[store]\nprovider = "postgresql"\nurl = "postgresql:///a"\n'


class Archive(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Chroot(BASE)
        cls.addClassCleanup(cls.root.remove)
        shutil.copy(archive(), cls.root.path / "opt")
        cls.unpack, cls.ask = documented("tar --zstd")
        subprocess.run(cls.unpack, shell=True, cwd=cls.root.path / "opt", check=True)
        cls.folder = pathlib.Path("/opt") / archive().name.removesuffix(".tar.zst")
        shutil.copytree(SOURCE / "packaging/debian/tests", cls.root.path / "tests")

    def test_the_main_job(self):
        path = f"PATH={self.folder}/bin:/usr/bin"
        self.assertIn("parse_date", self.root.must("env", path, "/tests/main-job", user=USER))

    def test_it_answers_as_documented(self):
        (self.root.path / "opt/docs").mkdir()
        (self.root.path / "opt/docs/dates.md").write_text(DATES)
        answer = self.root.must("sh", "-c", f"cd /opt && {self.ask}", user=USER)
        self.assertRegex(answer, r"\[docs:dates\.md#L\d")

    def test_it_answers_in_the_next_debian(self):
        keep_base(NEXT, suite="trixie")
        root = Chroot(NEXT)
        self.addCleanup(root.remove)
        shutil.copy(archive(), root.path / "opt")
        shutil.copytree(SOURCE / "packaging/debian/tests", root.path / "tests")
        begun = time.monotonic()
        subprocess.run(self.unpack, shell=True, cwd=root.path / "opt", check=True)
        self.assertIn("parse_date", root.must("env", f"PATH={self.folder}/bin:/usr/bin", "/tests/main-job", user=USER))
        print(f"from unpacking to a cited answer: {time.monotonic() - begun:.1f} s")

    def test_the_program_is_found_through_a_link(self):
        (self.root.path / "usr/local/bin/quarry").symlink_to(self.folder / "bin/quarry")
        self.assertIn("resource-git", self.root.must("quarry", "plugins", "list", user=USER))

    def test_every_library_comes_with_it(self):
        """Of the plugins too, of the HTTP client, which a fetch needs, and of the other store."""
        (self.root.path / "store.toml").write_text(STORE)
        loaded = set()
        for words in (["plugins", "list"], ["ask", "-r", "https://127.0.0.1:9/a.tar.gz", "What?"],
                      ["projects", "list", "-c", "/store.toml"]):
            result = self.root.run("env", "LD_DEBUG=libs", self.folder / "bin/quarry", *words,
                                   user=USER)
            loaded |= set(map(os.path.normpath, re.findall(r"calling init: (\S+)", result.stderr)))
        ours = (f"{self.folder}/", "/proc/1/fd/")  # plugins are loaded from copies in memory
        others = [path for path in loaded if not path.startswith(ours)]
        self.assertEqual([path for path in others if not OF_THE_SYSTEM.match(path)], [])
        self.assertIn(f"{self.folder}/lib/libcurl.so.4", loaded)
        self.assertIn(f"{self.folder}/lib/libpq.so.5", loaded)

    def test_each_library_has_its_licence(self):
        documents = self.root.path / "opt" / self.folder.name / "share/doc/quarry"
        self.assertIn("The Quarry authors", (documents / "LICENSE").read_text())
        licences = {file.name for file in (documents / "licences").iterdir()}
        self.assertLessEqual({"libcurl4", "libpq5", "preact"}, licences)

    def test_made_again_it_is_identical(self):
        first = digests([archive()])
        self.assertEqual(digests(package("archive")), first)


if __name__ == "__main__":
    unittest.main()
