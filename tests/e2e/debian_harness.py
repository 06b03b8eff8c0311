"""Tests of the type `debian`, with a real archive behind a proxy."""

import pathlib
import shutil
import tempfile
import unittest

import debian_archive
from debian_archive import DebianArchive
from proxy import Proxy
from resource_harness import ResourceCase

WHEN = "When does the zebra graze?"


@unittest.skipIf(debian_archive.MISSING, debian_archive.MISSING)
class DebianCase(ResourceCase):
    """One archive behind a proxy for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="quarry-debian-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.archive = DebianArchive(cls.folder / "archive")
        cls.addClassCleanup(cls.archive.stop)
        cls.archive.add("quilted", "1:1.0-1")
        cls.archive.add("native", "2.5", component="contrib")
        cls.archive.add("classic", "0.9-3")
        cls.archive.add("single", "3")

    def setUp(self):
        super().setUp()
        self.proxy = Proxy(self.archive.url)
        self.addCleanup(self.proxy.stop)

    def debian_of(self, package, name="package", **members):
        return {"type": "debian", "name": name, "package": package, "mirror": self.proxy.url,
                "keyring": str(self.archive.key.ring), **members}

    def refused(self, *parts):
        """`quarry ask` fails with a message that has these parts, and leaves nothing behind."""
        said = self.refusal("--sync", WHEN)
        for part in parts:
            self.assertIn(part, said)
        self.assertRegex(said, r"\nhint: \S")
        self.nothing_left()
