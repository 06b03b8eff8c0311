"""Models over HTTP, with all five protocols: the real program against a peer (aimock)."""

import concurrent.futures
import json
import time
import unittest

import peers
from harness import KEY_VARIABLE, Home, Server, check_stream

TEXT = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen."
THOUGHT = "The reader wants the default."
MANY = 24
ANSWER = "It is off by default [code:README.md#L3]."


def fixtures_of(wire):
    """The peer's answers to the questions of one protocol."""
    def when(question, response, more=None, **match):
        return {"match": {"userMessage": f"{question} {wire}", **match}, "response": response,
                **(more or {})}
    usage = {"usage": {"prompt_tokens": 100, "completion_tokens": 10, "input_tokens": 100,
                       "output_tokens": 10}}
    many = [when(f"many {number:02}", {"content": f"This is answer {number:02} of {MANY}."},
                 {"chunkSize": 4, "latency": 2}) for number in range(MANY)]
    return many + [
        # By the last result, since the peer counts the turns of each protocol differently.
        when("loop", {"content": ANSWER, **usage}, toolResultContains="zebra"),
        when("loop", {"toolCalls": [
            {"name": "read", "arguments": {"path": "code/README.md"}}], **usage},
             hasToolResult=True),
        when("loop", {"content": "Looking.", "toolCalls": [
            {"name": "search", "arguments": {"query": "zebra"}},
            {"name": "list", "arguments": {"path": ""}}], **usage}),
        when("think", {"content": ANSWER, "reasoning": THOUGHT}),
        when("limited", {"error": {"message": "Slow down"}, "status": 429, "retryAfter": 1},
             sequenceIndex=0),
        when("limited", {"content": TEXT}, sequenceIndex=1),
        when("handover", {"content": "Looking.", "toolCalls": [
            {"name": "read", "arguments": {"path": "code/README.md"}}]}, hasToolResult=False),
        when("handover", {"content": ANSWER}, model="backup-model"),
        when("handover", {"error": {"message": "The backend is down"}, "status": 503}),
        when("nameless", {"content": TEXT}),
        when("broken", {"error": {"message": "The backend exploded"}, "status": 500}),
        when("cut", {"content": TEXT}, {"chunkSize": 4, "latency": 5, "truncateAfterChunks": 9}),
        when("slow", {"content": TEXT}, {"streamingProfile": {"ttft": 300, "tps": 1000}}),
    ]


@unittest.skipIf(peers.MISSING, peers.MISSING)
class Asked:
    """A server that asks the peer with one protocol, which determines its configuration."""

    options, more = "", ""

    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.remove)
        cls.folder = cls.home.path / "code"
        cls.folder.mkdir()
        (cls.folder / "README.md").write_text("# Tools\n\nThe zebra feature is off by default.\n")
        cls.peer = peers.Aimock(fixtures_of(cls.name), cls.home.path)
        cls.addClassCleanup(cls.peer.stop)
        cls.configure(cls.home, KEY_VARIABLE)
        cls.server = Server(cls.home)
        cls.addClassCleanup(cls.server.stop)

    @classmethod
    def configure(cls, home, key, named=True):
        home.write("quarry.toml", f"""
[[resource]]
type = "local"
name = "code"
path = "{cls.folder}"

[model]
provider = "{cls.provider}"
{"" if named else "# "}name = "{cls.model}"
base_url = "{cls.peer.url}{cls.base}"
api_key = {{ env = "{key}" }}
{cls.options}
{cls.more}
""")

    def ask_alone(self, question, key, named=True):
        """`quarry ask` in a project of its own, since a running server follows its configuration."""
        home = Home()
        self.addCleanup(home.remove)
        self.configure(home, key, named)
        return home.run("ask", f"{question} {self.name}")

    def ask(self, question):
        events = self.server.ask(f"{question} {self.name}")
        check_stream(self, events)
        return events

    def requests(self, question):
        entries = self.peer.requests(f"{question} {self.name}")
        self.assertEqual({entry["path"].partition("?")[0] for entry in entries}, {self.path})
        return [entry["body"] for entry in entries]

    def results(self, body):
        """The results of tools; the peer's journal has every body in the form of one protocol."""
        return [message["content"] for message in body["messages"] if message["role"] == "tool"]

    def text(self, events):
        return "".join(event.data["delta"] for event in events if event.type == "text.delta")


