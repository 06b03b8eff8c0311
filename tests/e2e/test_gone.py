"""An abandoned question costs nothing more: the call to the model ends."""

import contextlib
import http.client
import json
import pathlib
import re
import select
import socket
import socketserver
import threading
import time
import unittest

import git_server
from harness import TIMEOUT, Server, TestCase, parse_events, runners, wait_until
from resource_harness import GitCase

GRACE = 0.2
GRACES = (0.5, 4, 32)  # of which a client comes back in time for the first it can
QUESTIONS = 50
# Descriptors, threads and processes that may come once, such as those of a plugin that is loaded late; fewer
# than one for each of the questions that end in one way.
ONCE = 5


class Upstream(socketserver.ThreadingTCPServer):
    """A model (Gemini's protocol) that begins to answer, unless it is `silent`, and then sends
    nothing more. `open` are the waiting connections; `closed` the times at which the other side
    ended one."""

    daemon_threads = True
    request_queue_size = 128
    silent = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.open = set()
        self.closed = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.shutdown()
        self.server_close()


class Answer(socketserver.StreamRequestHandler):
    def handle(self):
        head = b"".join(iter(self.rfile.readline, b"\r\n"))
        self.rfile.read(int(re.search(rb"(?i)content-length: (\d+)", head).group(1)))
        chunk = json.dumps({"candidates": [{"content": {"parts": [{"text": "Well, "}]}}]})
        self.server.open.add(self)  # before a client can have seen the answer
        if not self.server.silent:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                             b"Connection: close\r\n\r\ndata: " + chunk.encode() + b"\n\n")
        with contextlib.suppress(ConnectionError):
            self.rfile.read(1)
        self.server.closed.append(time.monotonic())
        self.server.open.discard(self)


