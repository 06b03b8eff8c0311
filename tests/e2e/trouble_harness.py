"""A server with plugins that misbehave when they are told to (tests/bad_plugins/fault.h)."""

import pathlib
import shutil
import threading
import time

from cloud_harness import PLAYED
from harness import BUILD, KEY, TestCase, check_stream, children, wait_until
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
SHUTDOWN = 10  # seconds: the grace, then that of a plugin, on a busy machine


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
