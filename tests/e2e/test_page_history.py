"""Stored conversations on the page at /ui/: asked on any surface and however it ended, each shows later what it showed."""

import contextlib
import json
import shutil
import sqlite3
import unittest

from cloud_harness import PLAYED
from harness import ask_by_mcp, wait_until
from page_harness import GUIDE, PageCase
from played_model import PlayedModel
from proxy import Proxy
from test_types import PLUGINS

ANSWER = "Dates are parsed by `parse_date` [docs:guide.md#L5], the walrus sleeps [sea:walrus.md#L1], and so on [docs:gone.md#L3]."
ENDS = {"Stopped?": ["Half of it [docs:guide.md#L5].", PlayedModel.HANG],
        "Cut?": ["Cut off [docs:guide.md#L5].", {"call": 0, "name": "list", "arguments": "{}"}, {"end": "tools"}],
        "Failed?": ["Part", {"error": "the model is overloaded"}]}
# What the conversation shows, but for the time, which is that of the browser while the answer comes.
SHOWN = """JSON.stringify([...document.querySelectorAll('.turn')].map((turn) =>
    ['h2.question', '.meta', '.trace summary', '.markdown', '.failure', '.sources', '.facts span']
        .map((part) => [...turn.querySelectorAll(part)].map((one) => one.textContent))))"""
LINES = "JSON.stringify([...document.querySelectorAll('.source .facts, .source .said, .source tr')].map((one) => [one.className, one.textContent]))"
TOP = "document.querySelectorAll('.turn')[{}].getBoundingClientRect().top"


