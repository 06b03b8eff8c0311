"""The page at /ui/ in a real browser: a question, its answer, and a citation that is opened. All else of the
page is in test_page_slow.py."""

import unittest

from page_harness import PageCase
from played_model import PlayedModel


class Asking(PageCase):
    def test_a_browser_is_led_to_the_page_and_asks(self):
        self.start()
        page = self.open("/")
        self.assertEqual(page.call("url"), self.server.url + "/ui/")
        self.ask(page, "How are dates parsed?")
        page.see(".turn .sources .cite.good")
        self.assertIn("parse_date", page.text(".markdown"))
        self.assertEqual(page.text("h2.question"), "How are dates parsed?")
        self.assertIn("search", page.text(".trace summary") + page.call("textContent", ".trace ol"))
        self.check_quiet()

    def test_a_citation_opens_its_lines_also_after_the_file_has_changed(self):
        model = PlayedModel(lambda number: ["By `parse_date` [docs:guide.md#L5]."])
        self.start(model=model)
        page = self.open()
        self.ask(page, "How are dates parsed?")
        page.see(".markdown .cite.good")
        self.home.write("docs/guide.md", "other text\n")
        page.click(".markdown .cite.good")
        page.see(".source .cited")
        self.assertIn("parse_date", page.call("textContent", ".source .cited"))
        self.assertEqual(page.call("getAttribute", ".source .cited .number", "data-number"), "5")
        self.assertIn("verified", page.text(".source .facts"))
        self.assertIn("# Guide", page.call("textContent", ".source .lines"))
        page.press("Escape")
        page.wait("!document.querySelector('.source')")
        self.check_quiet()


if __name__ == "__main__":
    unittest.main()
