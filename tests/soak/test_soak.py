"""The soak for two minutes."""

import unittest

from soak import problems, run


class Soak(unittest.TestCase):
    def test_what_the_server_holds_levels_off(self):
        figures = run(120)
        self.assertEqual(problems(figures), [], figures)
        self.assertGreater(figures["actions"]["ask"], 10, figures)


if __name__ == "__main__":
    unittest.main()
