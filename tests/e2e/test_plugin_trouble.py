"""Plugins that misbehave in every way, while others answer questions: each costs its own question
one error, and nothing else. The ways that take a machine's memory or its processes, and hung calls, which the host
waits for when it ends, are in test_plugin_trouble_slow.py."""

import contextlib
import signal
import unittest

from harness import TIMEOUT
from trouble_harness import BAD, ECHO, GREEDY, IN_PROCESS, RESOURCES, ROWS, Rows, Trouble


class EachRow(Rows):
    def test_of_resources_and_models(self):
        self.each((row for row in ROWS if row not in GREEDY), self.resource_and_model)

    def test_of_exchanges(self):
        self.each(("segv", "exit", "throw", "giant"), self.exchange)

    def test_of_price_catalogues(self):
        self.each(("segv", "abort", "process", "garbage"), self.price_catalogue)


class CrashInProcess(Trouble):
    """It ends the host, which says why."""

    ISOLATION = IN_PROCESS

    def crash(self, name, status):
        self.reconfigure(ECHO, BAD.format("", f"resolve:{name}", 1))
        with contextlib.suppress(ConnectionError, OSError):
            self.ask("zebra?", "bad")
        _, errors = self.server.process.communicate(timeout=TIMEOUT)
        self.assertEqual(self.server.process.returncode, status)
        return errors.decode()

    def test_by_a_signal_names_the_plugin_and_its_function(self):
        self.assertIn(f"plugin {RESOURCES} ended the host in resolve, by SIGSEGV",
                      self.crash("segv", -signal.SIGSEGV))

    def test_by_an_exception_names_the_plugin_and_its_function(self):
        self.assertIn(f"plugin {RESOURCES} ended the host in resolve, by SIGABRT",
                      self.crash("throw", -signal.SIGABRT))


if __name__ == "__main__":
    unittest.main()
