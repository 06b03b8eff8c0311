"""The program, its git, or both are killed in the middle of a fetch, or the client disconnects: the
next question works and nothing is left over."""

import http.client
import json
import os
import pathlib
import signal
import subprocess
import unittest

import git_server
import npm_server
from harness import TIMEOUT, wait_until
from resource_harness import GitCase, NpmCase, processes_in

WHEN = "When does the walrus sleep?"


def kill(processes):
    for number, _ in processes:
        try:
            os.kill(int(number), signal.SIGKILL)
        except ProcessLookupError:
            pass


def is_git(process):
    return pathlib.Path(process[1].split(b"\0")[0].decode(errors="replace")).name.startswith("git")


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Held(GitCase):
    """Killed while the server holds git: before it answers, and in the middle of a pack."""

    def setUp(self):
        super().setUp()
        self.configure({**self.code, "refresh": "always"})

    def git_processes(self):
        return [each for each in processes_in(self.home.path) if is_git(each)]

    def killed(self, which, after):
        hold = self.proxy.hold("command=fetch", after=after)
        asking = self.home.start("ask", WHEN)
        self.assertTrue(hold.reached.wait(TIMEOUT))
        gits = wait_until(self.git_processes, "git runs")
        host = (str(asking.pid), b"")
        kill({"host": [host], "git": gits, "both": [*gits, host]}[which])
        asking.communicate(timeout=TIMEOUT)
        self.assertEqual(asking.returncode == -signal.SIGKILL, which != "git")
        wait_until(lambda: not processes_in(self.home.path), f"all ends with the {which}")
        self.proxy.as_is()

    def test_in_the_first_fetch(self):
        for which in ("host", "git", "both"):
            for after in (0, 60):
                with self.subTest(which, after=after):
                    self.killed(which, after)
                    self.says(WHEN, "noon")
                    self.nothing_left()
                    self.home.run("clear")

    def test_in_an_update(self):
        self.says(WHEN, "noon")
        for number, which in enumerate(("host", "git", "both")):
            with self.subTest(which):
                self.repository.commit({"README.md": f"The walrus sleeps at {number} o'clock.\n"})
                self.killed(which, 60)
                self.says(WHEN, f"{number} o'clock")
                self.nothing_left()

    def test_a_killed_server_leaves_nothing_for_the_next(self):
        hold = self.proxy.hold("command=fetch", after=60)
        with self.serving() as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
            connection.request("POST", "/question/stream", json.dumps({"question": WHEN}),
                               {"Content-Type": "application/json"})
            self.assertTrue(hold.reached.wait(TIMEOUT))
            server.stop(signal.SIGKILL)
            connection.close()
        wait_until(lambda: not processes_in(self.home.path), "git ends with the server")
        self.proxy.as_is()
        with self.serving() as server:
            self.assertIn("noon", server.ask(WHEN)[-1].data["text"])
        self.nothing_left()


@unittest.skipIf(npm_server.MISSING, npm_server.MISSING)
class Package(NpmCase):
    """The program is killed or terminated while the registry holds a package."""

    def setUp(self):
        super().setUp()
        self.registry.publish("held", "1.0.0", {"README.md": "The walrus sleeps at noon.\n",
                                                "noise.bin": os.urandom(300_000)})
        self.configure(self.npm_of("held"))

    def ended_by(self, number, pattern, after):
        hold = self.proxy.hold(pattern, after=after)
        asking = self.home.start("ask", WHEN)
        self.assertTrue(hold.reached.wait(TIMEOUT))
        asking.send_signal(number)
        asking.communicate(timeout=TIMEOUT)
        self.proxy.as_is()
        return asking.returncode

    def test_at_every_step_of_the_way(self):
        for number, status in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
            for pattern, after in (("GET /held ", 0), ("GET /held ", 60), (r"GET \S*\.tgz", 0),
                                   (r"GET \S*\.tgz", 200_000)):
                with self.subTest(pattern, number=number, after=after):
                    self.assertEqual(self.ended_by(number, pattern, after), status)
                    self.says(WHEN, "noon")
                    self.nothing_left()
                    self.home.run("clear")


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Cancelled(GitCase):
    def setUp(self):
        super().setUp()
        self.configure(self.code)
        self.hold = self.proxy.hold("command=fetch", after=60)

    def ended(self):
        wait_until(lambda: not [each for each in processes_in(self.home.path) if is_git(each)],
                   "git ends while its server still holds it")

    def test_by_control_c(self):
        asking = self.home.start("ask", WHEN)
        self.assertTrue(self.hold.reached.wait(TIMEOUT))
        asking.send_signal(signal.SIGINT)
        asking.communicate(timeout=TIMEOUT)
        self.assertEqual(asking.returncode, 130)
        self.ended()
        self.nothing_left()
        self.proxy.as_is()
        self.says(WHEN, "noon")

    def test_by_a_client_that_goes_away(self):
        with self.serving() as server:
            client = subprocess.Popen(
                ["curl", "-sN", "-H", "Content-Type: application/json", "-d",
                 json.dumps({"question": WHEN}), server.url + "/question/stream"],
                stdout=subprocess.DEVNULL)
            self.assertTrue(self.hold.reached.wait(TIMEOUT))
            client.kill()
            client.wait()
            self.ended()
            self.proxy.as_is()
            self.assertIn("noon", server.ask(WHEN)[-1].data["text"])
        self.nothing_left()

    def test_by_the_end_of_the_server(self):
        with self.serving("--set", "server.shutdown_grace_ms=0") as server:
            client = subprocess.Popen(
                ["curl", "-sN", "-H", "Content-Type: application/json", "-d",
                 json.dumps({"question": WHEN}), server.url + "/question/stream"],
                stdout=subprocess.DEVNULL)
            self.assertTrue(self.hold.reached.wait(TIMEOUT))
            status, errors = server.stop()
            self.assertEqual(status, 0, errors)
            client.wait(TIMEOUT)
        self.nothing_left()

    def test_not_while_another_question_waits_for_the_same_repository(self):
        # The grace is for the second question to come as far as the first.
        with self.serving("--set", "server.reader_grace_ms=1000") as server:
            def client():
                return subprocess.Popen(
                    ["curl", "-sN", "-H", "Content-Type: application/json", "-d",
                     json.dumps({"question": WHEN}), server.url + "/question/stream"],
                    stdout=subprocess.PIPE, text=True)

            def wait_for(count):
                running = f"\nquarry_questions_running {count}\n"
                wait_until(lambda: running in server.request("GET", "/metrics")[2], f"{count} questions run")

            leaving = client()
            self.assertTrue(self.hold.reached.wait(TIMEOUT))
            staying = client()
            wait_for(2)
            leaving.kill()
            leaving.communicate()
            wait_for(1)
            self.hold.release()
            self.assertIn("event: done", staying.communicate(timeout=TIMEOUT)[0])
        self.assertEqual(self.packs_fetched(), 1)


if __name__ == "__main__":
    unittest.main()
