"""Plugins that misbehave in every way, while others answer questions: each costs its own question
one error, and nothing else."""

import contextlib
import pathlib
import shutil
import signal
import threading
import time
import unittest

from cloud_harness import PLAYED
from harness import BUILD, KEY, TIMEOUT, TestCase, check_stream, wait_until
from played_model import PlayedModel
from test_serve import LOCAL, tree

RESOURCES = "org.example.faulty"
MODELS = "org.example.models"
IN_PROCESS = f'[plugins.isolation]\n"{RESOURCES}" = "none"\n"{MODELS}" = "none"\n'
CONFIGURATION = """
plugin_path = ["{plugins}", "{fixtures}"]
server.shutdown_grace_ms = 500
model.max_seconds = {seconds}
{model}
{isolation}
"""
BAD = '[[resource]]\ntype = "faulty"\nname = "bad{}"\ndo = "{}"\nfiles = {}\n'
ECHO = 'model.provider = "echo"'
EXCHANGE = 'model.provider = "exchange"'
OTHERS = 32
HUNG = 10
SHUTDOWN = 10  # seconds: the grace, then that of a plugin, on a busy machine

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


def children(pid):
    """Process ids of the children of all threads of a process."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found += (task / "children").read_text().split()
    return sorted(found)


class Trouble(TestCase):
    """A server with a folder, a scripted model and the plugins `faulty` and `models`."""

    ISOLATION = ""

    def setUp(self):
        super().setUp()
        self.plugins = self.home.path / "plugins"
        for name in ("faulty", "models", "hello"):
            shutil.copytree(BUILD / "tests/plugins" / name, self.plugins / name)
        self.home.environment["FIXTURE_KEY"] = KEY
        self.folder = tree(self.home)
        self.begin()

    def begin(self):
        """A new server and a new model."""
        self.model = PlayedModel(self.play)
        self.addCleanup(self.model.stop)
        self.played = PLAYED.format(url=self.model.url)
        self.configure(self.played)
        self.server = self.serve()

    @staticmethod
    def play(number):
        return ["Hello ", PlayedModel.HANG, "there."] if number <= OTHERS else ["Hello."]

    def configure(self, model, bad=BAD.format("", "nothing", 1), seconds=600):
        """Writes the configuration, in which questions may take so many seconds."""
        self.home.write("quarry.toml", CONFIGURATION.format(
            plugins=self.plugins, fixtures=BUILD / "tests/fixtures", model=model, seconds=seconds,
            isolation=self.ISOLATION) + LOCAL.format("code", self.folder) + bad)

    def reconfigure(self, *arguments, **more):
        """The same for the running server, whose questions keep what they began with."""
        self.configure(*arguments, **more)
        status, answer = self.server.json("POST", "/reload-config")
        self.assertEqual(status, 200, answer)

    def start_others(self):
        """Questions that run, each in the middle of its answer."""
        self.answers = []
        self.others = [threading.Thread(target=lambda: self.answers.append(
            self.server.ask("zebra?", ["code"]))) for _ in range(OTHERS)]
        for other in self.others:
            other.start()
        wait_until(lambda: self.model.count == OTHERS, "all questions have reached the model")

    def end_others(self):
        """All of them are answered."""
        self.model.release()
        for other in self.others:
            other.join()
        self.assertEqual(len(self.answers), OTHERS)
        for events in self.answers:
            check_stream(self, events)
            self.assertEqual((events[-1].type, events[-1].data.get("text")), ("done", "Hello there."))

    def stop(self):
        """Ends the server by a signal, within its grace; returns what it said."""
        runners = children(self.server.process.pid)
        begun = time.monotonic()
        status, errors = self.server.stop()
        self.assertEqual(status, 0, errors)
        self.assertLess(time.monotonic() - begun, SHUTDOWN)
        for pid in runners:
            self.assertFalse(pathlib.Path(f"/proc/{pid}").exists(), "a runner outlives its host")
        return errors

    def ask(self, question, *resources):
        """(status, body) of a question."""
        return self.server.json("POST", "/question",
                                {"question": question, "resources": list(resources)})

    def costs(self, outcome, *words):
        """The question got one error, which says so."""
        status, body = outcome
        self.assertNotEqual(status, 200, body)
        for word in words:
            self.assertIn(word, body["error"])

    def answers_to(self, outcome):
        self.assertEqual(outcome[0], 200, outcome[1])


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


class Hangs(Trouble):
    """A function that does not return: its question ends at its limit, and says what it was waiting
    for."""

    def hang(self):
        self.start_others()
        self.reconfigure(ECHO, BAD.format("", "resolve:hang", 1), seconds=1)
        self.costs(self.ask("zebra?", "bad"), 'no answer within 1 s: the resource "bad" of type faulty')
        self.costs(self.ask("generate:hang zebra?", "code"), "the model echo/m had not finished")
        self.end_others()

    def test_of_an_isolated_plugin(self):
        self.hang()
        self.stop()

    def test_in_begin_of_an_isolated_plugin(self):
        self.start_others()
        self.reconfigure(EXCHANGE)
        self.costs(self.ask("begin:hang zebra?", "code"), MODELS, "did not answer begin")
        self.end_others()
        self.stop()

    def test_in_a_price_catalogue_of_an_isolated_plugin(self):
        self.start_others()
        self.reconfigure(self.played.replace('"m1"', '"rates:hang"'))
        self.answers_to(self.ask("zebra?", "code"))
        self.end_others()
        self.stop()

    def test_in_describe_while_the_plugin_is_loaded(self):
        self.start_others()
        self.reconfigure(ECHO, '[resource_type.faulty]\ndo = "describe:hang"\n')
        problems = self.server.json("GET", "/readyz")[1]["problems"]
        self.assertTrue(any(RESOURCES in each and "describe" in each for each in problems), problems)
        self.end_others()
        self.stop()


class HangsInProcess(Hangs):
    """Of a plugin that runs in the host, which ends without it."""

    ISOLATION = IN_PROCESS
    test_of_an_isolated_plugin = None
    test_in_begin_of_an_isolated_plugin = None
    test_in_a_price_catalogue_of_an_isolated_plugin = None

    def test_of_a_plugin_in_the_host(self):
        self.hang()
        errors = self.stop()
        for plugin, function in ((RESOURCES, "resolve"), (MODELS, "generate")):
            self.assertIn(f"plugin {plugin} does not return from {function}", errors)
            self.assertIn(f"plugin {plugin} has not returned from {function}: the host ends", errors)

    def test_in_a_price_catalogue_of_a_plugin_in_the_host(self):
        self.start_others()
        self.reconfigure(self.played.replace('"m1"', '"rates:hang"'))
        self.answers_to(self.ask("zebra?", "code"))
        self.end_others()
        self.assertIn(f"plugin {MODELS} has not returned from rates", self.stop())


class ExchangeInProcess(Trouble):
    """Its functions have no thread of their own: one that hangs stops the answers, not the end."""

    ISOLATION = IN_PROCESS

    def answered(self, question, seconds):
        """False if there is no response within so many seconds, or ever."""
        with contextlib.suppress(OSError):
            body = {"question": question, "resources": ["code"]}
            self.server.request("POST", "/question", body, timeout=seconds)
            return True
        return False

    def test_that_hangs_does_not_stop_the_end(self):
        self.reconfigure(EXCHANGE)
        question = threading.Thread(target=self.answered, args=("begin:hang zebra?", TIMEOUT))
        question.start()
        wait_until(lambda: not self.answered("zebra?", 1), "the server answers no question")
        begun = time.monotonic()
        status, errors = self.server.stop()
        self.assertEqual(status, 1)
        self.assertLess(time.monotonic() - begun, SHUTDOWN)
        self.assertIn(f"plugin {MODELS} does not return from begin: the host ends at once", errors)
        question.join()


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
