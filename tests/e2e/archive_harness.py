"""Archives of a real web server behind a proxy."""

import pathlib
import shutil
import tempfile
import unittest

import archive_server
from archive_server import Nginx, member, tar_of
from git_server import make_certificate
from harness import KEY
from proxy import Proxy
from resource_harness import ResourceCase

WHEN = "When does the zebra graze?"
ZEBRA = b"# Zebra\n\nThe zebra grazes at noon.\n"
GOOD = member("kit-1.0/README.md", ZEBRA)


@unittest.skipIf(archive_server.MISSING, archive_server.MISSING)
class ArchiveCase(ResourceCase):
    """With one nginx behind a proxy for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="quarry-archives-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.folder.chmod(0o755)  # nginx reads its files as another user when it is started by root
        cls.certificate = make_certificate(cls.folder)
        cls.nginx = Nginx(cls.folder / "nginx", cls.certificate, KEY)
        cls.addClassCleanup(cls.nginx.stop)

    def setUp(self):
        super().setUp()
        self.proxy = Proxy(self.nginx.url)
        self.addCleanup(self.proxy.stop)

    def archive_of(self, file, **members):
        return {"type": "archive", "name": "kit", "url": f"{self.proxy.url}/{file}", **members}

    def put(self, file, content=None):
        return self.nginx.put(file, tar_of(GOOD) if content is None else content)

    def refused(self, file, content, *words, **members):
        """Asks about an archive, which must be refused in these words."""
        self.put(file, content)
        self.configure(self.archive_of(file, **members))
        said = self.refusal(WHEN)
        for word in words:
            self.assertIn(word, said)
        self.nothing_left()
        return said
