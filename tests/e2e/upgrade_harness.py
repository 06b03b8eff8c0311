"""A server that another process takes the place of, while it answers a question."""

import contextlib
import json
import os
import pathlib
import signal

from harness import BUILD, KEY, TestCase, patience, wait_until
from played_model import PlayedModel
from test_serve import tree

CONFIGURATION = """
plugin_path = ["{fixtures}"]
[server]
reload_on_change = false
[model]
provider = "fixture"
name = "m1"
base_url = "{url}"
[[resource]]
type = "local"
name = "code"
path = "{folder}"
"""


def alive(process):
    """Whether a process runs; one that has ended may still be known to the system."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def listens(process):
    """Whether a process has a socket of IPv4 that listens."""
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {f"socket:[{row[9]}]" for row in rows if row[3] == "0A"}
    open_files = set()
    for path in pathlib.Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            open_files.add(os.readlink(path))
    return bool(listening & open_files)


class Upgrade(TestCase):
    def setUp(self):
        super().setUp()
        self.home.environment["FIXTURE_KEY"] = KEY
        self.model = PlayedModel(lambda number: ["first half, ", PlayedModel.HANG, "second half"])
        self.addCleanup(self.model.stop)
        self.folder = tree(self.home)
        self.configure()

    def configure(self, more=""):
        self.home.write("quarry.toml", more + CONFIGURATION.format(
            fixtures=BUILD / "tests/fixtures", url=self.model.url, folder=self.folder))

    def end(self, process):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
        wait_until(lambda: not alive(process), "the server has ended")

    def upgrade(self, process):
        """The process that has taken the place of `process`."""
        result = self.home.run("upgrade-in-place", process, "--json", timeout=patience(180))
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["replaced"], process)
        self.addCleanup(self.end, answer["process"])
        return answer["process"]

    def ask_slowly(self, server):
        """(events so far, the others) of a question whose answer has begun; leave() closes its stream."""
        stream = server.stream(body={"question": "How are dates parsed?", "resources": ["code"]})
        streams = contextlib.ExitStack()
        status, _, events = streams.enter_context(stream)
        self.addCleanup(streams.close)
        self.leave = streams.close
        self.assertEqual(status, 200)
        begun = []
        for event in events:
            begun += [event] if event.type else []
            if event.type == "text.delta":
                return begun, events
