"""Tests of the page at /ui/ in a real browser: a server, a browser for all tests of a class, and its tabs."""

import os
import pathlib
import unittest

from browser import MISSING, Browser
from cloud_harness import PLAYED
from harness import TestCase
from test_types import PLUGINS

GUIDE = "# Guide\n\n## Dates\n\nDates are parsed by `parse_date`, in any order.\n\n## Times\n\nTimes are texts.\n"
# The folder of test_page_pictures.py, which writes the pictures of the documentation.
SCREENSHOTS = os.environ.get("QUARRY_PAGE_SCREENSHOTS")


@unittest.skipIf(MISSING, MISSING)
class PageCase(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.stop)

    def setUp(self):
        super().setUp()
        self.home.write("docs/guide.md", GUIDE)
        self.home.write("docs/parse.py", "def parse_date(text):\n    return text.split('-')\n")
        self.pages = []

    def start(self, more="", model=None, settings=""):
        """`settings` are lines before the tables, `more` those after them."""
        text = f'[[resource]]\ntype = "local"\nname = "docs"\npath = "{self.home.project}/docs"\n' + more
        if model:
            self.addCleanup(model.stop)
            self.home.environment["FIXTURE_KEY"] = "fixture"
            text = PLUGINS + PLAYED.format(url=model.url) + settings + text
        else:
            text = '[model]\nprovider = "extractive"\n' + text
        self.home.write("quarry.toml", text)
        self.server = self.serve()
        return self.server

    def open(self, path="/ui/", **given):
        page = self.browser.open(self.server.url + path, **given)
        self.pages.append(page)
        return page

    def ask(self, page, question):
        page.fill("#question", question)
        page.see("form.box button[type=submit]:enabled")  # the box is drawn again with the text, which Enter sends
        page.press("Enter")

    def check_quiet(self, *expected):
        """Nothing ran, nothing was refused and nothing was asked of anyone else."""
        for page in self.pages:
            noted = page.noted()
            errors = [error for error in noted["errors"] if not any(one in error for one in expected)]
            self.assertEqual((errors, noted["dialogs"], noted["violations"]), ([], [], []))
            elsewhere = [url for url in noted["requests"]
                         if not url.startswith((self.server.url + "/", "data:", "blob:" + self.server.url))]
            self.assertEqual(elsewhere, [])

    def screenshot(self, page, name):
        if SCREENSHOTS:
            page.call("screenshot", {"path": str(pathlib.Path(SCREENSHOTS) / name)})
