"""The npm package: published to a registry, and started by npx in an empty directory."""

import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from prepare import SOURCE, digests, documented, package
from harness import children  # in tests/e2e, as npm_server
from npm_server import MISSING, NODE, NpmServer

NPM = SOURCE / "build/npm/npm/bin"
TIMEOUT = 120
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {},
              "clientInfo": {"name": "test", "version": "1"}}


class Npm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if MISSING:
            raise AssertionError(MISSING)
        directory = tempfile.TemporaryDirectory(prefix="quarry-npm-")
        cls.addClassCleanup(directory.cleanup)
        cls.home = pathlib.Path(directory.name)
        (cls.home / "empty").mkdir()
        cls.server = NpmServer(cls.home / "registry")
        cls.addClassCleanup(cls.server.stop)
        address = cls.server.url.removeprefix("http:")
        (cls.home / ".npmrc").write_text(f"registry={cls.server.url}/\nupdate-notifier=false\n"
                                         f"{address}/:_authToken={cls.server.token}\n")
        cls.environment = {"PATH": f"{NODE.parent}:{os.environ['PATH']}", "HOME": str(cls.home),
                           "LANG": "C.UTF-8", "QUARRY_PRICING_REFRESH": "false"}
        cls.made = package("npm")[0]
        cls.npm("npm-cli.js", "publish", cls.made, "--access", "public")
        cls.npm("npm-cli.js", "install", "--global", "--prefix", cls.home / "installed",
                "@quarry/cli")

    @classmethod
    def npm(cls, program, *words, **more):
        result = subprocess.run([NODE, NPM / program, *words], cwd=cls.home / "empty",
                                env=cls.environment, capture_output=True, text=True,
                                timeout=TIMEOUT, **more)
        if result.returncode:
            raise AssertionError(f"{program} {words}: {result.returncode}\n"
                                 f"{result.stdout}{result.stderr}")
        return result.stdout

    def start(self, *words):
        process = subprocess.Popen([self.home / "installed/bin/quarry", *words],
                                   cwd=self.home / "empty", env=self.environment, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_npx_starts_mcp_in_an_empty_directory(self):
        messages = [{"id": 1, "method": "initialize", "params": INITIALIZE},
                    {"method": "notifications/initialized"}, {"id": 2, "method": "tools/list"}]
        said = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
        _, command = documented("npx")
        answers = [json.loads(line) for line in
                   self.npm("npx-cli.js", *command.split()[1:], input=said).splitlines()]
        results = {answer["id"]: answer["result"] for answer in answers if "id" in answer}
        self.assertEqual(results[1]["serverInfo"]["name"], "quarry")
        self.assertIn("ask", [tool["name"] for tool in results[2]["tools"]])

    def test_npx_answers_in_seconds_and_sets_itself_up(self):
        (self.home / "empty/docs").mkdir()
        (self.home / "empty/docs/dates.md").write_text("# Dates\n\nDates are parsed by parse_date.\n")
        self.addCleanup(shutil.rmtree, self.home / "empty/docs")
        ask, _ = documented("npx")
        for cache in ("cold", "warm"):
            begun = time.monotonic()
            answer = self.npm("npx-cli.js", *shlex.split(ask)[1:])
            print(f"from npx to a cited answer, cache {cache}: {time.monotonic() - begun:.1f} s")
            self.assertRegex(answer, r"\[docs:dates\.md#L\d")
        shown = self.npm("npx-cli.js", "-y", "@quarry/cli", "mcp", "setup", "claude-code")
        self.assertIn('"npx"', shown)
        self.assertIn('"@quarry/cli"', shown)

    def test_the_exit_code_is_that_of_the_program(self):
        for words, code in ((["version"], 0), (["no-such-verb"], 2)):
            process = self.start(*words)
            process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, code, words)

    def test_signals_reach_the_program(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.start("serve", "--listen", "127.0.0.1:0")
            self.assertIn("http://127.0.0.1:", process.stdout.readline())
            process.send_signal(number)
            process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 0)  # a server that shuts down in order

    def test_the_signal_that_ends_the_program_ends_the_launcher(self):
        process = self.start("serve", "--listen", "127.0.0.1:0")
        process.stdout.readline()
        [child] = children(process.pid)
        os.kill(int(child), signal.SIGKILL)
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, -signal.SIGKILL)

    def test_made_again_it_is_identical(self):
        first = digests([self.made])
        self.assertEqual(digests(package("npm")), first)


if __name__ == "__main__":
    unittest.main()