class Wire(Asked):
    """Tests for every protocol."""

    usage, thought = {"inputTokens": 300, "outputTokens": 30}, THOUGHT

    def test_a_loop_of_three_steps_with_parallel_calls(self):
        events = self.ask("loop")
        done = events[-1].data
        self.assertEqual(done["type"], "done", done)
        self.assertEqual(done["text"], f"Looking.\n\n{ANSWER}")
        self.assertEqual([tool["tool"] for tool in done["tools"]], ["search", "list", "read"])
        self.assertEqual({tool["state"]["status"] for tool in done["tools"]}, {"completed"})
        self.assertEqual([c["verified"] for c in done["citations"]], [True])
        if self.usage:
            self.assertEqual({name: done["usage"][name] for name in self.usage}, self.usage)
        bodies = self.requests("loop")
        self.assertEqual(len(bodies), 3)
        self.assertEqual(self.results(bodies[0]), [])
        shown = [tool["state"]["output"] for tool in done["tools"]]
        self.assertEqual(self.results(bodies[1]), shown[:2], "both results go back together")
        self.assertEqual(self.results(bodies[2]), shown)
        self.assertIn("zebra feature is off", shown[2])

    def test_reasoning_is_told_apart_from_the_answer(self):
        done = self.ask("think")[-1].data
        self.assertEqual((done["reasoning"], done["text"]), (self.thought, ANSWER))

    def test_a_limit_of_the_provider_is_waited_for_as_it_asks(self):
        began = time.monotonic()
        events = self.ask("limited")
        self.assertEqual(self.text(events), TEXT)
        self.assertGreaterEqual(time.monotonic() - began, 1)
        self.assertEqual(len(self.requests("limited")), 2)

    def test_a_failure_is_told_in_the_providers_words(self):
        status, answer = self.server.json("POST", "/question", {"question": f"broken {self.name}"})
        self.assertEqual((status, answer["tag"]), (502, "AgentError"))
        for words in (self.provider, self.model, "HTTP 500", "The backend exploded"):
            self.assertIn(words, answer["error"])
        self.assertGreater(len(self.requests("broken")), 1, "it is tried again")

    def test_an_answer_that_is_cut_ends_as_an_error_and_is_not_asked_again(self):
        events = self.ask("cut")
        self.assertEqual(events[-1].type, "error")
        self.assertEqual(events[-1].data["tag"], "AgentError")
        self.assertTrue(self.text(events))
        self.assertTrue(TEXT.startswith(self.text(events)), "no text stands twice")
        self.assertEqual(len(self.requests("cut")), 1)

    def test_a_slow_first_token_is_waited_for_and_measured(self):
        done = self.ask("slow")[-1].data
        self.assertEqual(done["text"], TEXT)
        self.assertGreaterEqual(done["metrics"]["timing"]["firstTokenMs"], 300)

    def test_questions_at_once_each_get_their_own_answer(self):
        with concurrent.futures.ThreadPoolExecutor(MANY) as pool:
            asked = [f"many {number:02}" for number in range(MANY)]
            texts = [events[-1].data["text"] for events in pool.map(self.ask, asked)]
        self.assertEqual(texts, [f"This is answer {number:02} of {MANY}." for number in range(MANY)])

    def test_a_key_that_is_refused_is_no_empty_answer(self):
        result = self.ask_alone("think", "PATH")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "")
        self.assertIn("401", result.stderr)
        self.assertIn("API key", result.stderr)


class OpenAiChat(Wire, unittest.TestCase):
    name, provider, model, base = "chat", "openai", "gpt-5-mini", "/v1"
    path, options = "/v1/chat/completions", 'api = "chat"'


class OpenAiResponses(Wire, unittest.TestCase):
    name, provider, model, base = "responses", "openai", "gpt-5-mini", "/v1"
    path, options = "/v1/responses", 'api = "responses"'


class Anthropic(Wire, unittest.TestCase):
    name, provider, model, base = "messages", "anthropic", "claude-haiku-4-5", ""
    path = "/v1/messages"


class Gemini(Wire, unittest.TestCase):
    name, provider, model, base = "gemini", "gemini", "gemini-2.5-flash", ""
    path = "/v1beta/models/gemini-2.5-flash:streamGenerateContent"

    def results(self, body):
        return [json.loads(result)["output"] for result in super().results(body)]


class Ollama(Wire, unittest.TestCase):
    name, provider, model, base = "ollama", "ollama", "qwen3:8b", ""
    path = "/api/chat"
    # The peer's Ollama counts nothing, and sends thoughts in a member that the real one lacks.
    usage, thought = None, ""

    def test_without_a_name_the_first_model_of_the_server_is_asked(self):
        result = self.ask_alone("nameless", KEY_VARIABLE, named=False)
        self.assertEqual((result.stdout.strip(), result.returncode), (TEXT, 0), result.stderr)
        first = self.peer.get("/api/tags")["models"][0]["name"]
        self.assertEqual([body["model"] for body in self.requests("nameless")], [first])


class Handover(Asked):
    """A step fails permanently: a model of another protocol continues with the first one's
    results."""

    more = """fallback = ["backup"]
[model.backup]
provider = "{}"
name = "backup-model"
base_url = "{}"
api_key = {{ env = "{}" }}"""

    @classmethod
    def configure(cls, home, key, named=True):
        cls.more = Handover.more.format(cls.backup, cls.peer.url + cls.backup_base, key)
        super().configure(home, key, named)

    def test_another_wire_goes_on(self):
        done = self.ask("handover")[-1].data
        self.assertEqual(done["text"], f"Looking.\n\n{ANSWER}", done)
        self.assertEqual([c["verified"] for c in done["citations"]], [True])
        self.assertIn("The backend is down", done["fallbacks"][0]["message"])
        *failed, last = [e["body"] for e in self.peer.requests(f"handover {self.name}")]
        self.assertEqual({body["model"] for body in failed}, {self.model})
        self.assertEqual(last["model"], "backup-model")
        self.assertIn("zebra feature is off", "".join(self.results(last)))


class GeminiToAnthropic(Handover, unittest.TestCase):
    name, provider, model, base = "to-messages", "gemini", "gemini-2.5-flash", ""
    backup, backup_base = "anthropic", ""


class AnthropicToGemini(Handover, unittest.TestCase):
    name, provider, model, base = "to-gemini", "anthropic", "claude-haiku-4-5", ""
    backup, backup_base = "gemini", ""


class OllamaToOpenAi(Handover, unittest.TestCase):
    name, provider, model, base = "to-chat", "ollama", "qwen3:8b", ""
    backup, backup_base = "openai", "/v1"


if __name__ == "__main__":
    unittest.main()
