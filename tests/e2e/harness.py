"""Starts the real program in its own home directory and uses it as a client does."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ["QUARRY_BUILD_DIR"]).resolve()
SOURCE = pathlib.Path(os.environ["QUARRY_SOURCE_DIR"]).resolve()
QUARRY = BUILD / "bin" / "quarry"


def patience(seconds):
    """A limit that only a test which hangs reaches: `seconds`, as many times as QUARRY_TEST_PATIENCE says."""
    return seconds * max(1, int(os.environ.get("QUARRY_TEST_PATIENCE", "1")))


TIMEOUT = patience(60)

# Every program of these tests has a key in its environment, KEY_VARIABLE, and all its output and
# the files it leaves behind are searched for it. A configuration that sends it names { env =
# "QUARRY_TEST_KEY" }. Each test program has its own, so that concurrent ones cannot find each
# other's.
KEY_VARIABLE = "QUARRY_TEST_KEY"
KEY = f"sk-canary-{secrets.token_hex(8)}"


def without_key(said):
    """Returns `said` (text or bytes), which must not contain the key."""
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    at = text.find(KEY)
    assert at < 0, f"the key is in an output: …{text[max(0, at - 200):at]}"
    return said


class Event:
    """One server-sent event, or a comment (type None)."""

    def __init__(self, number, kind, text):
        self.id, self.type, self.text = number, kind, text

    @property
    def data(self):
        return json.loads(self.text)


def parse_events(stream):
    """Yields the events of a binary stream, and checks the framing that clients rely on."""
    fields, comments = {}, 0
    for raw in stream:
        line = without_key(raw.decode())
        assert line.endswith("\n"), f"a line without its end: {line!r}"
        line = line[:-1]
        if line.startswith(":"):
            comments += 1
            yield Event(None, None, line[1:].strip())
        elif line:
            name, separator, value = line.partition(": ")
            assert separator, f"no space after the colon: {line!r}"
            assert name in ("event", "data", "id", "retry"), line
            fields[name] = value
        elif "data" in fields:
            yield Event(int(fields["id"]), fields["event"], fields["data"])
            fields = {}
        else:
            fields = {}


class Home:
    """A home directory with its own configuration, cache and state."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="quarry-e2e-"))
        self.project = self.path / "project"
        self.project.mkdir()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.path),
            "XDG_CONFIG_HOME": str(self.path / "config"),
            "XDG_CACHE_HOME": str(self.path / "cache"),
            "XDG_STATE_HOME": str(self.path / "state"),
            "XDG_DATA_HOME": str(self.path / "data"),
            "LANG": "C.UTF-8",
            KEY_VARIABLE: KEY,
            "QUARRY_PRICING_REFRESH": "false",  # no test leaves this machine
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def remove(self):
        try:
            self.search_for_key()
        finally:
            shutil.rmtree(self.path, ignore_errors=True)

    def search_for_key(self):
        """No file left in this home may contain the key."""
        for path in self.path.rglob("*"):
            with contextlib.suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o700)
        for path in self.path.rglob("*"):
            with contextlib.suppress(OSError):
                if path.is_file() and not path.is_symlink() and KEY.encode() in path.read_bytes():
                    raise AssertionError(f"the key stands in {path}")

    def write(self, name, text, trust=True):
        """Writes a file of the project. A quarry.toml is trusted as far as it is valid."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
        if trust and path.name == "quarry.toml":
            self.run("trust", "--yes", path)
        return path

    def run(self, *arguments, cwd=None, timeout=TIMEOUT, **more):
        """Runs quarry to completion; the result has returncode, stdout and stderr."""
        result = subprocess.run([QUARRY, *map(str, arguments)], cwd=cwd or self.project,
                                env={**self.environment, **more.pop("env", {})},
                                capture_output=True, text=True, timeout=timeout, **more)
        without_key(result.stdout)
        without_key(result.stderr)
        return result

    def start(self, *arguments, **more):
        return subprocess.Popen([QUARRY, *map(str, arguments)], cwd=self.project,
                                env={**self.environment, **more.pop("env", {})},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


class Server:
    """`quarry serve` on a free port."""

    def __init__(self, home, *arguments):
        self.process = home.start("serve", "--listen", "127.0.0.1:0", *arguments)
        line = self.process.stdout.readline().decode()
        match = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not match:
            self.process.kill()
            raise AssertionError(f"no address in {line!r}: {self.process.stderr.read().decode()}")
        self.port = int(match.group(1))
        self.url = f"http://127.0.0.1:{self.port}"

    def request(self, method, path, body=None, headers=None, timeout=TIMEOUT):
        """(status, headers, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        with contextlib.closing(connection):
            headers = dict(headers or {})
            if body is not None and not isinstance(body, (str, bytes)):
                body = json.dumps(body)
            if body is not None:
                headers.setdefault("Content-Type", "application/json")
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.headers, without_key(response.read().decode())

    def measured_metrics(self):
        """The metrics, once they have the size of the cache, which the first reading begins to measure."""
        def read():
            text = self.request("GET", "/metrics")[2]
            return "quarry_cache_bytes" in text and text
        return wait_until(read, "the cache is measured")

    def json(self, method, path, body=None, headers=None):
        status, _, text = self.request(method, path, body, headers)
        return status, json.loads(text)

    @contextlib.contextmanager
    def stream(self, path="/question/stream", body=None, headers=None):
        """An open event stream: (status, headers, iterator of events)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        with contextlib.closing(connection):
            headers = dict(headers or {})
            if body is not None:
                headers["Content-Type"] = "application/json"
            connection.request("GET" if body is None else "POST", path,
                               None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            yield (response.status, response.headers,
                   parse_events(response) if response.status == 200 else [response.read()])

    def ask(self, question, resources=None, **more):
        """All events of one question."""
        body = {"question": question, **more}
        if resources is not None:
            body["resources"] = resources
        with self.stream(body=body) as (status, _, events):
            assert status == 200, (status, list(events))
            return [event for event in events if event.type]

    def stop(self, number=signal.SIGTERM):
        """Sends a signal; returns (exit code, standard error)."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode, without_key(errors.decode())


def of_threads(process, name):
    """What /proc says about each thread of a process in the file `name`, without threads that end meanwhile."""
    texts = []
    for path in pathlib.Path(f"/proc/{process}/task").glob(f"*/{name}"):
        with contextlib.suppress(OSError):
            texts.append(path.read_text().strip())
    return texts


def log_lines(errors):
    """The lines of a server's log, each an object; nothing else may stand on its standard error."""
    return [json.loads(line) for line in errors.splitlines()]


def wait_until(condition, what, seconds=TIMEOUT):
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"did not happen within {seconds} s: {what}")
        time.sleep(0.005)
    return value


