"""Plugins that misbehave in every way, while others answer questions: each costs its own question
one error, and nothing else."""

import contextlib
import signal
import threading
import time
import unittest

from harness import TIMEOUT, children, wait_until
from trouble_harness import BAD, ECHO, EXCHANGE, IN_PROCESS, MODELS, RESOURCES, Trouble

HUNG = 10

# What a plugin does (tests/bad_plugins/fault.h), and words of the error; None: it costs nothing.
ROWS = {
    "segv": "was killed by signal 11",
    "abort": "was killed by signal 6",
    "exit": "exited with status 7",
    "throw": "was killed by signal 6",
    "allocate": "exceeded its memory limit of 1024 MiB",
    "fork": "was killed by signal 6",
    "threads": None,
    "process": None,
    "garbage": "sent a frame of 542393671 bytes",
    "giant": "sent a frame of 4294967295 bytes",
    "kind": "sent a frame of unknown kind 200",
    "stranger": "answered a call that was not made",
}


class EachRow(Trouble):
    """Plugins of each kind in processes of their own, as they are without a configuration."""

    def each(self, rows, act):
        """Does `act` for each row beside other questions, which finish. Two rows a server, since the
        third crash of a plugin is one too many."""
        rows = list(rows)
        for pair in zip(rows[::2], rows[1::2]):
            with self.subTest(pair):
                self.start_others()
                for row in pair:
                    act(row)
                self.end_others()
                self.stop()
            self.begin()

    def resource_and_model(self, row):
        self.reconfigure(ECHO, BAD.format("", f"resolve:{row}", 1))
        resource = self.ask("zebra?", "bad")
        model = self.ask(f"generate:{row} zebra?", "code")
        if ROWS[row] is None:
            self.answers_to(resource)
            self.answers_to(model)
        else:
            self.costs(resource, RESOURCES, ROWS[row], "resolve")
            self.costs(model, MODELS, ROWS[row], "generate")

    def exchange(self, row):
        self.reconfigure(EXCHANGE)
        self.costs(self.ask(f"begin:{row} zebra?", "code"), MODELS, ROWS[row], "begin")

    def price_catalogue(self, row):
        """Without its price, the question is answered."""
        self.reconfigure(self.played)
        self.answers_to(self.ask("zebra?", "code"))  # every runner runs
        before = children(self.server.process.pid)
        self.reconfigure(self.played.replace('"m1"', f'"rates:{row}"'))
        self.answers_to(self.ask("zebra?", "code"))
        if ROWS[row]:
            self.assertNotEqual(children(self.server.process.pid), before, "no runner has ended")

    def test_of_resources_and_models(self):
        self.each(ROWS, self.resource_and_model)

    def test_of_exchanges(self):
        self.each(("segv", "exit", "throw", "giant"), self.exchange)

    def test_of_price_catalogues(self):
        self.each(("segv", "allocate", "process", "garbage"), self.price_catalogue)


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


class TenHungFetches(Trouble):
    """Of one plugin, while a folder and another type are read."""

    def setUp(self):
        super().setUp()
        self.reconfigure(ECHO, "".join(BAD.format(i, "fetch:hang", i + 1) for i in range(HUNG))
                         + '[[resource]]\ntype = "hello"\nname = "other"\n')
        self.usual = self.duration()

    def duration(self):
        """Median time of a question about the folder, in seconds."""
        times = []
        for _ in range(7):
            begun = time.monotonic()
            self.answers_to(self.ask("zebra?", "code"))
            times.append(time.monotonic() - begun)
        return sorted(times)[3]

    def fetch(self, name):
        """A question whose resource is fetched, or waits for that, until the server ends."""
        body = {"question": "zebra?", "resources": [name]}
        with contextlib.suppress(OSError), self.server.stream(
                "/question/stream?events=extended", body) as (_, _, events):
            for event in events:
                if event.type == "resource.progress":
                    self.fetching.add(name)

    def test_delay_no_other_and_not_the_end(self):
        self.fetching = set()
        fetches = [threading.Thread(target=self.fetch, args=(f"bad{i}",)) for i in range(HUNG)]
        for fetch in fetches:
            fetch.start()
        wait_until(lambda: len(self.fetching) == HUNG, "all have begun")
        self.assertLess(self.duration(), 3 * self.usual + 0.2)
        self.answers_to(self.ask("welcome?", "other"))
        self.stop()
        for fetch in fetches:
            fetch.join()


class TenHungFetchesInProcess(TenHungFetches):
    ISOLATION = IN_PROCESS


if __name__ == "__main__":
    unittest.main()
