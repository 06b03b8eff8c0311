"""One plugin that misbehaves in one function and in one way (tests/bad_plugins/faulty.c), and what else
goes on: questions of another type, `serve`, a restart, a reload, `config check` and the list of resources.
A cell of the table is (function, fault, isolated)."""

import contextlib
import shutil

from harness import BUILD, TIMEOUT, Home, Server, TestCase, patience
from test_serve import LOCAL, tree
from trouble_harness import RESOURCES

AT_START = ("open", "create", "describe")
IN_USE = ("normalise", "resolve", "fetch")
# What the plugin does, and words of the error; those of a hang depend on who ends it.
FAULTS = {"segv": "signal 11", "exit": "exited with status 7", "hang": "", "fail": "it failed on purpose",
          "throw": "signal 6", "nonsense": "not JSON"}
ENDS_ITS_PROCESS = ("segv", "exit", "throw")
LONG = patience(300)  # seconds: create may take 30 s, at each start
CONFIGURATION = """
plugin_path = ["{plugins}"]
model.provider = "extractive"
model.max_seconds = 5
server.shutdown_grace_ms = 500
{isolation}
"""
RESOURCE = '[[resource]]\ntype = "faulty"\nname = "bad"\ndo = "{}"\n'
IN_PROCESS = f'[plugins.isolation]\n"{RESOURCES}" = "none"\n'


class Cell:
    """One cell, in a home of its own."""

    def __init__(self, test, function, fault, isolated):
        self.test = test
        self.function, self.fault, self.isolated = function, fault, isolated
        self.home = Home()
        test.addCleanup(self.home.remove)
        plugins = self.home.path / "plugins"
        shutil.copytree(BUILD / "tests/plugins/faulty", plugins / "faulty")
        wrong = f"{function}:{fault}"
        if function in AT_START:
            self.home.environment["TZ"] = wrong
        self.home.write("quarry.toml", CONFIGURATION.format(
            plugins=plugins, isolation="" if isolated else IN_PROCESS)
            + LOCAL.format("code", tree(self.home)) + RESOURCE.format(wrong))

    def check(self):
        self.goes_on_in_config_check()
        server = self.started()
        if not self.isolated and self.function in IN_USE and self.fault in ENDS_ITS_PROCESS:
            self.ends_the_host(server)
            server = self.started()
        else:
            self.answers_the_others(server)
            self.fails(server)
            self.reloads(server)
            server = self.restarted(server)
        self.answers_the_others(server)
        self.stop(server)
        asked = self.home.run("ask", "-r", "code", "zebra?", timeout=LONG)
        self.test.assertEqual(asked.returncode, 0, asked.stderr)

    def started(self):
        server = Server(self.home)
        self.test.addCleanup(server.stop)
        return server

    def stop(self, server):
        status, errors = server.stop()
        self.test.assertEqual(status, 0, errors)

    def restarted(self, server):
        self.stop(server)
        return self.started()

    def goes_on_in_config_check(self):
        """It names what breaks a start."""
        result = self.home.run("config", "check", timeout=LONG)
        is_tried = self.function == "normalise" and self.isolated
        breaks = self.function in AT_START and self.fault not in ("fail", "nonsense")
        self.test.assertEqual(result.returncode, 3 if breaks or is_tried else 0, result.stderr)
        for word in (RESOURCES, self.function) if breaks else ('"bad"',) if is_tried else ():
            self.test.assertIn(word, result.stderr)

    @staticmethod
    def ask(server, resource):
        status, _, text = server.request("POST", "/question", {"question": "zebra?", "resources": [resource]},
                                         timeout=LONG)
        return status, text

    def answers_the_others(self, server):
        status, text = self.ask(server, "code")
        self.test.assertEqual(status, 200, text)
        status, listed = server.json("GET", "/resources")
        self.test.assertEqual((status, [each["name"] for each in listed["resources"]]), (200, ["code", "bad"]))

    def fails(self, server):
        """Its own question, with the plugin, or its resource, and the cause."""
        status, text = self.ask(server, "bad")
        self.test.assertNotEqual(status, 200, text)
        twice = self.fault == "nonsense" and self.function in ("open", "create")
        self.test.assertIn("more than one outcome" if twice else FAULTS[self.fault], text)
        is_told = self.function in AT_START or self.fault not in ("fail", "hang")
        self.test.assertIn(RESOURCES if is_told else "bad", text)

    def reloads(self, server):
        for path in ("/reload-config", "/plugins/reload"):
            status, _, text = server.request("POST", path, {}, timeout=LONG)
            self.test.assertEqual(status, 200, text)
        self.answers_the_others(server)

    def ends_the_host(self, server):
        """A crash in its process, which it names."""
        with contextlib.suppress(ConnectionError, OSError):
            self.ask(server, "bad")
        _, errors = server.process.communicate(timeout=TIMEOUT)
        self.test.assertNotEqual(server.process.returncode, 0)
        if self.fault != "exit":  # _exit, which nobody notices
            self.test.assertIn(f"plugin {RESOURCES} ended the host in {self.function}", errors.decode())


class Table(TestCase):
    def cell(self, function, fault, isolated):
        with self.subTest(function=function, fault=fault, isolated=isolated):
            Cell(self, function, fault, isolated).check()
