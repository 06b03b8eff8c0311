"""The log of the real program: JSON on a pipe, text on a terminal, entries of the journal."""

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import unittest

from harness import BUILD, QUARRY, TIMEOUT, TestCase, log_lines, wait_until, without_key

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PLUGIN = "org.example.services"
CONFIGURATION = """
plugin_path = ["{plugins}"]
plugins.isolation."{plugin}" = "{isolation}"
model.provider = "extractive"
{root}
[log]
level = "{level}"
{more}
[[resource]]
type = "services"
name = "made"
"""
GONE = '[[resource]]\ntype = "git"\nname = "gone"\nurl = "https://git.invalid/gone"\n'
FETCHES = 'it "fetches"\nnow'  # what the plugin logs
HEADERS = {"X-Request-Id": "request-1", "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
IN_NAMESPACE = ["unshare", "--mount", "--propagation", "private", "sh", "-ec",
                'mount -t tmpfs none /run; mkdir -p /run/systemd/journal; '
                'if [ -n "$1" ]; then mount --bind "$1" /run/systemd/journal; fi; shift; exec "$@"', "sh"]


def has_namespaces():
    return shutil.which("unshare") is not None and subprocess.run(
        [*IN_NAMESPACE, "", "true"], capture_output=True, check=False).returncode == 0


class LogCase(TestCase):
    def configure(self, level="debug", isolation="process", root="", more="", after=""):
        plugins = self.home.path / "plugins"
        if not plugins.exists():
            shutil.copytree(BUILD / "tests/plugins/services", plugins / "services")
        self.home.write("quarry.toml", CONFIGURATION.format(plugins=plugins, plugin=PLUGIN, level=level,
                                                            isolation=isolation, root=root, more=more) + after)

    def end(self, server):
        code, errors = server.stop()
        self.assertEqual(code, 0, errors)
        return errors

    def ask(self, server):
        """Asks with all ids; returns that of the question."""
        with server.stream(body={"question": "Why?"}, headers=HEADERS) as (status, _, events):
            self.assertEqual(status, 200)
            events = [event for event in events if event.type]
        self.assertEqual(events[-1].type, "done", events[-1].text)
        return next(event for event in events if event.type == "meta").data["id"]


class Pipe(LogCase):
    def test_lines_about_a_question_have_its_ids(self):
        for isolation in ("process", "none"):
            self.configure(isolation=isolation)
            shutil.rmtree(self.home.path / "cache", ignore_errors=True)
            server = self.serve()
            question = self.ask(server)
            lines = log_lines(self.end(server))
            for component, message in ((PLUGIN, FETCHES), ("host", "a question ended: ")):
                line, = (line for line in lines if line["message"].startswith(message))
                self.assertEqual((line["component"], line["question"], line["request"], line["trace"]),
                                 (component, question, "request-1", TRACE))
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertNotIn("span", line, "the client's span is none of this host's")
            before = [line for line in lines if line["message"].startswith("it is ")]
            self.assertTrue(before)
            for line in before:  # the request is checked before it is a question
                self.assertEqual((line.get("question"), line["request"]), (None, "request-1"))
            answered = [line for line in lines if "/question/stream" in line["message"]]
            self.assertEqual(len(answered), 1)
            self.assertIn(" request-1", answered[0]["message"])
            self.assertFalse({"question", "request", "trace"} & answered[0].keys())

    def test_a_call_of_a_tool_has_the_ids_of_its_request(self):
        self.configure()
        server = self.serve()
        status, _, _ = server.request("POST", "/tools/list", {}, HEADERS)
        self.assertEqual(status, 200)
        line, = (line for line in log_lines(self.end(server)) if line["message"] == FETCHES)
        self.assertEqual((line["request"], line["trace"]), ("request-1", TRACE))
        self.assertNotIn("question", line)

    def test_a_question_that_fails_is_a_warning_of_a_server_alone(self):
        self.configure(level="info", after=GONE)
        server = self.serve()
        status, told = server.json("POST", "/question", {"question": "Why?", "resources": ["gone"]})
        self.assertNotEqual(status, 200, told)
        line, = log_lines(self.end(server))
        self.assertEqual((line["level"], line["component"]), ("warning", "host"))
        self.assertRegex(line["message"], r"^a question failed: \w+: .*gone")
        self.assertRegex(line["question"], r"^[0-9a-f]{32}$")
        asked = self.home.run("ask", "-r", "gone", "Why?")
        self.assertEqual(asked.returncode, 5, asked.stderr)
        self.assertNotIn("a question failed", asked.stderr)

    def test_what_is_wrong_at_the_start_and_at_a_reload_is_a_line(self):
        self.configure(level="info", root='model.fallback = ["nowhere/m1"]')
        text = (self.home.project / "quarry.toml").read_text()
        server = self.serve()
        self.home.write("quarry.toml", "max_stepz = 1\n" + text, trust=False)
        server.process.send_signal(signal.SIGHUP)
        os.set_blocking(server.process.stderr.fileno(), False)
        said = b""

        def read():
            nonlocal said
            said += server.process.stderr.read() or b""
            return b"max_stepz" in said
        wait_until(read, "the mistake is logged")
        code, rest = server.stop()
        self.assertEqual(code, 0, rest)
        lines = log_lines(said.decode() + rest)
        self.assertTrue([line for line in lines if line["level"] == "error" and "max_stepz" in line["message"]])
        self.assertTrue([line for line in lines if line["level"] == "warning" and "nowhere" in line["message"]],
                        lines)

    def test_the_key_decides(self):
        self.configure(more='format = "text"')
        server = self.serve()
        question = self.ask(server)
        errors = self.end(server)
        self.assertRegex(errors, rf'(?m)^\S+Z info {PLUGIN}: it "fetches"\\nnow '
                                 rf"\[question={question} request=request-1 trace={TRACE}\]$")
        shutil.rmtree(self.home.path / "cache")
        asked = self.home.run("ask", "Why?", env={"QUARRY_LOG_FORMAT": "json"})
        line, = (line for line in map(json.loads, filter(lambda each: each.startswith("{"),
                                                         asked.stderr.splitlines()))
                 if line["message"] == FETCHES)
        self.assertRegex(line["question"], r"^[0-9a-f]{32}$")

    def test_a_command_writes_text(self):
        self.configure()
        asked = self.home.run("ask", "Why?")
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.assertRegex(asked.stderr, rf'(?m)^\S+Z info {PLUGIN}: it "fetches"\\nnow \[question=[0-9a-f]{{32}}\]$')


class Terminal(LogCase):
    def test_a_server_writes_text(self):
        self.configure(level="info")
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        process = subprocess.Popen([QUARRY, "serve", "--listen", "127.0.0.1:0"], cwd=self.home.project,
                                   env=self.home.environment, stdout=subprocess.PIPE, stderr=follower)
        os.close(follower)
        self.addCleanup(process.communicate)
        self.addCleanup(process.terminate)
        port = re.search(rb":(\d+)", process.stdout.readline()).group(1).decode()
        asked = self.home.run("ask", "--server", f"http://127.0.0.1:{port}", "Why?")
        self.assertEqual(asked.returncode, 0, asked.stderr)
        process.terminate()
        said = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(leader, 4096):
                said += piece
        self.assertRegex(without_key(said).decode(), rf'Z info {PLUGIN}: it "fetches"\\nnow \[question=[0-9a-f]{{32}} request=')


def fields_of(entry):
    """The fields of an entry in the native protocol of the journal."""
    fields = {}
    while entry:
        at = re.search(rb"[=\n]", entry).start()
        name, counted, entry = entry[:at].decode(), entry[at:at + 1] == b"\n", entry[at + 1:]
        size = entry.index(b"\n")
        if counted:
            size, = struct.unpack("<Q", entry[:8])
            entry = entry[8:]
        assert entry[size:size + 1] == b"\n", entry
        fields[name], entry = entry[:size].decode(), entry[size + 1:]
    return fields


@unittest.skipUnless(has_namespaces(), "mounts need a user who may make namespaces")
class Journal(LogCase):
    """The program as a service of systemd, whose journal the test is."""

    def start(self, journal):
        """Serves with standard error led to the journal; returns the process, its port and what stands there."""
        reader, writer = os.pipe()
        self.errors = os.fdopen(reader, "rb")
        self.addCleanup(self.errors.close)
        place = os.fstat(writer)
        environment = {**self.home.environment, "JOURNAL_STREAM": f"{place.st_dev}:{place.st_ino}"}
        process = subprocess.Popen([*IN_NAMESPACE, journal, QUARRY, "serve", "--listen", "127.0.0.1:0"],
                                   cwd=self.home.project, env=environment, stdout=subprocess.PIPE, stderr=writer)
        os.close(writer)
        self.addCleanup(process.communicate)
        self.addCleanup(process.terminate)
        port = re.search(rb":(\d+)", process.stdout.readline()).group(1).decode()
        return process, f"http://127.0.0.1:{port}"

    def ask_and_end(self, process, url):
        asked = self.home.run("ask", "--server", url, "Why?")
        self.assertEqual(asked.returncode, 0, asked.stderr)
        process.terminate()
        self.assertEqual(process.wait(timeout=TIMEOUT), 0)
        return without_key(self.errors.read()).decode()

    def test_lines_are_entries_with_fields(self):
        self.configure(level="info")
        folder = self.home.path / "journal"
        folder.mkdir()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as daemon:
            daemon.bind(str(folder / "socket"))
            daemon.settimeout(TIMEOUT)
            said = self.ask_and_end(*self.start(str(folder)))
            entry = fields_of(without_key(daemon.recv(1 << 16)))
            while entry["MESSAGE"] != FETCHES:
                entry = fields_of(without_key(daemon.recv(1 << 16)))
        self.assertEqual(said, "")
        self.assertEqual((entry["PRIORITY"], entry["SYSLOG_IDENTIFIER"], entry["QUARRY_COMPONENT"]),
                         ("6", "quarry", PLUGIN))
        self.assertRegex(entry["QUARRY_QUESTION"], r"^[0-9a-f]{32}$")
        self.assertRegex(entry["QUARRY_REQUEST"], r".-\d+$")

    def test_lines_are_text_with_a_priority_where_no_daemon_is(self):
        self.configure(level="info")
        said = self.ask_and_end(*self.start(""))
        self.assertRegex(said, rf'(?m)^<6>\S+Z info {PLUGIN}: it "fetches"\\nnow \[question=')


if __name__ == "__main__":
    unittest.main()
