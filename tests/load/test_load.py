"""A small load in every build: good clients get their answers beside hundreds that misbehave."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from harness import TestCase  # noqa: E402
from load import problems, run  # noqa: E402

MOST_KIB = 200 * 1024


class Load(TestCase):
    def test_forty_clients_beside_three_hundred_that_misbehave(self):
        figures = run(self.home, good=40, idle=60, bad=300, seconds=3)
        self.assertEqual(problems(figures), [], figures)
        self.assertGreater(figures["bad_requests"], 1000, figures)
        self.assertGreaterEqual(figures["loaded"]["answers"], 40, figures)
        self.assertLess(figures["rss_kib"], MOST_KIB, figures)


if __name__ == "__main__":
    unittest.main()
