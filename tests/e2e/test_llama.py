"""llama.cpp's real server, through all three of its APIs."""

import json
import unittest

import llama_server
from harness import KEY_VARIABLE, Home, Server, TestCase, check_stream, wait_until, without_progress
from small_model import CONTEXT

ANSWER = "It is off by default [code:README.md#L3]."


@unittest.skipIf(llama_server.MISSING, llama_server.MISSING)
class Llama:
    more = ""

    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.remove)
        cls.home.write("code/README.md", "# Tools\n\nThe zebra feature is off by default.\n")
        cls.llama = llama_server.LlamaServer(cls.home.path)
        cls.addClassCleanup(cls.llama.stop)
        cls.configure(cls.home)
        cls.server = Server(cls.home)
        cls.addClassCleanup(cls.server.stop)

    @classmethod
    def configure(cls, home, key=KEY_VARIABLE):
        model = f"""
provider = "{cls.provider}"
base_url = "{cls.llama.url}{cls.base}"
api_key = {{ env = "{key}" }}
{cls.more}"""
        home.write("quarry.toml", f"""
[server]
reader_grace_ms = 200
[[resource]]
type = "local"
name = "code"
path = "{cls.home.project}/code"
[model]
{model}
max_output_tokens = 1000000
[model.short]
{model}
max_output_tokens = 5
""")

    def ask(self, question):
        events = self.server.ask(question)
        check_stream(self, events)
        return events[-1].data

    def test_a_loop_of_three_steps_with_parallel_calls(self):
        before = self.llama.said()
        done = self.ask("loop")
        self.assertEqual(done["type"], "done", done)
        self.assertEqual(done["text"], f"Looking.\n\n{ANSWER}")
        self.assertEqual([(tool["tool"], tool["state"]["input"]) for tool in done["tools"]],
                         [("search", {"query": "zebra"}), ("list", {"path": ""}),
                          ("read", {"path": "code/README.md"})])
        self.assertEqual({tool["state"]["status"] for tool in done["tools"]}, {"completed"})
        self.assertEqual([c["verified"] for c in done["citations"]], [True])
        usage = done["usage"]
        self.assertEqual(usage["outputTokens"], self.llama.said() - before)
        self.assertEqual(usage["totalTokens"], usage["inputTokens"] + usage["outputTokens"])
        self.assertNotIn("pricing", done["metrics"])

    def test_reasoning_is_told_apart_from_the_answer(self):
        done = self.ask("think")
        self.assertEqual(done["reasoning"], "The reader wants the default.")
        self.assertEqual(done["text"], ANSWER)

    def test_an_answer_that_reached_its_limit_says_so(self):
        result = self.home.run("ask", "--json", "--set", "model.provider=short", "endless")
        done = json.loads(result.stdout.splitlines()[-1])
        self.assertEqual((done["finishReason"], done["usage"]["outputTokens"]), ("length", 5), done)
        self.assertEqual(done["text"].split(), ["and", "so", "on", "and", "so"])

    def test_a_question_beyond_the_context_is_told_in_the_servers_words(self):
        status, answer = self.server.json("POST", "/question", {"question": "x" * (CONTEXT + 1)})
        self.assertEqual((status, answer["tag"]), (502, "AgentError"), answer)
        self.assertIn("exceeds the available context size", answer["error"])

    def test_a_key_that_is_refused_is_no_empty_answer(self):
        home = Home()  # a running server follows its configuration
        self.addCleanup(home.remove)
        self.configure(home, "PATH")
        result = home.run("ask", "well?")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "")
        for words in ("401", "API key"):
            self.assertIn(words, result.stderr)

    def begin(self):
        """A question whose answer never ends by itself."""
        return self.server.stream(body={"question": "endless"})

    def wait_for_text(self, events):
        """The id of the question, once its answer has begun."""
        meta = next(event for event in events if event.type == "meta")
        next(event for event in events if event.type == "text.delta")
        self.assertEqual(self.llama.busy(), 1)
        return meta.data["id"]

    def test_a_question_that_is_stopped_computes_no_more(self):
        with self.begin() as (_, _, events):
            number = self.wait_for_text(events)
            self.server.json("POST", f"/question/{number}/stop")
            self.assertEqual([e.data["finishReason"] for e in events if e.type == "done"],
                             ["cancelled"])
            wait_until(lambda: self.llama.busy() == 0, "the server is idle")

    def test_a_question_whose_reader_went_computes_no_more(self):
        with self.begin() as (_, _, events):
            self.wait_for_text(events)
        wait_until(lambda: self.llama.busy() == 0, "the server is idle")

    def test_its_model_is_listed(self):
        listed = json.loads(self.home.run("models", "--json").stdout)
        self.assertEqual(listed["chosen"], {"provider": self.provider, "model": "small"})
        self.assertIn({"id": self.provider, "models": ["small"]}, listed["all"])


@unittest.skipIf(llama_server.MISSING, llama_server.MISSING)
class Auto(TestCase):
    def test_a_server_of_this_machine_is_found_and_asked(self):
        llama = llama_server.LlamaServer(self.home.path, keyless=True)
        self.addCleanup(llama.stop)
        self.home.write("quarry.toml", f"""
[plugins]
disabled = ["io.quarry.model-ollama"]
[model.llamacpp]
provider = "llamacpp"
base_url = "{llama.url}/v1"
""")
        code = self.home.write("code/README.md", "# Tools\n").parent
        result = self.home.run("ask", "--json", "-r", code, "well?")
        self.assertEqual(result.returncode, 0, result.stderr)
        events = without_progress(result.stdout)
        self.assertEqual(events[0]["model"], {"provider": "llamacpp", "model": "small"})
        self.assertEqual(events[-1]["text"], ANSWER)


class ChatCompletions(Llama, unittest.TestCase):
    provider, base, more = "llamacpp", "/v1", 'api = "chat"'


class Responses(Llama, unittest.TestCase):
    provider, base, more = "openai", "/v1", 'api = "responses"'


class Messages(Llama, unittest.TestCase):
    provider, base = "anthropic", ""


if __name__ == "__main__":
    unittest.main()