class StoredConversations(PageCase):
    def begin(self):
        self.home.write("sea/walrus.md", "The walrus sleeps at noon.\n")
        self.home.environment["FIXTURE_KEY"] = "fixture"
        self.model = PlayedModel(self.answer)
        self.addCleanup(self.model.stop)
        self.serve_with(("docs", "sea"))

    def serve_with(self, folders, settings=""):
        resources = "".join(f'[[resource]]\ntype = "local"\nname = "{name}"\npath = "{self.home.project}/{name}"\n' for name in folders)
        self.home.write("quarry.toml", PLUGINS + PLAYED.format(url=self.model.url) + "model.max_steps = 1\n" + settings +
                        '[pricing.static."fixture/m1"]\ninput = "1"\noutput = "2"\n' + resources)
        self.server = self.serve()

    def answer(self, number):
        asked = self.model.requests[number - 1]
        return next((parts for words, parts in ENDS.items() if words in asked), [ANSWER])

    def ask_anew(self, page, question):
        page.go(self.server.url + "/ui/#/ask")
        page.see(".first")
        self.ask(page, question)
        if question == "Stopped?":
            page.see(".markdown:has-text('Half')")
            page.click("[aria-label=Stop]")
        page.see(".turn .acts")
        return page.call("url").split("#")[1]

    def shown(self, page, address):
        """(what stands there, the pane of each of its citations)"""
        page.go("about:blank")
        page.go(f"{self.server.url}/ui/#{address}")
        page.see(".turn .acts")
        text = page.value(SHOWN)
        panes = []
        for number in range(page.count(".markdown .cite")):
            page.click(f":nth-match(.markdown .cite, {number + 1})")
            page.see(".source .facts")
            if "nearest" not in page.text(".source"):
                page.wait("!document.querySelector('.source [role=status]')")
            panes.append(page.value(LINES))
            page.press("Escape")
            page.wait("!document.querySelector('.source')")
        return json.loads(text), panes

    def test_each_shows_after_a_restart_what_it_showed(self):
        self.begin()
        page = self.open()
        live = {}
        addresses = {}
        for question in ("By the page?", *ENDS):
            addresses[question] = self.ask_anew(page, question)
            live[question] = json.loads(page.value(SHOWN))
        self.model.release()
        self.home.run("ask", "--thread", "line", "By the command line?")
        ask_by_mcp(self.home, "By MCP?")
        self.server.ask("By REST?")
        for thread in self.server.json("GET", "/threads")[1]["threads"]:
            addresses.setdefault(thread["title"], f"/c/{thread['id']}")
        self.assertEqual(len(addresses), 7)
        before = {question: self.shown(page, address) for question, address in addresses.items()}
        for question in ("By the page?", "Stopped?", "Cut?"):
            self.assertEqual(before[question][0], live[question], question)
        self.assertEqual(before["Failed?"][0][0][:5], live["Failed?"][0][:5])
        self.check_quiet("404")  # events that are kept of nothing

        self.server.stop()
        self.home.write("docs/guide.md", "Something else now.\n" * 9)
        shutil.rmtree(self.home.project / "sea")
        self.serve_with(["docs"])
        self.home.run("clear")
        self.pages.clear()
        page = self.open()
        after = {question: self.shown(page, address) for question, address in addresses.items()}
        for question, shown in before.items():
            self.assertEqual(after[question], shown, question)
        for question, words in {"Stopped?": "stopped", "Cut?": "ended at the limit of steps", "Failed?": "overloaded"}.items():
            self.assertIn(words, json.dumps(after[question]))
        for question in ("By the page?", "By the command line?", "By MCP?", "By REST?"):
            [[asked, _, _, [text], failures, [sources], facts]], panes = after[question]
            self.assertEqual((asked, failures), ([question], []))
            self.assertIn("Dates are parsed by parse_date", text)
            self.assertIn("walrus.md", sources)
            self.assertIn("fixture/m1", facts)
            self.assertIn("$0.0010", facts)
            guide, walrus, gone = panes
            self.assertIn(GUIDE.splitlines()[4], guide)
            self.assertNotIn("Something else", guide)
            self.assertIn("The walrus sleeps at noon.", walrus)
            self.assertIn("No such lines", gone)
        self.check_quiet("400")  # of the removed resource no next questions are made

    def test_a_turn_has_an_address_and_a_search_leads_to_it(self):
        self.begin()
        rows = "\n\n".join(["A line of text."] * 60)
        self.model.script = lambda number: [f"Answer {number} of the {'zebra' if number == 2 else 'heron'}.\n\n{rows}"]
        for question in ("First?", "Second?", "Third?"):
            self.server.json("POST", "/question", {"question": question, "thread": "long"})
        second = self.server.json("GET", "/threads/long")[1]["turns"][1]["questionId"]
        page = self.open(f"/ui/#/c/long/{second}")
        page.wait(f"document.querySelector('.turn') && Math.abs({TOP.format(1)}) < 100")
        self.assertEqual(page.call("getAttribute", ":nth-match(.turn, 2) >> .acts a", "href"), f"#/c/long/{second}")
        page.click(":nth-match(.turn, 3) >> .acts a")
        page.wait(f"Math.abs({TOP.format(2)}) < 100")
        page.go(self.server.url + "/ui/#/ask")
        page.fill("#wanted", "zebra")
        page.see(".rail li small:has-text('Answer 2 of the zebra.')")
        page.click(".rail li a")
        page.wait(f"document.querySelectorAll('.turn').length === 3 && Math.abs({TOP.format(1)}) < 100")
        page.fill("#wanted", "aardvark")
        page.see("text=None has this.")
        self.check_quiet()

    def test_one_that_is_still_being_read_takes_no_question(self):
        self.begin()
        self.server.json("POST", "/question", {"question": "First?", "thread": "long"})
        proxy = Proxy(self.server.url)
        self.addCleanup(proxy.stop)
        reading = proxy.hold("GET /threads/long")
        page = self.browser.open(proxy.url + "/ui/#/c/long")
        wait_until(lambda: reading.count, "the page reads the conversation")
        self.assertEqual(page.count("#question"), 0)
        reading.release()
        page.see(".turn:has-text('First?')")
        self.ask(page, "Second?")
        page.see(".turn:has-text('Second?') .acts")
        self.assertEqual(page.count(".turn"), 2)

    def test_a_title_is_given_on_the_page(self):
        self.begin()
        self.server.json("POST", "/question", {"question": "How?", "thread": "t"})
        page = self.open("/ui/#/c/t")
        page.see(".turn .acts")
        page.call("hover", ".rail li a")
        page.click("[aria-label='Rename How?']")
        page.fill("[aria-label=Title]", "What dates are")
        page.press("Enter")
        page.see(".rail li a:has-text('What dates are')")
        page.wait("document.title === 'What dates are · Quarry'")
        self.assertEqual(self.server.json("GET", "/threads/t")[1]["title"], "What dates are")
        page.fill("#wanted", "dates ar")
        page.see(".rail li a:has-text('What dates are')")
        page.command("offline", offline=True)
        page.call("hover", ".rail li a")
        page.click("[aria-label='Remove What dates are']")
        page.click("text=Remove it?")
        page.see(".rail .failure")
        page.command("offline", offline=False)
        self.check_quiet("ERR_INTERNET_DISCONNECTED")

    def test_it_is_saved_as_the_command_line_exports_it(self):
        self.begin()
        page = self.open()
        for address in (self.ask_anew(page, "How are dates parsed?"), self.ask_anew(page, "Failed?")):
            exported = self.home.run("threads", "export", address.split("/")[2]).stdout.splitlines()
            page.go("about:blank")
            page.go(f"{self.server.url}/ui/#{address}")
            saved = page.command("download", selector="text=Save as Markdown")
            self.assertEqual([line for line in saved.splitlines() if line not in exported], [])
            self.assertEqual([line for line in exported if line and line not in saved.splitlines()],
                             [line for line in exported if line.startswith("Conversation ")])
        self.assertIn("(failed: ", saved)

    def test_lines_that_an_earlier_version_did_not_store_are_not_made_up(self):
        self.begin()
        self.server.json("POST", "/question", {"question": "How?", "thread": "t"})
        self.server.stop()
        with contextlib.closing(sqlite3.connect(self.home.path / "state/quarry/history.db")) as history, history:
            history.execute("UPDATE turn SET citations = NULL, details = '{}'")
        self.serve_with(["docs", "sea"])
        page = self.open("/ui/#/c/t")
        page.click(".markdown .cite.old")
        page.see(".source .failure:has-text('an earlier version')")
        self.assertEqual(page.count(".source tr"), 0)
        page.click(".source >> text=Open file")
        page.see(".browse .cited:has-text('parse_date')")
        self.check_quiet("404")

    def test_what_retention_has_removed_is_said(self):
        self.begin()
        for thread in ("old", "new"):
            self.server.json("POST", "/question", {"question": "How?", "thread": thread})
        question = self.server.json("GET", "/threads/old")[1]["turns"][0]["questionId"]
        self.server.stop()
        with contextlib.closing(sqlite3.connect(self.home.path / "state/quarry/history.db")) as history, history:
            history.execute("UPDATE thread SET updated = 1 WHERE id = 'old'")
        self.serve_with(["docs"], settings="history.keep_days = 31\n")
        self.server.json("POST", "/question", {"question": "And?", "thread": "new"})
        wait_until(lambda: self.server.json("GET", "/threads/old")[0] == 404, "it is removed")
        for address in ("/c/old", f"/c/old/{question}"):
            page = self.open(f"/ui/#{address}")
            page.see(".failure:has-text('there is no thread')")
            self.assertIn("history.keep_days", page.text(".failure"))
            self.assertEqual(page.count(".turn"), 0)
        self.assertEqual(self.shown(page, "/c/new")[1], self.shown(page, "/c/new")[1])
        self.check_quiet("404")


if __name__ == "__main__":
    unittest.main()
