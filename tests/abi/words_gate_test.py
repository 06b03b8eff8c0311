"""The gate of the comments sees changed words, and permits those that the change log explains."""

import pathlib
import tempfile
import unittest

import words_gate

HEADER = """/* Text of a call.
 * Valid until it returns. */
int call(void); /* never NULL */
"""
LOG = "# Changelog\n\n## [Unreleased]\n\n- {}\n\n## [0.9.0]\n\n- Clarified `call.h`.\n"


class Words(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def problems(self, header, item="Something else."):
        for name, text in (("old", HEADER), ("new", header)):
            (self.folder / name / "quarry").mkdir(parents=True, exist_ok=True)
            (self.folder / name / "quarry/call.h").write_text(text)
        return list(words_gate.problems(self.folder / "old", self.folder / "new", LOG.format(item), (1, 0)))

    def test_other_lines_and_more_comments_are_permitted(self):
        self.assertEqual(self.problems(HEADER.replace("call.\n * Valid", "call. Valid") + "/* more */\n"), [])

    def test_other_words_are_found(self):
        problem, = self.problems(HEADER.replace("until it returns", "for ever"))
        self.assertIn('call.h: the comment "Text of a call. Valid until it returns."', problem)

    def test_a_removed_comment_is_found(self):
        problem, = self.problems(HEADER.replace(" /* never NULL */", ""))
        self.assertIn('"never NULL"', problem)

    def test_an_item_that_clarifies_the_header_permits_them(self):
        changed = HEADER.replace("until it returns", "while it runs")
        self.assertEqual(self.problems(changed, "Clarified in `call.h` how long the text is valid."), [])
        self.assertTrue(self.problems(changed, "Clarified in `recall.h` how long the text is valid."))
        self.assertTrue(self.problems(changed, "`call.h` has a new function."))


if __name__ == "__main__":
    unittest.main()
