"""Answers and conversations on a real terminal."""

import json
import re
import unittest

from cloud_harness import PLAYED
from harness import KEY, QUARRY, TestCase, wait_until
from played_model import PlayedModel, refusal
from test_types import PLUGINS
from tmux import MISSING, Terminal

HANG = PlayedModel.HANG
ANSWER = ("## Dates\n\nThey are parsed by `parse_date` [docs:guide.md#L3], in **any** order:\n\n1. day\n2. month\n\n"
          "| part | digits |\n|---|--:|\n| day | 2 |\n\n```python\ndef f():\n    pass\n```\n")


@unittest.skipIf(MISSING, MISSING)
class TerminalCase(TestCase):
    def start(self, script=lambda number: [ANSWER[i:i + 9] for i in range(0, len(ANSWER), 9)], more=""):
        self.home.write("docs/guide.md", "# Guide\n\nDates are parsed by `parse_date`.\n")
        self.model = PlayedModel(script)
        self.addCleanup(self.model.stop)
        self.home.environment["FIXTURE_KEY"] = KEY
        self.home.write("quarry.toml", PLUGINS + PLAYED.format(url=self.model.url) +
                        f'[[resource]]\ntype = "local"\nname = "docs"\npath = "{self.home.project}/docs"\n' + more)
        self.terminal = Terminal(self.home.path, self.home.environment, self.home.project)
        self.addCleanup(self.terminal.stop)

    def chat(self, *arguments):
        self.terminal.run(QUARRY, "chat", *arguments)
        self.terminal.see("/help lists them")

    def ask(self, text):
        self.terminal.type(text)
        self.terminal.press("Enter")


class Asking(TerminalCase):
    def test_markdown_is_rendered_and_citations_are_links(self):
        self.start()
        self.terminal.run(QUARRY, "ask", "How are dates parsed?")
        screen = self.terminal.see("tokens")
        for line in ("Dates\n", "They are parsed by parse_date [1], in any order:\n", "1. day\n2. month\n",
                     "part │ digits\n", "day  │ 2\n", "  def f():\n      pass\n", "[1] docs/guide.md:3\n"):
            self.assertIn(line, screen)
        for mark in ("##", "**", "`", "|--"):
            self.assertNotIn(mark, screen)
        drawn = self.terminal.screen("-e")
        self.assertIn("\x1b[1mDates", drawn)
        self.assertIn("\x1b[35mdef", drawn)
        self.assertIn("\x1b[36mparse_date", drawn.replace("\x1b[39m", ""))
        # This tmux shows no links, so what it was sent is read.
        self.terminal.run("script", "-q", "-c", f"{QUARRY} ask q", "sent")
        sent = self.home.project / "sent"
        wait_until(lambda: sent.exists() and "tokens" in sent.read_text(), "the answer once more")
        self.assertIn(f"\x1b]8;;file://{self.home.project}/docs/guide.md#L3\x1b\\docs/guide.md:3\x1b]8;;\x1b\\",
                      sent.read_text())

    def test_plain_prints_what_the_model_wrote(self):
        self.start()
        self.terminal.run(QUARRY, "ask", "--plain", "q")
        screen = self.terminal.see("tokens")
        self.assertIn("## Dates\n", screen)
        self.assertIn("| day | 2 |\n", screen)

    def test_a_pipe_gets_what_the_model_wrote(self):
        self.start()
        self.terminal.run("sh", "-c", f"{QUARRY} ask q | cat > said")
        self.terminal.see("tokens")
        wait_until(lambda: (self.home.project / "said").read_text() == ANSWER, "the answer in the file")

    def test_text_that_has_not_ended_is_shown_and_replaced(self):
        self.start(lambda number: ["It is **half", HANG, " done**.\n"])
        self.terminal.run(QUARRY, "ask", "q")
        self.terminal.see("It is **half")
        self.model.release()
        self.assertIn("It is half done.\n", self.terminal.see("tokens"))
        self.assertNotIn("**", self.terminal.screen())