class Gone(TestCase):
    def setUp(self):
        super().setUp()
        self.upstream = Upstream()
        self.addCleanup(self.upstream.stop)
        folder = self.home.path / "code"
        folder.mkdir()
        (folder / "README.md").write_text("# Tools\n")
        self.home.write("quarry.toml", f"""
[server]
reader_grace_ms = {GRACE * 1000:.0f}

[[resource]]
type = "local"
name = "code"
path = "{folder}"

[model]
provider = "gemini"
name = "m"
base_url = "http://127.0.0.1:{self.upstream.server_address[1]}"
""")
        self.server = self.serve()

    def begin(self, server=None):
        """A question whose answer has begun: (its connection, its id, its events)."""
        port = (server or self.server).port
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        connection.request("POST", "/question/stream", json.dumps({"question": "Well?"}),
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        events = (event for event in parse_events(response) if event.type)
        number = next(events).data["id"]
        self.assertEqual(next(events).data["delta"], "Well, ")
        return connection, number, events

    def leave(self, connection):
        """Closes the connection as a disappearing client does."""
        connection.sock.shutdown(2)
        connection.close()

    def delay_after(self, go):
        """Seconds from `go` to the end of the upstream connection."""
        before = len(self.upstream.closed)
        began = time.monotonic()
        go()
        wait_until(lambda: len(self.upstream.closed) > before, "the upstream connection ends")
        return self.upstream.closed[-1] - began

    def test_the_call_ends_after_the_grace_when_the_client_goes(self):
        connection, _, _ = self.begin()
        self.assertGreaterEqual(self.delay_after(lambda: self.leave(connection)), GRACE)

    def test_the_call_ends_when_the_question_is_stopped_though_its_reader_stays(self):
        connection, number, events = self.begin()
        self.delay_after(lambda: self.server.json("POST", f"/question/{number}/stop"))
        last = list(events)[-1]
        self.assertEqual((last.type, last.data["finishReason"]), ("done", "cancelled"))
        connection.close()

    def test_a_client_that_comes_back_within_the_grace_keeps_the_call(self):
        self.assertTrue(any(self.comes_back(grace) for grace in GRACES), "no client was fast enough")

    def comes_back(self, grace):
        """Whether a client came back in time; its call must be kept then."""
        server = Server(self.home, "--set", f"server.reader_grace_ms={grace * 1000:.0f}")
        try:
            connection, number, _ = self.begin(server)
            began = time.monotonic()
            self.leave(connection)
            with server.stream(f"/question/{number}/events") as (status, _, told):
                if time.monotonic() - began > grace:
                    return False
                self.assertEqual(status, 200)
                events = (event for event in told if event.type)
                kinds = [event.type for event in (next(events), next(events))]
                self.assertEqual(kinds, ["meta", "text.delta"])
                other, _, _ = self.begin(server)
                # By then the grace period of the first one has ended.
                self.delay_after(lambda: self.leave(other))
                self.assertEqual(len(self.upstream.open), 1)
                server.json("POST", f"/question/{number}/stop")
                self.assertEqual(list(events)[-1].type, "done")
                return True
        finally:
            server.stop()

    def test_fifty_cancelled_questions_leave_nothing_behind(self):
        self.cancel_many(2)
        before = held_at_rest(self.server, self.home)
        self.cancel_many(QUESTIONS)
        wait_for_no_more(self.server, before)

    def cancel_many(self, count):
        """Begins questions and ends one half by disconnecting, the other by a stop."""
        started = [self.begin() for _ in range(count)]
        self.assertEqual(len(self.upstream.open), count)
        for index, (connection, number, events) in enumerate(started):
            if index % 2:
                self.leave(connection)
            else:
                self.server.json("POST", f"/question/{number}/stop")
                self.assertEqual(list(events)[-1].type, "done")
                connection.close()
        wait_until(lambda: not self.upstream.open, "all upstream connections end")


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Phases(GitCase):
    """A question whose client disconnects leaves nothing behind, in any phase."""

    def setUp(self):
        super().setUp()
        self.upstream = Upstream()
        self.addCleanup(self.upstream.stop)
        self.configure({**self.code, "refresh": "always"}, model={
            "provider": "gemini", "name": "m",
            "base_url": f"http://127.0.0.1:{self.upstream.server_address[1]}"})

    def cancel(self, is_there):
        """Asks, and disconnects once `is_there`. Asks again where the server opened the events of the
        question later than the grace, which ended it."""
        while not self.cancelled(is_there):
            pass

    def cancelled(self, is_there):
        connection = http.client.HTTPConnection("127.0.0.1", self.host.port, timeout=TIMEOUT)
        connection.request("POST", "/question/stream", json.dumps({"question": "Well?"}),
                           {"Content-Type": "application/json"})
        wait_until(lambda: is_there() or given_up(connection.sock), "the question has come that far")
        came = bool(is_there())
        connection.sock.shutdown(2)
        connection.close()
        wait_until(lambda: not self.upstream.open, "no call to the model is left")
        return came

    def held_by(self, pattern, after=0):
        """A question that its git server holds in the middle of an answer."""
        hold = self.proxy.hold(pattern, after)
        self.cancel(hold.reached.is_set)
        wait_until(hold.gone.is_set, "the connection ends while its server still holds it")
        self.proxy.as_is()

    def while_resolving(self):
        self.held_by("command=ls-refs")

    def while_cloning(self):
        self.repository.commit({"README.md": f"{time.monotonic()}\n"})
        self.held_by("command=fetch", after=60)

    def before_the_first_token(self):
        self.upstream.silent = True
        self.cancel(lambda: self.upstream.open)
        self.upstream.silent = False

    def in_the_answer(self):
        self.cancel(lambda: self.upstream.open)

    def test_nothing_is_left_of_a_question_that_was_cancelled(self):
        with self.serving("--set", "server.reader_grace_ms=10") as self.host:
            for phase in (self.in_the_answer, self.before_the_first_token, self.while_resolving,
                          self.while_cloning):
                with self.subTest(phase.__name__):
                    phase()  # files that are opened once and stay open
                    before = held_at_rest(self.host, self.home)
                    for _ in range(ONCE + 2):
                        phase()
                    wait_for_no_more(self.host, before)
        self.nothing_left()


def given_up(sock):
    """Whether what has come on this socket, and stays there, is all of a question that was ended."""
    readable, _, _ = select.select([sock], [], [], 0)
    return bool(readable) and b'"finishReason":"cancelled"' in sock.recv(65536, socket.MSG_PEEK)


def held_at_rest(server, home):
    """The resources held after a question was recorded, whose file stays open."""
    wait_until((home.path / "state/quarry/history.db-wal").exists, "a question is written down")
    server.json("GET", "/threads")
    return held(server)


def wait_for_no_more(server, before):
    def no_more():
        return all(now <= earlier + ONCE for now, earlier in zip(held(server), before))
    wait_until(no_more, f"no more than {before} is held, and {ONCE} of each")


def held(server):
    """Numbers of descriptors, threads and runners of a server."""
    process = pathlib.Path(f"/proc/{server.process.pid}")
    return (len(list((process / "fd").iterdir())), len(list((process / "task").iterdir())),
            len(runners(server.process.pid)))


if __name__ == "__main__":
    unittest.main()
