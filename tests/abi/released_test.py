"""released.py and freeze.py: a release that was closed is not edited."""

import pathlib
import tempfile
import unittest

import freeze
import released

SDK = pathlib.Path(__file__).parents[2] / "sdk"
OPEN = "# Changes\n\n## [Unreleased]\n\n- A thing.\n"
CLOSED = OPEN + "\n## [1.0] - 2026-11-29\n\n- The first version.\n"


class Released(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.releases = pathlib.Path(folder.name)
        self.release = self.releases / "v1.0"
        (self.release / "include/quarry").mkdir(parents=True)
        self.header = self.release / "include/quarry/abi.h"
        self.header.write_text("#define QUARRY_ABI_MAJOR 1u\n")

    def close(self):
        (self.release / released.SUMS).write_text(released.sums(self.release))

    def problems(self, changelog=CLOSED):
        return list(released.problems(changelog, self.releases))

    def test_what_is_not_released_may_change(self):
        self.assertEqual(self.problems(OPEN), [])

    def test_a_release_has_digests(self):
        self.assertIn("is missing", self.problems()[0])
        self.close()
        self.assertEqual(self.problems(), [])

    def test_a_changed_an_added_and_a_removed_file_are_named(self):
        self.close()
        more = self.release / "host/more.cpp"
        more.parent.mkdir()
        more.write_text("")
        self.header.write_text("#define QUARRY_ABI_MAJOR 2u\n")
        self.assertEqual([problem.split()[1] for problem in self.problems()],
                         ["host/more.cpp", "include/quarry/abi.h"])
        more.unlink()
        self.header.unlink()
        self.assertEqual(len(self.problems()), 1)

    def test_it_is_not_frozen_again(self):
        with self.assertRaisesRegex(SystemExit, "released"):
            freeze.freeze(SDK, self.releases, True, CLOSED)
        self.assertEqual(self.header.read_text(), "#define QUARRY_ABI_MAJOR 1u\n")
        freeze.freeze(SDK, self.releases, True, OPEN)
        self.assertGreater(len(self.header.read_text()), 1000)


if __name__ == "__main__":
    unittest.main()
