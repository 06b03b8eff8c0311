"""Plugins that hang while the host starts or ends: functions that are called for no question."""

import concurrent.futures
import contextlib
import http.client
import json
import shutil
import unittest

from cloud_harness import post, tool
from harness import BUILD, Home, Server, TestCase, patience, wait_until
from test_serve import LOCAL, tree

OPEN_HANGS = "org.example.open-hangs"
FAULTY = "org.example.faulty"
MODELS = "org.example.models"
PARTS = "org.example.parts"
CONFIGURATION = """
plugin_path = ["{plugins}"]
server.shutdown_grace_ms = 500
{more}
"""
IN_PROCESS = '[plugins.isolation]\n"{}" = "none"\n'
START = patience(90)  # seconds: the limit of create is 30 s


class Case(TestCase):
    def home_with(self, plugin, more):
        """A home with a copy of one plugin, the folder `code`, and more configuration."""
        home = Home()
        self.addCleanup(home.remove)
        plugins = home.path / "plugins"
        shutil.copytree(BUILD / "tests/plugins" / plugin, plugins / plugin)
        home.folder = tree(home)
        home.write("quarry.toml", CONFIGURATION.format(plugins=plugins, more=more)
                   + LOCAL.format("code", home.folder))
        return home


class Beside(Case):
    """A plugin that hangs while it is opened, or its component created. The server starts without
    it, and other plugins answer."""

    def started(self, plugin, more):
        server = Server(self.home_with(plugin, more))
        self.addCleanup(server.stop)
        return server

    def start_each(self, plugin, *configurations):
        """A server for each configuration, started side by side."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            return list(pool.map(lambda more: self.started(plugin, more), configurations))

    def names(self, text, *words):
        for word in words:
            self.assertIn(word, text)

    def runs_without(self, server, *words):
        """It says why a plugin is missing, and answers from another one."""
        problems = " ".join(server.json("GET", "/readyz")[1]["problems"])
        self.names(problems, *words)
        status, answer = server.json("POST", "/question", {"question": "zebra?", "resources": ["code"]})
        self.assertEqual(status, 200, answer)

    def ends(self, server, *words):
        status, errors = server.stop()
        self.assertEqual(status, 0, errors)
        self.names(errors, *words)

    def test_open(self):
        model = 'model.provider = "extractive"\n'
        here, apart = self.start_each("open-hangs", model + IN_PROCESS.format(OPEN_HANGS), model)
        self.runs_without(here, OPEN_HANGS, "did not return from open")
        self.runs_without(apart, OPEN_HANGS, "open")
        self.ends(here, OPEN_HANGS, "open")
        self.ends(apart, OPEN_HANGS, "open")

    def test_open_is_reported_by_list_and_ask(self):
        more = 'model.provider = "extractive"\n' + IN_PROCESS.format(OPEN_HANGS)
        home = self.home_with("open-hangs", more)
        listed = home.run("plugins", "list", "--json")
        problems = " ".join(json.loads(listed.stdout)["problems"])
        self.names(problems, OPEN_HANGS, "did not return from open", "remove ")
        asked = home.run("ask", "-r", "code", "zebra?")
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.names(asked.stderr, OPEN_HANGS, "did not return from open")

    def test_create_of_a_resource_type(self):
        more = 'model.provider = "extractive"\n[resource_type.faulty]\ndo = "create:hang"\n'
        here, apart = self.start_each("faulty", more + IN_PROCESS.format(FAULTY), more)
        self.runs_without(here, FAULTY, "did not return from create", "process")
        self.runs_without(apart, FAULTY, "create")
        self.ends(here, FAULTY, "create")
        self.ends(apart, FAULTY, "create")

    def test_create_of_a_model_provider(self):
        more = 'model.provider = "echo"\nmodel.do = "create:hang"\n'
        here, apart = self.start_each("models", more + IN_PROCESS.format(MODELS), more)
        for server in (here, apart):
            self.assertEqual(server.json("GET", "/resources")[0], 200)
            status, answer = server.json("POST", "/question",
                                         {"question": "zebra?", "resources": ["code"]})
            self.assertNotEqual(status, 200)
            self.names(answer["error"], MODELS, "create")
        self.ends(here, MODELS, "create")
        self.ends(apart)


class Parts(Case):
    """A transport and a store, which only run in the host."""

    COMMON = 'plugins.drafts = true\nmodel.provider = "extractive"\n' + IN_PROCESS.format(PARTS)
    TRANSPORT = COMMON + '[transport.parts]\nenabled = true\ndo = "{}"\n'
    STORE = COMMON + (
        '[store]\nprovider = "parts"\ndo = "{}"\n[transport.rest]\nenabled = false\n'
        '[transport.mcp]\nenabled = true\nlisten = "127.0.0.1:0"\n')

    def test_a_transport_that_hangs_in_create_is_left_out(self):
        server = self.served(self.TRANSPORT.format("create:hang"))
        problems = " ".join(server.json("GET", "/readyz")[1]["problems"])
        self.assertIn(f"plugin {PARTS} did not return from create", problems)
        status, answer = server.json("POST", "/question", {"question": "zebra?"})
        self.assertEqual(status, 200, answer)

    def test_a_store_that_hangs_in_create_is_left_out(self):
        server = self.served(self.STORE.format("create:hang"))
        self.assertEqual(self.post(server), 503)
        status, errors = server.stop()
        self.assertEqual(status, 0, errors)
        self.assertIn(f"plugin {PARTS} did not return from create", errors)

    def test_a_transport_that_hangs_in_start_ends_it_with_an_error(self):
        home = self.home_with("parts", self.TRANSPORT.format("start:hang"))
        started = home.run("serve", "--listen", "127.0.0.1:0", timeout=START)
        self.assertNotEqual(started.returncode, 0)
        self.assertIn("transport parts", started.stderr)
        self.assertIn(f"plugin {PARTS} did not return from start", started.stderr)
        self.assertIn(f'disabled = ["{PARTS}"]', started.stderr)

    def ends(self, server, function):
        status, errors = server.stop()
        self.assertEqual(status, 0, errors)
        self.assertIn(f"plugin {PARTS} does not return from {function}: the call is given up", errors)
        self.assertIn(f"plugin {PARTS} has not returned from {function}: the host ends", errors)

    def served(self, more):
        home = self.home_with("parts", more)
        server = Server(home)
        server.home = home
        self.addCleanup(server.stop)
        return server

    def test_a_transport_that_hangs_in_stop_is_left_behind(self):
        self.ends(self.served(self.TRANSPORT.format("stop:hang")), "stop")

    def served_with_hung_calls(self, number):
        """A server with the cloud interface, and so many requests that wait for the store."""
        server = self.served(self.STORE.format("find_token:hang"))
        pool = concurrent.futures.ThreadPoolExecutor()
        self.addCleanup(pool.shutdown)
        waiting = [pool.submit(self.post, server) for _ in range(number)]
        calls = server.home.project / "find_token"
        wait_until(lambda: calls.exists() and calls.stat().st_size == number, "the store is asked")
        return server, waiting

    @staticmethod
    def post(server):
        """Status of a request with a token; None if the server ends first."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            return post(server.port, "a-token", tool("listResources", {}))[0]

    def test_a_store_that_hangs_is_left_behind(self):
        server, _ = self.served_with_hung_calls(3)
        self.ends(server, "find_token")

    def test_a_call_of_a_store_that_hangs_fails(self):
        server, waiting = self.served_with_hung_calls(1)
        self.assertEqual(waiting[0].result(START), 503)
        self.ends(server, "find_token")


if __name__ == "__main__":
    unittest.main()
