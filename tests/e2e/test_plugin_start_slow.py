"""The whole table of start_harness.py: every function in which a plugin can misbehave before and while its
resource is asked about, every way, in a process of its own and in the host."""

import concurrent.futures
import unittest

from start_harness import FAULTS, Cell, Table


class Whole(Table):
    def rows(self, function):
        """The cells side by side, since most of the time is a hang."""
        cells = [(function, fault, isolated) for fault in FAULTS for isolated in (True, False)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            outcomes = list(pool.map(self.outcome, cells))
        for cell, outcome in zip(cells, outcomes):
            with self.subTest(cell):
                self.assertIsNone(outcome, outcome)

    def outcome(self, cell):
        try:
            Cell(self, *cell).check()
        except AssertionError as failure:
            return str(failure)
        return None

    def test_open(self):
        self.rows("open")

    def test_create(self):
        self.rows("create")

    def test_describe(self):
        self.rows("describe")

    def test_normalise(self):
        self.rows("normalise")

    def test_resolve(self):
        self.rows("resolve")

    def test_fetch(self):
        self.rows("fetch")


if __name__ == "__main__":
    unittest.main()
