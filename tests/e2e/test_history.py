"""Conversations, usage and the monthly budget, with the real program and a scripted model."""

import ctypes
import json
import unittest

from harness import BUILD, KEY, TestCase, ask_by_mcp, wait_until
from played_model import PlayedModel
from test_serve import LOCAL, tree


CONFIGURATION = """plugin_path = ["{fixtures}"]
[network]
private_hosts = ["127.0.0.1"]
[pricing.static."fixture/m1"]
input = "1"
output = "2"
[model]
provider = "fixture"
name = "m1"
base_url = "{url}"
{more}
"""
COST = 0.00102  # of one answer


class HistoryCase(TestCase):
    def setUp(self):
        super().setUp()
        self.home.environment["FIXTURE_KEY"] = KEY
        self.model = PlayedModel(lambda number: [f"answer {number}"])
        self.addCleanup(self.model.stop)
        self.database = self.home.path / "state/quarry/history.db"
        self.configure()

    def configure(self, more=""):
        model = CONFIGURATION.format(fixtures=BUILD / "tests/fixtures", url=self.model.url,
                                     more=more)
        self.home.write("quarry.toml", model + LOCAL.format("code", self.folder))

    @property
    def folder(self):
        folder = self.home.path / "code"
        return folder if folder.exists() else tree(self.home)

    def right(self, *arguments, **more):
        result = self.home.run(*arguments, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def read(self, *arguments):
        return json.loads(self.right(*arguments, "--json"))


class Conversations(HistoryCase):
    def test_continue_goes_on_with_the_last_question(self):
        self.right("ask", "How are dates parsed?")
        self.right("ask", "--continue", "And times?")
        self.assertNotIn("And times?", self.model.requests[0])
        for words in ("How are dates parsed?", "answer 1", "And times?"):
            self.assertIn(words, self.model.requests[1])
        self.right("ask", "Something else?")
        self.assertNotIn("dates", self.model.requests[2], "a plain question begins anew")
        threads = self.read("threads")["threads"]
        self.assertEqual([thread["turns"] for thread in threads], [1, 2])
        self.assertEqual(threads[1]["title"], "How are dates parsed?")
        shown = self.right("threads", "show", threads[1]["id"])
        self.assertEqual(shown, "> How are dates parsed?\n\nanswer 1\n\n> And times?\n\nanswer 2\n")

    def test_continue_stays_with_the_resources(self):
        other = self.home.path / "other"
        other.mkdir()
        (other / "walrus.md").write_text("The walrus sleeps at noon.\n")
        for options in (["-r", str(other)], ["--continue"]):
            events = [json.loads(line) for line in
                      self.right("ask", "--json", *options, "When?").splitlines()]
            meta = next(each for each in events if each["type"] == "meta")
            self.assertEqual(meta["resources"], ["other"])

    def test_a_thread_has_the_name_it_is_given(self):
        for question in ("First?", "Second?"):
            self.right("ask", "--thread", "dates", question)
        self.assertIn("First?", self.model.requests[1])
        self.assertRegex(self.right("threads", "list"), r"^dates  \d{4}-\d\d-\d\d \d\d:\d\d  2  First\?\n$")

    def test_a_removed_thread_is_gone_from_the_file(self):
        self.right("ask", "--thread", "t", "What of the aardvark?")
        self.assertEqual(self.right("threads", "remove", "t"), "removed t\n")
        self.assertEqual(self.read("threads"), {"threads": []})
        for path in self.database.parent.iterdir():
            if path.is_file():
                self.assertNotIn(b"aardvark", path.read_bytes(), path)
        for verb in ("show", "remove"):
            gone = self.home.run("threads", verb, "t")
            self.assertEqual((gone.returncode, gone.stderr.splitlines()[0]),
                             (1, 'error: there is no thread "t"'))
        self.assertEqual(self.read("usage")["total"]["questions"], 1, "the ledger stays")

    def test_continue_without_a_conversation_is_told(self):
        result = self.home.run("ask", "--continue", "x")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no conversation to continue", result.stderr)
        self.assertEqual(self.model.requests, [])

    def test_a_server_keeps_conversations_for_the_program(self):
        server = self.serve()
        there = ("--server", server.url)
        self.right("ask", *there, "First?")
        self.right("ask", *there, "--continue", "Second?")
        self.assertIn("answer 1", self.model.requests[1])
        thread = self.read("threads", "list", *there)["threads"][0]
        self.assertEqual(len(self.read("threads", "show", thread["id"], *there)["turns"]), 2)
        usage = self.read("usage", "--since", "24h", "--by", "resource", *there)
        self.assertEqual((usage["rows"][0]["key"], usage["total"]["calls"]), ("code", 2))
        self.assertEqual(self.home.run("usage", "--since", "never", *there).returncode, 2)
        self.right("threads", "remove", thread["id"], *there)
        self.assertEqual(server.json("GET", f"/threads/{thread['id']}")[0], 404)

    def test_the_wire_has_threads_and_histories(self):
        server = self.serve()
        status, answer = server.json("POST", "/question", {"question": "First?", "thread": "t"})
        self.assertEqual((status, answer["thread"]), (200, "t"))
        events = server.ask("Second?", thread="t")
        self.assertEqual(next(e for e in events if e.type == "meta").data["thread"], "t")
        self.assertEqual(server.json("GET", "/threads")[1]["threads"][0]["turns"], 2)
        turns = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "The zebra."}]
        server.ask("Really?", history=turns)
        self.assertIn("The zebra.", self.model.requests[2])
        for body, field in (({"thread": "a b"}, "/thread"), ({"history": turns[:1]}, "/history"),
                            ({"thread": "t", "history": turns}, "/history")):
            status, refused = server.json("POST", "/question", {"question": "x", **body})
            self.assertEqual((status, refused["details"][0]["field"]), (400, field))
        self.assertEqual(server.json("DELETE", "/threads/t"), (200, {"success": True, "id": "t"}))
        self.assertEqual(server.json("DELETE", "/threads/t")[0], 404)


