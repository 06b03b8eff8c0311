"""Model servers that deviate from their protocol, with every protocol that can show the deviation. The
forms are those of public reports, as openai/openai-node#2317, maximhq/bifrost#6784,
vllm-project/vllm#19425, NousResearch/hermes-agent#742 and ggml-org/llama.cpp#23678."""

import json
import os
import pathlib
import re
import unittest

from deviations import (AGAIN, ANSWER, APART, CALLED, DEVIATIONS, ERROR, FILTER, HEADS, LENGTH, NONE,
                        PROVIDERS, THOUGHT, WHOLE, ModelServer, seen_of, table)
from harness import KEY_VARIABLE, Home, Server, check_stream

PAGE = pathlib.Path(os.environ["QUARRY_SOURCE_DIR"]) / "docs/configuration.md"


class Asked:
    """A server that asks a model with one protocol."""

    options, deviations = "", DEVIATIONS

    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.remove)
        folder = cls.home.path / "code"
        folder.mkdir()
        (folder / "README.md").write_text("# Tools\n\nThe zebra feature is off by default.\n")
        cls.model = ModelServer(cls.protocol)
        cls.addClassCleanup(cls.model.stop)
        cls.home.write("quarry.toml", f"""
[[resource]]
type = "local"
name = "code"
path = "{folder}"

[model]
provider = "{cls.provider}"
name = "m"
base_url = "{cls.model.url}"
api_key = {{ env = "{KEY_VARIABLE}" }}
{cls.options}
""")
        cls.server = Server(cls.home)
        cls.addClassCleanup(cls.server.stop)

    def ask(self, number):
        """What the caller sees, in the words of the table. A failure before the answer begins may be the
        status of the response."""
        with self.server.stream(body={"question": f"question {number:03}"}) as (status, _, events):
            events = list(events)
        if status != 200:
            self.assertEqual((status, json.loads(events[0])["tag"]), (502, "AgentError"))
            return ERROR
        events = [event for event in events if event.type]
        check_stream(self, events)
        return self.seen(number, events[-1].data)

    def seen(self, number, done):
        if done["type"] == "error":
            return ERROR
        if done["finishReason"] == "length":
            return LENGTH
        if done["finishReason"] == "contentFilter":
            return FILTER
        self.assertEqual((done["finishReason"], done["text"]), ("stop", ANSWER))
        if done["tools"]:
            self.assertEqual({tool["state"]["status"] for tool in done["tools"]}, {"completed"})
            self.assertEqual({tool["tool"] for tool in done["tools"]}, {"read"})
            return CALLED
        if self.model.counts[number] > 1 and self.model.replies[number].status == 200:
            return AGAIN
        if THOUGHT in done["reasoning"]:
            return APART
        self.assertEqual(done["reasoning"], "")
        return WHOLE

    def test_the_caller_sees_what_the_table_tells(self):
        for number, (name, (reply, expected)) in enumerate(self.deviations.items()):
            wanted = seen_of(expected, self.protocol)
            if wanted == NONE:
                continue
            with self.subTest(name):
                self.model.replies[number] = reply(self.protocol)
                self.assertEqual(self.ask(number), wanted)


class OpenAiChat(Asked, unittest.TestCase):
    protocol, provider, options = "chat", "openai", 'api = "chat"'


class OpenAiResponses(Asked, unittest.TestCase):
    protocol, provider, options = "responses", "openai", 'api = "responses"'


class Anthropic(Asked, unittest.TestCase):
    protocol, provider = "messages", "anthropic"


class Gemini(Asked, unittest.TestCase):
    protocol, provider = "gemini", "gemini"


class Ollama(Asked, unittest.TestCase):
    protocol, provider = "ollama", "ollama"


class Documented(unittest.TestCase):
    def test_the_page_has_the_table(self):
        self.assertIn(table(), PAGE.read_text(), "copy deviations.table() into the page")

    def test_the_table_has_every_provider(self):
        rows = PAGE.read_text().split("| provider | key |")[1].split("\n\n")[0]
        served = {name for name, place in re.findall(r"^\| `(\w+)` \|.*\| (.*) \|.*\|$", rows, re.M)
                  if place != "in the process"}
        self.assertEqual(served, set().union(*PROVIDERS.values()))
        for protocol, providers in PROVIDERS.items():
            self.assertEqual(re.findall("`([a-z]+)`", HEADS[protocol]), list(providers))
