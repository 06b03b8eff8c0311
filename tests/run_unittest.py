#!/usr/bin/env python3
"""Runs modules of unit tests like `python3 -m unittest -v`; with QUARRY_TEST_SEED, in that random order."""

import os
import random
import sys
import unittest


class Loader(unittest.TestLoader):
    def getTestCaseNames(self, test_case):  # noqa: N802, the name is unittest's
        names = super().getTestCaseNames(test_case)
        if seed := os.environ.get("QUARRY_TEST_SEED"):
            random.Random(seed).shuffle(names)
        return names


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    unittest.main(module=None, argv=[sys.argv[0], "-v", *sys.argv[1:]], testLoader=Loader())