class StoredTurns(HistoryCase):
    """On every surface, and however it ended, a turn shows later what it showed."""

    def setUp(self):
        super().setUp()
        self.file = next(path for path in sorted(self.folder.rglob("*")) if path.is_file())
        self.place = str(self.file.relative_to(self.folder))
        self.lines = self.file.read_text().splitlines()
        self.model.script = lambda number: [f"answer {number} [code:{self.place}#L1]."]

    def shown(self, server, thread):
        status, over_rest = server.json("GET", f"/threads/{thread}")
        self.assertEqual(status, 200, over_rest)
        self.assertEqual(self.read("threads", "show", thread), over_rest)
        return over_rest

    def test_each_surface_is_kept_through_a_restart_and_a_removed_source(self):
        self.right("ask", "--thread", "line", "By the command line?")
        ask_by_mcp(self.home, "By MCP?")
        server = self.serve()
        events = server.ask("By REST?")
        meta, done = next(e for e in events if e.type == "meta").data, events[-1].data
        self.assertNotIn("thread", meta, "clients get what they got")
        source = server.json("GET", f"/question/{meta['id']}/sources/1")[1]
        self.assertEqual(source["lines"][0], self.lines[0])
        server.json("POST", "/question", {"question": "Named?", "thread": "named"})
        server.stop()
        self.file.unlink()
        self.right("clear")

        server = self.serve()
        threads = server.json("GET", "/threads")[1]["threads"]
        self.assertEqual([each["title"] for each in threads],
                         ["Named?", "By REST?", "By MCP?", "By the command line?"])
        self.assertEqual([each.get("single", False) for each in threads], [False, True, True, False])
        for thread in threads:
            [turn] = self.shown(server, thread["id"])["turns"]
            self.assertEqual(turn["status"], "answered")
            self.assertEqual([each["verified"] for each in turn["citations"]], [True])
            self.assertEqual(turn["citations"][0]["lines"][0], self.lines[0])
            self.assertEqual(turn["model"], {"provider": "fixture", "model": "m1"})
            self.assertEqual(turn["costUsd"], COST)
            self.assertEqual(turn["snapshots"][0]["resource"], "code")
        [turn] = self.shown(server, meta["id"])["turns"]
        for member in ("citations", "metrics", "usage", "tools", "reasoning", "finishReason", "steps"):
            kept = turn[member]
            if member == "citations":
                kept = [{name: one[name] for name in one if name not in ("firstLine", "lines")} for one in kept]
            self.assertEqual(kept, done[member], member)
        self.assertEqual(server.json("GET", f"/question/{meta['id']}/sources/1"), (200, source))
        self.right("threads", "remove", meta["id"])
        self.assertEqual(server.json("GET", f"/question/{meta['id']}/sources/1")[0], 404)
        status, gone = server.json("GET", f"/threads/{meta['id']}")
        self.assertEqual(status, 404)
        self.assertIn("history.keep_days", gone["hint"], "what retention has removed is said")

    def test_a_single_question_is_not_what_continue_continues(self):
        self.right("ask", "--thread", "mine", "First?")
        server = self.serve()
        server.ask("By REST?")
        self.right("ask", "--continue", "Second?")
        self.assertEqual(len(self.read("threads", "show", "mine")["turns"]), 2)

    def test_one_that_was_stopped_and_one_that_failed_are_kept_as_that(self):
        self.model.script = lambda number: [PlayedModel.HANG]
        server = self.serve()
        with server.stream(body={"question": "How?", "thread": "t"}) as (_, _, events):
            for event in events:
                if event.type == "meta":
                    wait_until(lambda: self.model.count == 1, "the model is asked")
                    server.json("POST", f"/question/{event.data['id']}/stop")
        self.model.script = lambda number: ["Part", {"error": "overloaded"}]
        self.model.release()
        server.ask("And now?", thread="t")
        stopped, failed = self.shown(server, "t")["turns"]
        self.assertEqual((stopped["status"], stopped["finishReason"]), ("stopped", "cancelled"))
        self.assertEqual((failed["status"], failed["answer"], failed["error"]["tag"]), ("failed", "Part", "AgentError"))
        self.assertIn("overloaded", failed["error"]["message"])
        text = self.right("threads", "show", "t")
        self.assertIn("(incomplete: cancelled)", text)
        self.assertIn("(failed: ", text)

    def test_words_find_conversations_of_every_surface_and_titles_are_given(self):
        self.right("ask", "--thread", "line", "How are walruses parsed?")
        self.model.script = lambda number: ["The zebra."]
        server = self.serve()
        server.ask("Who reads the zone?")
        status, found = server.json("GET", "/threads?q=ZEBRA%20zon")
        self.assertEqual((status, [each["title"] for each in found["threads"]]), (200, ["Who reads the zone?"]))
        [match] = found["threads"][0]["matches"]
        self.assertEqual((match["questionId"], match["turn"], match["snippet"]), (found["threads"][0]["id"], 1, "Who reads the zone?"))
        self.assertEqual(self.read("threads", "search", "zebra", "zon"), found)
        there = ("--server", server.url)
        self.assertRegex(self.right("threads", "search", "walruses", *there),
                         r"^line  \d{4}-\d\d-\d\d \d\d:\d\d  How are walruses parsed\?\n  1: How are walruses parsed\?\n$")
        self.assertEqual(self.right("threads", "rename", "line", "Beasts", "of", "the", "sea", *there), "renamed line\n")
        self.assertIn("Beasts of the sea", self.right("threads"))
        self.assertEqual(self.read("threads", "search", "beast")["threads"][0]["matches"], [])
        nothing = self.home.run("threads", "search", "aardvark")
        self.assertEqual((nothing.returncode, nothing.stdout, nothing.stderr), (0, "", "No stored conversation has these words.\n"))
        for status, method, path, body in ((404, "PUT", "/threads", {"id": "nobody", "title": "x"}), (400, "PUT", "/threads", {"id": "line", "title": " "}),
                                           (400, "PUT", "/threads", {"id": "line"}), (400, "GET", "/threads?q=" + "x" * 1001, None)):
            self.assertEqual(server.json(method, path, body)[0], status, (path, body))

    def test_an_export_is_markdown_with_numbered_sources(self):
        self.right("ask", "--thread", "t", "How?")
        text = self.right("threads", "export", "t")
        for words in ("# How?\n", "> How?\n", "answer 1 [1].\n", f"1. code/{self.place}:1 (",
                      ", fixture/m1, $0.00102, code "):
            self.assertIn(words, text)
        file = self.home.path / "out.md"
        self.right("threads", "export", "t", "--output", str(file))
        self.assertEqual(file.read_text(), text)


