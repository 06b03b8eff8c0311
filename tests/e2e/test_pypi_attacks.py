"""Attacks by a hostile package or index."""

import gzip
import hashlib
import tarfile
import unittest

import pypi_server
from harness import TIMEOUT
from proxy import Proxy
from pypi_server import metadata, tar, zipped
from test_pypi import PypiCase

WHEN = "When does the zebra graze?"
GOOD = ("evil-1.0/evil.py", b'"""The zebra grazes at noon."""\n')
INFO = ("evil-1.0/PKG-INFO", metadata("evil", "1.0").encode())


def promised(megabytes):
    """An archive whose only entry promises more bytes than it has."""
    info = tarfile.TarInfo("evil-1.0/zeros")
    info.size = megabytes << 20
    return gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(4096))


def many(entries):
    return gzip.compress(tarfile.TarInfo("evil-1.0/x").tobuf() * entries, 1)


class Archives(PypiCase):
    count = 0

    def ask_about(self, data, suffix="tar.gz"):
        Archives.count += 1
        project = f"evil{self.count}"
        self.index.publish(project, f"{project}-1.0.{suffix}", data)
        self.configure(self.pypi_of(project))
        return self.home.run("ask", f"{WHEN} root daemon nologin pwned")

    def refused(self, data, word, suffix="tar.gz"):
        result = self.ask_about(data, suffix)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        self.assertIn(word, result.stderr)
        self.assertIn("hint: Choose another version or format.", result.stderr)
        for folder in (self.home.path, self.outside):
            self.assertEqual(list(folder.rglob("*pwned*")), [])
        self.nothing_left()

    def test_paths_that_leave_the_archive(self):
        for path in ("evil-1.0/../../pwned", f"{self.outside}/pwned", "..", "evil-1.0/.."):
            with self.subTest(path):
                self.refused(tar([INFO, GOOD, (path, b"pwned")]), "leads out of it")
        self.refused(zipped({"../pwned": b"pwned", GOOD[0]: GOOD[1]}), "leads out of it", "zip")

    def test_entries_that_are_no_files(self):
        for kind in (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE):
            self.refused(tar([INFO, GOOD, ("evil-1.0/pwned", "", kind)]), "device or pipe")
        self.refused(tar([GOOD, ("evil-1.0/pwned", "/etc/passwd", tarfile.LNKTYPE)]), "hard link")
        self.refused(tar([GOOD, ("evil-1.0/evil.py/pwned", b"pwned")]), "as a folder")

    def test_symbolic_links_are_not_followed(self):
        result = self.ask_about(tar([INFO, GOOD, ("evil-1.0/passwd", "/etc/passwd", tarfile.SYMTYPE),
                                     ("evil-1.0/same.py", GOOD[0], tarfile.LNKTYPE)]))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("grazes at noon", result.stdout)
        self.assertNotIn("root:", result.stdout)

    def test_bombs_are_refused_before_they_fill_the_disk(self):
        self.refused(promised(20_000), "unpacks to more than 8589934592 bytes")
        self.refused(many(200_001), "unpacks to more than 200000 entries")

    def test_damaged_archives(self):
        good = tar([INFO, GOOD])
        self.refused(good[:len(good) // 2], "cannot be unpacked")
        self.refused(b"<html>no archive</html>", "cannot be unpacked")
        self.refused(tar([]), "has no files")
        lying = bytearray(zipped({GOOD[0]: GOOD[1] * 100}))
        for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
            start = lying.index(mark) + at
            lying[start:start + 4] = (10).to_bytes(4, "little")
        self.refused(bytes(lying), "cannot be unpacked", "zip")


class Indexes(PypiCase):
    def setUp(self):
        super().setUp()
        if "evil" not in self.index.projects:
            self.index.sdist("evil", "1.0")

    def refused(self, *words, hint=True, **members):
        self.configure(self.pypi_of("evil", **members))
        said = self.refusal(WHEN)
        for word in words:
            self.assertIn(word, said)
        if hint:
            self.assertIn("hint: ", said)
        self.nothing_left()

    def page(self, text, kind="text/html"):
        self.proxy.as_is()
        self.proxy.answer("GET /simple/evil/", 200, text if isinstance(text, bytes) else text.encode(), Content_Type=kind)

    def test_another_file_than_promised_is_refused(self):
        self.proxy.rewrite(r"GET /files/evil", lambda body: body + b"more")
        self.refused("has another hash", hashlib.sha256((self.index.folder / "files/evil-1.0.tar.gz").read_bytes()).hexdigest())

    def test_pages_that_are_no_index(self):
        json_type = "application/vnd.pypi.simple.v1+json"
        for text, kind, word in ((b"\x89PNG", "image/png", "neither HTML nor JSON"), ("{", json_type, "not valid JSON"),
                                 ("[" * 1_000_000, json_type, "not valid JSON"), ("{}", json_type, "no list of files"),
                                 ('{"meta":{"api-version":"2.0"},"files":[]}', json_type, "version 2.0"),
                                 ("<html></html>", "text/html", "offers no file"),
                                 ("<a href='file:///etc/evil-1.0.tar.gz'>", "text/html", "offers no file"),
                                 (b"<a>" * (11 << 20), "text/html", "more than 33554432 bytes")):
            with self.subTest(word):
                self.page(text, kind)
                self.refused(word)

    def test_another_host_needs_the_field(self):
        other = Proxy(self.index.url)
        self.addCleanup(other.stop)
        elsewhere = f"http://127.0.0.2:{other.port}"
        self.page(f"<a href='{elsewhere}/files/evil-1.0.tar.gz'>")
        self.refused("refers to another host", f"Set the field files to {elsewhere}/")
        self.proxy.as_is()
        self.proxy.redirect("GET /simple/evil/", f"{elsewhere}/simple/evil/")
        self.refused("refers to another host")
        self.proxy.as_is()
        self.proxy.redirect("GET /files/", f"{elsewhere}/files/evil-1.0.tar.gz")
        self.refused("refers to another host")
        self.assertEqual(other.requests, [])

    def test_redirects_end(self):
        self.proxy.redirect("GET /simple/evil/", "/simple/evil/")
        self.refused("more than 5 times")

    def test_a_response_that_breaks_off(self):
        self.proxy.cut("GET /files/", after=20)
        self.refused("broke")

    def test_the_last_snapshot_answers_while_the_index_is_down(self):
        self.configure(self.pypi_of("evil", refresh="always"))
        self.says(WHEN, "1.0")
        self.proxy.answer("GET", 503)
        self.says(WHEN, "1.0")

    def test_a_cancelled_question_ends_at_once(self):
        hold = self.proxy.hold("GET /files/", after=20)
        self.configure(self.pypi_of("evil"))
        child = self.home.start("ask", WHEN)
        self.assertTrue(hold.reached.wait(TIMEOUT))
        child.terminate()
        child.communicate(timeout=TIMEOUT)
        self.assertTrue(hold.gone.wait(TIMEOUT))
        hold.release()
        self.nothing_left()

    def test_answers_about_access(self):
        for status, word in ((401, "Set the field token"), (403, "Set the field token"), (404, "has no project evil"),
                             (500, "answered 500")):
            with self.subTest(status):
                self.proxy.as_is()
                self.proxy.answer("GET", status)
                self.refused(word)


if __name__ == "__main__":
    unittest.main()
