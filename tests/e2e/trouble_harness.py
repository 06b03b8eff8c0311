"""A server with plugins that misbehave when they are told to (tests/bad_plugins/fault.h)."""

import pathlib
import shutil
import threading

from cloud_harness import PLAYED
from harness import BUILD, KEY, TestCase, check_stream, runners, wait_until
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
HOUR = 3600
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
GREEDY = ("allocate", "fork")  # those that take all that they get


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

    def configure(self, model, bad=BAD.format("", "nothing", 1), seconds=HOUR):
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
        """Ends the server by a signal, although functions hang for an hour; returns what it said."""
        running = [pathlib.Path(f"/proc/{pid}") for pid in runners(self.server.process.pid)]
        status, errors = self.server.stop()
        self.assertEqual(status, 0, errors)
        wait_until(lambda: not any(path.exists() for path in running), "no runner outlives its host")
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


class Rows(Trouble):
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
        before = set(runners(self.server.process.pid))
        self.reconfigure(self.played.replace('"m1"', f'"rates:{row}"'))
        self.answers_to(self.ask("zebra?", "code"))
        if ROWS[row]:
            wait_until(lambda: before - set(runners(self.server.process.pid)), "a runner has ended")
