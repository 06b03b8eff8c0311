"""CONTRIBUTING.md's first tasks: what their tables list is what they take, and it works."""

import os
import subprocess
import sys
import unittest

import recipe
import scratch

SOURCE = recipe.FOLDER.parent.parent
BUILD = os.environ["QUARRY_BUILD_DIR"]


class Tables(unittest.TestCase):
    maxDiff = None

    def test_list_the_files_that_the_tasks_change(self):
        text = (SOURCE / "CONTRIBUTING.md").read_text()
        for task in recipe.recipes():
            with self.subTest(task.task):
                table, tests = recipe.listed(text, task.task)
                self.assertGreater(len(table), 3)
                self.assertEqual(sorted(task.paths() - (tests - table)), sorted(table))

    def test_mark_the_files_that_are_new(self):
        text = (SOURCE / "CONTRIBUTING.md").read_text()
        for task in recipe.recipes():
            for path in task.new:
                self.assertIn(f"`<{path}>`", recipe.section(text, task.task)[0])


class Changes(unittest.TestCase):
    def test_are_refused_where_their_place_is_missing_or_not_the_only_one(self):
        for anchor in ({"after": "c"}, {"before": "a"}, {"replace": "z"}, {"replace": "a"}):
            with self.assertRaises(recipe.Misfit):
                recipe.changed("a\n  ab\nb\n", {"file": "f", "text": "x", **anchor})

    def test_are_made_at_their_place(self):
        for anchor, text in (({"after": "ab"}, "a\n  ab\nx\nb\n"),
                             ({"before": "ab"}, "a\nx\n  ab\nb\n"),
                             ({"replace": "\nb"}, "a\n  abx\n"),
                             ({"replace": "a", "times": 2}, "x\n  xb\nb\n")):
            self.assertEqual(recipe.changed("a\n  ab\nb\n", {"file": "f", "text": "x", **anchor}),
                             text)

    def test_work_in_a_copy_of_the_tree(self):
        self.assertEqual(scratch.why_no_namespace(), "", "the copy needs a mount namespace")
        result = subprocess.run([sys.executable, scratch.__file__, SOURCE, BUILD, "env", "-C",
                                 recipe.FOLDER, sys.executable, "-m", "unittest", "-v", "applied"])
        self.assertEqual(result.returncode, 0, "see the tests above")


if __name__ == "__main__":
    unittest.main()