def ask_by_mcp(home, question):
    """The result of the tool over standard input and output, as editors call it."""
    said = [{"id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": "ask", "arguments": {"question": question}}}]
    with home.start("mcp", stdin=subprocess.PIPE) as process:
        for each in said:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n")
            process.stdin.flush()
        answers = (json.loads(line) for line in process.stdout)
        result = next(answer["result"] for answer in answers if answer.get("id") == 2)
        process.stdin.close()
        return result


def children(pid):
    """Process ids of the children of all threads of a process."""
    return sorted(" ".join(of_threads(pid, "children")).split())


def runners(pid):
    """Process ids of the children that run plugins. Others come and go by themselves, such as a probe of a
    plugin that is loaded late."""
    found = []
    for child in children(pid):
        with contextlib.suppress(OSError):
            if b"--run-plugin" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                found.append(child)
    return found


def without_progress(output):
    """The events of `quarry ask --json`, but those about the preparation of resources."""
    events = [json.loads(line) for line in output.splitlines()]
    return [event for event in events if event["type"] != "resource.progress"]


def check_stream(test, events):
    """Checks the rules that hold for the events of every question."""
    test.assertEqual([event.id for event in events], sorted({event.id for event in events}))
    test.assertEqual(events[0].type, "meta")
    test.assertIn(events[-1].type, ("done", "error"))
    test.assertEqual(sum(event.type in ("done", "error") for event in events), 1)
    test.assertTrue(all(event.data["type"] == event.type for event in events))
    if events[-1].type == "done":
        done = events[-1].data
        for kind, field in (("text.delta", "text"), ("reasoning.delta", "reasoning")):
            told = "".join(event.data["delta"] for event in events if event.type == kind)
            test.assertEqual(told, done[field])
    last = {}
    for event in events:
        if event.type == "tool.updated":
            last[event.data["callID"]] = event.data["state"]["status"]
    test.assertTrue(set(last.values()) <= {"completed", "error"}, last)


class TestCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.remove)

    def serve(self, *arguments):
        server = Server(self.home, *arguments)
        self.addCleanup(server.stop)
        return server
