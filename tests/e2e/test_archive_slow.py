"""An archive of a million files."""

import unittest

from archive_harness import ArchiveCase
from archive_server import million_empty_files
from harness import patience


class Large(ArchiveCase):
    def test_a_million_empty_files(self):
        self.put("million.tgz", million_empty_files())
        self.configure(self.archive_of("million.tgz"))
        result = self.home.run("sync", timeout=patience(300))
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