class Usage(HistoryCase):
    def test_usage_is_the_sum_of_what_questions_cost(self):
        for question in ("First?", "Second?", "Third?"):
            done = json.loads(self.right("ask", "--json", question).splitlines()[-1])
            self.assertEqual(done["metrics"]["pricing"]["costUsd"]["total"], COST)
        text = self.right("usage", "--json")
        self.assertIn('"costUsd":0.00306}', text, "exact to the last digit")
        table = self.right("usage").splitlines()
        self.assertRegex(table[0], r"^model +questions +calls +input +cached +output +cost USD$")
        self.assertRegex(table[1], r"^fixture/m1 +3 +3 +3,000 +0 +30 +0\.0031$")
        self.assertRegex(table[2], r"^total ")
        self.assertEqual(self.read("usage", "--since", "0h")["total"]["questions"], 0)

    def test_a_spent_budget_refuses_the_next_question(self):
        self.configure('monthly_budget_usd = "0.5"')
        self.model.tokens = (1_000_000, 10)
        self.right("ask", "x?")
        refused = self.home.run("ask", "x?")
        self.assertEqual(refused.returncode, 6)
        self.assertIn("$1.00002 of $0.5", refused.stderr)
        self.assertIn("model.monthly_budget_usd", refused.stderr)
        self.assertEqual(len(self.model.requests), 1)
        status, answer = self.serve().json("POST", "/question", {"question": "x?"})
        self.assertEqual((status, answer["tag"]), (429, "RateLimitError"))
        self.assertEqual(self.home.run("ask", "--set", "model.provider=extractive", "zebra?").returncode,
                         0, "what costs nothing goes on")

    def test_a_question_that_nothing_is_left_for_fails_instead_of_saying_nothing(self):
        self.configure('monthly_budget_usd = "0.000001"')
        result = self.home.run("ask", "x?")
        self.assertEqual((result.returncode, result.stdout), (6, ""))
        self.assertIn("maxCost", result.stderr)
        self.assertEqual(self.model.requests, [])

    def test_a_killed_host_loses_no_question_that_has_ended(self):
        server = self.serve()
        server.ask("x?", thread="t")
        self.assertEqual(server.json("GET", "/usage")[1]["total"]["questions"], 1)
        server.process.kill()
        server.process.wait()
        self.assertEqual(self.read("usage")["total"]["questions"], 1)
        self.assertEqual(len(self.read("threads", "show", "t")["turns"]), 1)


