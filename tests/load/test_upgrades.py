"""A small run of upgrades.py."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from harness import Home  # noqa: E402
from upgrades import measure  # noqa: E402


class Upgrades(unittest.TestCase):
    def test_nothing_is_refused_cut_lost_or_doubled_in_four_upgrades_and_twenty_reloads(self):
        home = Home()
        try:
            figures = measure(home, streams=40, requests=50, upgrades=4, reloads=5, pause=3, parts=8)
        finally:
            home.remove()
        self.assertEqual(figures["faults"], {}, figures)
        self.assertEqual(figures["reloads"], 20)
        self.assertGreater(figures["streams"], 40, figures)
        self.assertGreater(figures["continued"], 40, figures)
        self.assertGreater(figures["requests"], 100, figures)


if __name__ == "__main__":
    unittest.main()