class Watching(TerminalCase):
    def test_top_redraws_its_lines_until_it_is_interrupted(self):
        self.start()
        server = self.serve()
        self.terminal.run(QUARRY, "top", "--server", server.url, "--interval", "1")
        self.terminal.see("0 ended")
        server.ask("q")
        self.assertIn("fixture/m1", self.terminal.see("1 ended"))
        self.terminal.press("C-c")
        self.terminal.run("echo", "over", "now")
        screen = self.terminal.see("\nover now")
        self.assertEqual(screen.count("questions  "), 1, "the last figures stay, and only these")


class Chatting(TerminalCase):
    def test_a_conversation(self):
        self.start(lambda number: [f"answer {number}"])
        self.chat()
        self.ask("first question")
        self.terminal.see("answer 1")
        self.ask("second question")
        self.terminal.see("answer 2")
        self.assertIn("answer 1", self.model.requests[1])
        self.ask("/cost")
        self.terminal.see("2 questions, 2,020 tokens")
        self.ask("/save talk.md")
        self.terminal.see("saved to talk.md")
        self.assertEqual((self.home.project / "talk.md").read_text(),
                         "## first question\n\nanswer 1\n\n## second question\n\nanswer 2\n")
        self.ask("/save talk.md")
        self.terminal.see("File exists")
        self.ask("/new")
        self.ask("third question")
        self.terminal.see("answer 3")
        self.assertNotIn("answer 1", self.model.requests[2])
        self.terminal.press("C-d")
        self.terminal.run("echo", "exit status", "$?")
        threads = json.loads(self.home.run("threads", "--json").stdout)["threads"]
        self.assertEqual(sorted(thread["turns"] for thread in threads), [1, 2])

    def test_an_interrupt_stops_the_answer_and_not_the_program(self):
        self.start(lambda number: ["begun"] + ([HANG] if number == 1 else [" and ended"]))
        self.chat()
        self.ask("first")
        self.terminal.see("begun")
        self.terminal.press("C-c")
        self.terminal.see("the answer is stopped")
        self.terminal.see("1 step,")
        self.terminal.type("discarded")
        self.terminal.press("C-c")
        self.terminal.see("^C")
        self.ask("second")
        self.terminal.see("begun and ended")
        self.assertNotIn("discarded", self.model.requests[1])

    def test_lines_are_edited_completed_and_remembered(self):
        self.start(lambda number: [f"answer {number}"])
        self.chat()
        self.terminal.type("what of @do")
        self.terminal.press("Tab")
        self.terminal.see("what of @docs")
        self.terminal.type("and more")
        self.terminal.press("C-a")
        self.terminal.type("So ")
        self.terminal.press("Enter")
        self.terminal.see("answer 1")
        self.assertIn("So what of @docs and more", self.model.requests[0])
        self.terminal.press("Up")
        self.terminal.type(" naïve 日本")
        self.terminal.press("Enter")
        self.terminal.see("answer 2")
        self.assertIn("and more naïve 日本", json.loads(json.dumps(self.model.requests[1])))
        self.terminal.type("/res")
        self.terminal.press("Tab")
        self.terminal.press("Enter")
        self.terminal.see("* docs")
        self.ask("/quit")
        self.terminal.see("$ ")
        self.terminal.tmux("clear-history")
        self.chat()
        self.terminal.press("Up")
        self.terminal.press("Up")
        self.terminal.press("Up")
        self.terminal.press("Enter")
        self.terminal.see("answer 3")
        self.assertIn("naïve", self.model.requests[2])
        history = next(self.home.path.rglob("chat_history"))
        self.assertEqual(history.stat().st_mode & 0o777, 0o600)

    def test_a_pasted_text_is_one_question(self):
        self.start(lambda number: [f"answer {number}"])
        self.chat()
        self.terminal.paste("Why does it fail?\nTraceback:\n  line 1\n")
        self.terminal.see("Why does it fail?⏎Traceback:⏎")
        self.assertEqual(self.model.requests, [])
        self.terminal.press("Enter")
        self.terminal.see("answer 1")
        self.assertIn("Why does it fail?\\nTraceback:\\n  line 1", self.model.requests[0])

    def test_a_conversation_is_found_again_and_a_question_repeated(self):
        self.start(lambda number: [f"answer {number}"])
        self.chat()
        self.ask("a first question")
        self.terminal.see("answer 1")
        self.ask("/retry")
        self.terminal.see("answer 2")
        self.assertIn("a first question", self.model.requests[1])
        self.ask("/copy")
        self.terminal.see("to copy")
        self.ask("/quit")
        self.terminal.see("$ ")
        self.terminal.tmux("clear-history")
        self.chat("--continue")
        self.ask("and then?")
        self.terminal.see("answer 3")
        self.assertIn("answer 2", self.model.requests[2])
        self.ask("/new")
        self.ask("/threads")
        self.terminal.see("a first question")
        self.ask("/continue")
        self.terminal.see("after: and then?")

    def test_a_question_is_written_in_an_editor(self):
        editor = self.home.write("editor", '#!/bin/sh\nprintf "line one\\nline two\\nline three\\n" > "$1"\n')
        editor.chmod(0o755)
        self.home.environment["VISUAL"] = str(editor)
        self.start(lambda number: [f"answer {number}"])
        self.chat()
        self.ask("/editor")
        self.terminal.see("answer 1")
        self.assertIn("line one\\nline two", self.model.requests[0])

    def test_an_interrupt_of_the_editor_does_not_stop_the_question(self):
        editor = self.home.write("editor", '#!/bin/sh\ntrap "" INT\nkill -INT 0\nprintf "a question\\n" > "$1"\n')
        editor.chmod(0o755)
        self.home.environment["VISUAL"] = str(editor)
        self.start(lambda number: [f"answer {number}"])
        self.chat()
        self.ask("/editor")
        self.terminal.see("answer 1")
        self.assertNotIn("the answer is stopped", self.terminal.screen())

    def test_what_is_waited_for_is_said(self):
        self.start(lambda number: [HANG, "at last"])
        self.terminal.run(QUARRY, "ask", "q")
        self.terminal.see("waiting for fixture/")
        self.model.release()
        self.terminal.see("at last")
        self.assertNotIn("waiting for", self.terminal.screen())

    def test_a_refusal_is_said_with_the_seconds_that_are_left(self):
        self.start(lambda number: refusal(25))
        self.terminal.run(QUARRY, "ask", "q")
        self.terminal.see(": too many requests (HTTP 429), asked again in ")
        left = lambda: [int(one) for one in re.findall(r"asked again in (\d+) s", self.terminal.screen())]
        first = wait_until(left, "the seconds that are left")
        wait_until(lambda: left() and left() < first, "fewer seconds are left")
        self.terminal.press("C-c")
        self.terminal.see("the answer is stopped")
        self.assertNotIn("asked again", self.terminal.screen())

    def test_a_model_that_is_asked_again_is_waited_for(self):
        self.start(lambda number: refusal(1) if number == 1 else [HANG, "at last"])
        self.terminal.run(QUARRY, "ask", "q")
        wait_until(lambda: len(self.model.requests) == 2, "the model is asked again")
        self.terminal.see("waiting for fixture/")
        self.model.release()
        self.terminal.see("at last")
        self.assertNotIn("asked again", self.terminal.screen())

    def test_resources_and_models_are_chosen(self):
        self.start(lambda number: [f"answer {number}"])
        self.home.write("more/a.txt", "a\n")
        self.chat()
        self.ask("/add ./more")
        self.terminal.see("added more")
        self.ask("/use more")
        self.terminal.see("* more")
        self.ask("/use nothing")
        self.terminal.see('there is no resource "nothing"')
        self.ask("what is it?")
        self.terminal.see("answer 1")
        self.assertNotIn("docs", self.model.requests[0].split("what is it?")[0].split("resources")[-1][:200])
        self.ask("/model")
        self.terminal.see("* fixture")
        self.ask("/nothing")
        self.terminal.see('there is no command "/nothing"')
        self.ask("/help")
        self.terminal.see("/save FILE")

    def test_what_is_no_terminal_is_refused(self):
        self.start()
        refused = self.home.run("chat")
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("a chat needs a terminal", refused.stderr)


if __name__ == "__main__":
    unittest.main()
