"""Dripping sources delay no one but their own callers."""

import contextlib
import json
import pathlib
import shutil
import socket
import tempfile
import threading
import unittest

import git_server
from cloud_harness import Host, folder, tool
from git_server import GitServer
from harness import TIMEOUT, TestCase, wait_until

SLOW = 8  # the share of one project
HEAD = (b"HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n"
        b"Content-Length: 1000000000\r\n\r\n")
DROP = b"0" * 4096  # a second, more than the 1 kB below which a transfer is given up


class DrippingServer:
    """Answers a request with a drop per second, on its own address."""

    def __init__(self, host):
        self.listener = socket.create_server((host, 0))
        self.url = f"http://{host}:{self.listener.getsockname()[1]}"
        self.stopped = threading.Event()
        self.clients = 0  # number of requests in progress
        self.asked = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.drip, args=(client,), daemon=True).start()

    def drip(self, client):
        with client, contextlib.suppress(OSError):
            if not client.recv(65536):
                return
            with self.count():
                client.sendall(HEAD)
                client.settimeout(1)
                while not self.stopped.is_set():
                    client.sendall(DROP)
                    with contextlib.suppress(TimeoutError):
                        if not client.recv(1):
                            return

    @contextlib.contextmanager
    def count(self):
        with self.lock:
            self.clients += 1
            self.asked += 1
        try:
            yield
        finally:
            with self.lock:
                self.clients -= 1

    def stop(self):
        self.stopped.set()
        self.listener.close()


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class SlowSources(TestCase):
    def setUp(self):
        super().setUp()
        self.outside = pathlib.Path(tempfile.mkdtemp(prefix="quarry-servers-"))
        self.addCleanup(shutil.rmtree, self.outside, ignore_errors=True)
        addresses = [f"127.0.0.{number}" for number in range(2, 3 + SLOW)]
        self.slow = [DrippingServer(address) for address in addresses]
        for server in self.slow:
            self.addCleanup(server.stop)
        self.git = GitServer(self.outside / "git")
        self.addCleanup(self.git.stop)
        allowed = json.dumps(["127.0.0.1", *addresses])
        self.host = Host(self.home, more=f"network.private_hosts = {allowed}\n")
        for name in ("a", "b"):
            self.host.project(name)
        self.a, self.b = (self.host.token(name)["token"] for name in ("a", "b"))
        self.host.start()
        self.addCleanup(self.host.stop)

    def add(self, token, **resource):
        added = self.host.call(token, "addResource", resource)
        self.assertFalse(added["isError"], added)

    def add_repository(self, token, name):
        repository = self.git.repository(name)
        repository.commit({"README.md": f"# {name}\n\nThe walrus of {name} sleeps at noon.\n"})
        self.add(token, type="git", name=name, url=repository.url)

    def says(self, token, resource, words):
        answer = self.host.call(token, "ask", {"question": "What does the walrus or the parser do?",
                                               "resources": [resource]})
        self.assertFalse(answer["isError"], answer)
        self.assertIn(words, answer["content"][0]["text"])

    def ask_all_slow(self, names):
        with contextlib.suppress(OSError):
            self.host.call(self.a, "ask", {"question": "walrus?", "resources": names})

    def all_drip(self):
        return [server.clients for server in self.slow[:SLOW]] == [1] * SLOW

    def test_eight_that_drip_keep_nobody_else_waiting(self):
        for number, server in enumerate(self.slow):
            self.add(self.a, type="git", name=f"slow{number}", url=f"{server.url}/code.git")
        self.add(self.a, **folder(self.home))
        self.add_repository(self.a, "kept")
        self.add_repository(self.b, "other")
        self.says(self.a, "kept", "The walrus of kept sleeps at noon")

        names = [f"slow{number}" for number in range(SLOW)]
        asking = threading.Thread(target=self.ask_all_slow, args=(names,), daemon=True)
        asking.start()
        wait_until(self.all_drip, "all of them drip")

        self.says(self.a, "docs", "reads tokens one at a time")
        self.says(self.a, "kept", "The walrus of kept sleeps at noon")
        self.says(self.b, "other", "The walrus of other sleeps at noon")
        self.ninth_waits()
        self.assertTrue(self.all_drip(), "all of this happened meanwhile")

        for server in self.slow:
            server.stop()
        asking.join(TIMEOUT)
        self.assertFalse(asking.is_alive())

    def ninth_waits(self):
        """A ninth fetch of the same project reports that it waits; it is then released."""
        message = tool("ask", {"question": "walrus?", "resources": [f"slow{SLOW}"]},
                       _meta={"progressToken": 1})
        with self.host.stream(self.a, message) as (status, messages):
            self.assertEqual(status, 200)
            for said in messages:
                self.assertEqual(said["method"], "notifications/progress", said)
                if said["params"]["message"] == f"waiting for a fetch: {SLOW} ahead":
                    break
        self.assertEqual(self.slow[SLOW].asked, 0)


if __name__ == "__main__":
    unittest.main()