class BrokenFiles(HistoryCase):
    def check_answers_though(self, words, **more):
        """Questions are answered; the history reports the problem."""
        result = self.home.run("ask", "x?", **more)
        self.assertEqual((result.returncode, result.stdout), (0, "answer 1\n"), result.stderr)
        self.assertIn(words, result.stderr)
        for verb in (["threads"], ["usage"], ["ask", "--continue", "x?"]):
            result = self.home.run(*verb, **more)
            self.assertEqual(result.returncode, 1, verb)
            self.assertIn(words, result.stderr)
            self.assertIn("hint: ", result.stderr)

    def test_a_damaged_file(self):
        self.database.parent.mkdir(parents=True, exist_ok=True)
        self.database.write_bytes(b"x" * 8192)
        result = self.home.run("ask", "x?")
        self.assertEqual((result.returncode, result.stdout), (0, "answer 1\n"), result.stderr)
        self.assertIn("history.db is damaged", result.stderr)
        [renamed] = self.database.parent.glob("history.db.damaged-*")
        self.assertIn(renamed.name, result.stderr)
        self.assertEqual(renamed.read_bytes(), b"x" * 8192)
        self.assertEqual(self.read("usage")["total"]["questions"], 1)

    def test_a_file_of_a_newer_program(self):
        self.right("usage")
        data = bytearray(self.database.read_bytes())
        data[60:64] = (99).to_bytes(4, "big")  # PRAGMA user_version
        self.database.write_bytes(data)
        self.check_answers_though("is of version 99, and this program knows versions up to ")
        self.assertEqual(self.database.read_bytes()[60:64], data[60:64])

    def test_a_directory_that_cannot_be_written(self):
        self.right("resources")  # plugins are known, so that only the history uses the directory
        self.database.parent.chmod(0o500)
        drop = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE: root is bound by the mode, too
        self.check_answers_though("cannot create ", preexec_fn=lambda: ctypes.CDLL(None).prctl(*drop))

    def test_a_directory_in_place_of_the_file(self):
        self.database.mkdir(parents=True)
        self.check_answers_though("history.db is not used: it is not a regular file")

    def test_the_file_is_its_owners_alone(self):
        self.right("ask", "x?")
        self.assertEqual(self.database.stat().st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main()
