"""Source packages of a real archive, compared with those of apt-get source; hostile archives."""

import json
import re
import shutil
import signal
import subprocess
import tarfile
import unittest
import urllib.request

from debian_archive import FETCH, OWN_KEYRING, DebianArchive, apt_source, entry, files_of, run, tar
from debian_harness import WHEN, DebianCase
from harness import TIMEOUT, patience

REAL = "http://deb.debian.org/debian"
# Of every format, with patches, several upstream archives, and names that are not ASCII.
REAL_PACKAGES = ("bash", "curl", "hello", "nano", "tzdata")


class Comparison(DebianCase):
    def fetch_files(self, resource, folder):
        """The files that the plugin gives for a resource, by its entry alone."""
        done = subprocess.run([FETCH, json.dumps(resource), folder / "files", folder / "cache"], capture_output=True,
                              text=True, timeout=patience(600), check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return files_of(folder / "files")

    def compare(self, url, suite, keyring, package, **members):
        theirs = files_of(apt_source(self.outside / "apt", url, suite, keyring, package, **members))
        ours = self.fetch_files({"package": package, "suite": suite, "mirror": url, "keyring": str(keyring)},
                                self.outside / package)
        different = [path for path in sorted({*theirs, *ours}) if theirs.get(path) != ours.get(path)]
        self.assertEqual(different, [])
        self.assertGreater(len(ours), 3)

    def test_every_format_gives_the_files_of_apt(self):
        for package in ("quilted", "native", "classic", "single", "quilted-tools"):
            with self.subTest(package):
                self.compare(self.archive.url, "stable", self.archive.key.ring, package)

    def test_the_real_archive_gives_the_files_of_apt(self):
        try:
            urllib.request.urlopen(f"{REAL}/dists/bookworm/InRelease", timeout=20).close()
        except OSError as failed:
            self.skipTest(f"{REAL} cannot be reached: {failed}")
        if not OWN_KEYRING.exists():
            self.skipTest("debian-archive-keyring is missing: scripts/install-packages test")
        for package in REAL_PACKAGES:
            with self.subTest(package):
                self.compare(REAL, "bookworm", OWN_KEYRING, package, components="main")

    def test_a_new_revision_is_followed_without_its_upstream_archive(self):
        archive = DebianArchive(self.outside / "moving")
        self.addCleanup(archive.stop)
        self.proxy.target = archive.url
        archive.add("quilted", "1.0-1")
        self.configure(self.debian_of("quilted", refresh="always", keyring=str(archive.key.ring)))
        self.assertIn("_1.0-1@", self.says(WHEN, "noon")["version"])
        archive.add("single", "1")
        self.assertIn("_1.0-1@", self.says(WHEN, "noon")["version"])  # the suite changed, the package did not
        shutil.copy(archive.pool("quilted_1.0.orig.tar.xz"), self.outside)
        self.proxy.requests.clear()
        work = archive.folder / "build/quilted-1.0-1"
        changelog = work / "quilted/debian/changelog"
        changelog.write_text(changelog.read_text().replace("1.0-1", "1.0-2"))
        run("dpkg-source", "-b", "quilted", cwd=work)
        run("reprepro", "-b", archive.root, "includedsc", "test", work / "quilted_1.0-2.dsc",
            env=archive.key.environment)
        self.assertIn("_1.0-2@", self.says(WHEN, "noon")["version"])
        self.assertEqual(self.proxy.asked(r"orig"), [])
        self.assertEqual(len(self.proxy.asked(r"debian\.tar")), 1)

    def test_by_hash_is_used_where_the_archive_has_it(self):
        with self.archive.restored():
            folder = self.archive.dists / "main/source"
            index = folder / "Sources.xz"
            digest = run("sha256sum", index).split()[0]
            hashed = folder / "by-hash/SHA256" / digest
            hashed.parent.mkdir(parents=True)
            self.addCleanup(shutil.rmtree, folder / "by-hash")
            index.rename(hashed)
            self.archive.sign(self.archive.release().replace("Suite:", "Acquire-By-Hash: yes\nSuite:"))
            self.configure(self.debian_of("quilted"))
            self.says(WHEN, "noon")
        self.assertEqual(len(self.proxy.asked("by-hash/SHA256/" + digest)), 1)

class Attacks(DebianCase):
    def attack(self, change, *parts, **members):
        """After `change`, a question about the package is refused."""
        self.home.run("clear")
        shutil.rmtree(self.cache, ignore_errors=True)
        with self.archive.restored():
            change()
            self.configure(self.debian_of("quilted", **members))
            self.refused(*parts)

    def test_signatures(self):
        archive = self.archive
        index, text = archive.dists / "InRelease", archive.release()
        good = index.read_text()
        for name, change, part in (
                ("changed", lambda: index.write_text(good.replace("Suite: stable", "Suite: stablf")), "is wrong"),
                ("another key", lambda: archive.sign(text, archive.other), "which is not in"),
                ("none", lambda: index.write_text(text), "missing or malformed"),
                ("text before", lambda: index.write_text("Suite: x\n" + good), "missing or malformed"),
                ("text after", lambda: index.write_text(good + "Suite: x\n"), "missing or malformed"),
                ("twice", lambda: index.write_text(good + good), "missing or malformed"),
                ("a login page", lambda: index.write_text("<html>"), "is a web page"),
                ("SHA-1", lambda: archive.sign(text, None, "--digest-algo", "SHA1"), "no longer secure")):
            with self.subTest(name):
                self.attack(change, part)

    def test_expired_future_and_foreign_indices(self):
        archive, text = self.archive, self.archive.release()
        for pattern, line, part in (
                ("Valid-Until: .*", "Valid-Until: Sat, 01 Nov 2025 00:00:00 UTC", "expired on 2025-11-01"),
                (r"Date: .*", "Date: Sat, 01 Jan 2095 00:00:00 UTC", "of the future"),
                ("Suite: .*", "Suite: oldstable", "index of another suite"),
                ("SHA256:", "SHA257:", "no index of sources with a SHA-256")):
            with self.subTest(line):
                self.attack(lambda: archive.sign(re.sub(f"(?m)^{pattern}", line, text)), part)

    def test_a_replayed_index_is_refused_and_the_last_snapshot_answers(self):
        self.configure(self.debian_of("quilted", refresh="always"))
        self.says(WHEN, "noon")
        old = re.sub(r"(?m)^Date: .*", "Date: Sat, 01 Aug 2020 00:00:00 UTC", self.archive.release())
        self.proxy.answer("InRelease", 200, self.archive.key.sign(old))
        self.says(WHEN, "noon")
        synced = self.home.run("sync")
        self.assertNotEqual(synced.returncode, 0)
        self.assertIn("older than that of", synced.stderr)

    def test_lying_sizes_and_digests(self):
        archive = self.archive
        index, part = archive.dists / "main/source/Sources.xz", archive.pool("quilted_1.0.orig.tar.xz")
        for name, path, change, said in (
                ("index longer", index, lambda old: old + b"x", "has more than"),
                ("index shorter", index, lambda old: old[:-1], "has only"),
                ("index other", index, lambda old: b"x" * len(old), "does not have the SHA-256"),
                ("part longer", part, lambda old: old + b"x", "has more than"),
                ("part shorter", part, lambda old: old[:50], "has only"),
                ("part other", part, lambda old: b"x" * len(old), "does not have the SHA-256")):
            with self.subTest(name):
                self.attack(lambda: path.write_bytes(change(path.read_bytes())), said)

    def test_a_signed_index_with_hostile_entries(self):
        for old, new, part in (
                ("quilted_1.0-1.dsc", "../quilted_1.0-1.dsc", "not permitted"),
                ("pool/main/q/quilted", "../../etc", "not permitted"),
                ("Version: 1:1.0-1", "Version: 1:1.0-2", "describes quilted 1:1.0-1, not")):
            with self.subTest(new):
                self.attack(lambda: self.archive.change_sources(lambda text: text.replace(old, new)), part)

    def test_hostile_descriptions(self):
        for old, new, part in (
                ("quilted_1.0.orig-extra.tar.gz", "../../x.orig-extra.tar.gz", "no plain file name"),
                ("quilted_1.0.orig-extra.tar.gz", "quilted_1.0.exe", "its format does not have"),
                ("Format: 3.0 (quilt)", "Format: 3.0 (git)", "is not supported"),
                ("Version: 1:1.0-1", "Version: 1:7-1", "describes quilted 1:7-1, not")):
            with self.subTest(new):
                self.attack(lambda: self.archive.change_description("quilted_1.0-1.dsc",
                                                                    lambda text: text.replace(old, new)), part)

    def attack_part(self, part, content, *said):
        self.attack(lambda: self.archive.replace_part("quilted_1.0-1.dsc", part, content), *said)
        for folder in (self.home.path, self.outside):
            self.assertEqual(list(folder.rglob("*pwned*")), [])

    def test_hostile_archives(self):
        part = "quilted_1.0.orig.tar.xz"
        for name, content, said in (
                ("..", tar([entry("up/../../pwned", b"x")]), "leads out of it"),
                ("through a link", tar([entry("up/l", kind=tarfile.SYMTYPE, target=str(self.outside)),
                                        entry("up/l/pwned", b"x")]), "as a file and as a folder"),
                ("hard link", tar([entry("up/h", kind=tarfile.LNKTYPE, target="/etc/passwd")]), "is not in it"),
                ("damaged", self.archive.pool(part).read_bytes()[:300], "cannot be unpacked"),
                ("no archive", b"nothing" * 100, "cannot be unpacked")):
            with self.subTest(name):
                self.attack_part(part, content, said)

    def test_hostile_patches(self):
        def patched(patch, series=b"x.patch\n"):
            return tar([entry("debian/control", b"x\n"), entry("debian/patches/series", series),
                        entry("debian/patches/x.patch", patch)])
        new = b"@@ -0,0 +1 @@\n+x\n"
        for content, said in (
                (patched(b"--- a/../../pwned\n+++ b/../../pwned\n" + new), "outside of the package"),
                (patched(b"--- a/link.c\n+++ b/link.c\n" + new), "is a symbolic link"),
                (patched(b"--- a/link.c/pwned\n+++ b/link.c/pwned\n" + new), "is no directory"),
                (patched(b"--- a/zebra.c\n+++ b/zebra.c\n@@ -1 +1 @@\n-other\n+x\n"), "does not apply to zebra.c"),
                (patched(b"", b"../../../../../etc/passwd\n"), "leads out of the package")):
            with self.subTest(said):
                self.attack_part("quilted_1.0-1.debian.tar.xz", content, said)

    def test_a_transfer_that_breaks_off(self):
        self.configure(self.debian_of("quilted"))
        self.proxy.cut(r"orig\.tar\.xz", after=100)
        self.refused("orig.tar.xz")
        self.proxy.as_is()
        self.says(WHEN, "noon")

    def test_a_stalled_transfer_is_given_up(self):
        self.configure(self.debian_of("quilted"))
        self.proxy.hold(r"orig\.tar\.xz", after=100)
        self.refused("slower than 1 kB/s")

    def test_a_stalled_transfer_is_cancelled_at_once(self):
        self.configure(self.debian_of("quilted"))
        hold = self.proxy.hold(r"orig\.tar\.xz", after=100)
        asked = self.home.start("ask", WHEN)
        self.assertTrue(hold.reached.wait(TIMEOUT))
        asked.send_signal(signal.SIGINT)
        asked.communicate(timeout=25)  # a stalled transfer is given up after 30 s
        self.assertEqual(asked.returncode, 130)
        self.nothing_left()


if __name__ == "__main__":
    unittest.main()
