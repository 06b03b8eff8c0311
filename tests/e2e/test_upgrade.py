"""`quarry upgrade-in-place`: another process takes over the sockets of a server while that one's streams end."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import unittest
import unittest.mock

from harness import BUILD, QUARRY, TIMEOUT, check_stream, children, wait_until
from upgrade_harness import Upgrade, alive, listens

CONTAINER = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"]


class InPlace(Upgrade):
    def test_a_stream_goes_on_while_the_new_process_serves(self):
        server = self.serve()
        old = server.process.pid
        begun, events = self.ask_slowly(server)
        new = self.upgrade(old)
        self.assertEqual(server.request("GET", "/livez")[0], 200)
        self.assertTrue(alive(old), "it has a stream")
        self.model.release()
        check_stream(self, begun + [event for event in events if event.type])
        wait_until(lambda: not alive(old), "the old process has ended after its last stream")
        self.assertEqual(server.process.wait(TIMEOUT), 0)
        self.assertTrue(alive(new))
        check_stream(self, server.ask("How are dates parsed?", ["code"]))

    def resumed(self, server, events, then=lambda: None):
        """The events after these, from whichever process takes the connection; `then` is called once it is there."""
        number = next(event.data["id"] for event in events if event.type == "meta")
        with server.stream(f"/question/{number}/events",
                           headers={"Last-Event-ID": str(events[-1].id)}) as (status, _, rest):
            self.assertEqual(status, 200, rest)
            then()
            return [event for event in rest if event.type]

    def test_a_reader_that_connects_again_goes_on_in_the_new_process(self):
        server = self.serve()
        old = server.process.pid
        begun, _ = self.ask_slowly(server)
        new = self.upgrade(old)
        self.leave()
        self.assertTrue(alive(old), "it answers the question")
        events = begun + self.resumed(server, begun, self.model.release)
        check_stream(self, events)
        self.assertIn("second half", events[-1].data["text"])
        wait_until(lambda: not alive(old), "the old process has ended after its last question")
        again = self.resumed(server, events[:1])
        self.assertEqual([event.text for event in again], [event.text for event in events[1:]])
        self.assertTrue(alive(new))

    def test_the_new_process_stops_a_question_of_the_old_one(self):
        server = self.serve()
        begun, events = self.ask_slowly(server)
        self.upgrade(server.process.pid)
        number = begun[0].data["id"]
        status, answer = server.json("POST", f"/question/{number}/stop")
        self.assertEqual((status, answer["stopped"]), (200, True))
        check_stream(self, begun + [event for event in events if event.type])
        self.assertEqual(server.process.wait(TIMEOUT), 0)

    def test_a_question_ends_with_an_error_if_the_old_process_is_killed(self):
        server = self.serve()
        begun, _ = self.ask_slowly(server)
        self.upgrade(server.process.pid)
        wait_until(lambda: not listens(server.process.pid), "the new process alone accepts connections")
        rest = self.resumed(server, begun, server.process.kill)
        self.assertEqual([event.type for event in rest], ["error"])
        self.assertIn("the connection to the process that answers this question was lost", rest[0].data["message"])

    def test_a_question_without_a_reader_is_stopped_after_its_grace(self):
        server = self.serve("--set", "server.reader_grace_ms=300")
        begun, _ = self.ask_slowly(server)
        self.upgrade(server.process.pid)
        self.leave()
        self.assertEqual(server.process.wait(TIMEOUT), 0)
        self.assertEqual(self.resumed(server, begun)[-1].data["finishReason"], "cancelled")

    def test_the_program_on_the_disk_is_the_one_that_takes_over(self):
        place = self.home.path / "installed"
        (place / "bin").mkdir(parents=True)
        shutil.copy(QUARRY, place / "bin/quarry-1")
        (place / "bin/quarry").symlink_to("quarry-1")
        (place / "lib").symlink_to(BUILD / "lib")
        with unittest.mock.patch("harness.QUARRY", place / "bin/quarry"):
            server = self.serve()
        shutil.copy(QUARRY, place / "bin/quarry-2")
        (place / "bin/new").symlink_to("quarry-2")
        (place / "bin/new").rename(place / "bin/quarry")
        new = self.upgrade(server.process.pid)
        self.assertEqual(os.readlink(f"/proc/{new}/exe"), str(place / "bin/quarry-2"))
        self.assertEqual(server.request("GET", "/livez")[0], 200)

    def test_a_new_process_that_fails_changes_nothing(self):
        server = self.serve()
        self.configure("nonsense = 1\n")
        result = self.home.run("upgrade-in-place", server.process.pid)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("the new program exited with status 3 before it listened", result.stderr)
        self.assertIn("The running program goes on", result.stderr)
        self.assertEqual(server.request("GET", "/livez")[0], 200)
        self.configure()
        new = self.upgrade(server.process.pid)
        self.assertEqual(server.request("GET", "/livez")[0], 200)
        self.end(new)
        self.assertIn("no upgrade", server.stop()[1])

    def test_a_program_that_cannot_be_started_is_named(self):
        place = self.home.path / "installed"
        (place / "bin").mkdir(parents=True)
        (place / "bin/quarry").symlink_to(QUARRY)
        (place / "lib").symlink_to(BUILD / "lib")
        with unittest.mock.patch("harness.QUARRY", place / "bin/quarry"):
            server = self.serve()
        (place / "bin/quarry").unlink()
        (place / "bin/quarry").write_text("")
        (place / "bin/quarry").chmod(0o755)
        result = self.home.run("upgrade-in-place", server.process.pid)
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"cannot start {place}/bin/quarry: Exec format error", result.stderr)
        self.assertEqual(server.request("GET", "/livez")[0], 200)

    @staticmethod
    def waiting(parent, script):
        """The children of a process in which bash runs the script with "serve"."""
        found = []
        for child in children(parent):
            with contextlib.suppress(OSError):
                words = pathlib.Path(f"/proc/{child}/cmdline").read_text().split("\0")
                if words[0].endswith("bash") and {str(script), "serve"} <= set(words):
                    found.append(child)
        return found

    def test_of_two_upgrades_at_once_the_second_is_refused(self):
        go, slow = self.home.path / "go", self.home.path / "quarry"
        slow.write_text(f'#!/bin/bash\nwhile [ ! -e {go} ]; do sleep 0.01; done\nexec -a "$0" {QUARRY} "$@"\n')
        slow.chmod(0o755)
        go.touch()
        with unittest.mock.patch("harness.QUARRY", slow):
            server = self.serve()
        go.unlink()
        first = self.home.start("upgrade-in-place", str(server.process.pid))
        starting, = wait_until(lambda: self.waiting(server.process.pid, slow), "the new program starts")
        second = self.home.run("upgrade-in-place", server.process.pid)
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"an upgrade is going on: process {starting} is starting", second.stderr)
        go.touch()
        said, errors = first.communicate(timeout=TIMEOUT)
        self.assertEqual(first.returncode, 0, errors)
        self.addCleanup(self.end, int(re.search(rb"Process (\d+) serves now", said).group(1)))

    def test_the_log_says_that_the_new_process_has_died(self):
        server = self.serve()
        self.ask_slowly(server)
        new = self.upgrade(server.process.pid)
        os.kill(new, signal.SIGKILL)
        line = server.process.stderr.readline().decode()
        self.assertIn(f"process {new}, which took the place of this one, was killed by signal 9 (Killed)", line)
        self.assertIn("Unless it had been replaced itself, nobody listens", line)
        self.model.release()

    @unittest.skipIf(subprocess.run([*CONTAINER, "true"], capture_output=True).returncode != 0,
                     "this machine permits no process namespace with its own /proc")
    def test_process_1_of_a_container_is_not_replaced(self):
        outside = subprocess.Popen(
            [*CONTAINER, QUARRY, "serve", "--listen", "127.0.0.1:0"], cwd=self.home.project, env=self.home.environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(outside.communicate)
        self.addCleanup(outside.kill)
        self.assertIn("Quarry listens", outside.stdout.readline())
        inside, = children(outside.pid)
        result = subprocess.run(["nsenter", "--target", inside, "--user", "--pid", "--mount", "--root", "--wd",
                                 QUARRY, "upgrade-in-place"], env=self.home.environment, capture_output=True,
                                text=True, timeout=TIMEOUT)
        self.assertEqual(result.returncode, 1)
        self.assertIn("the server is process 1 of its container", result.stderr)
        self.assertTrue(alive(inside))

    def test_a_signal_ends_what_the_old_process_still_does(self):
        server = self.serve("--set", "server.shutdown_grace_ms=100")
        begun, events = self.ask_slowly(server)
        self.upgrade(server.process.pid)
        os.kill(server.process.pid, signal.SIGTERM)
        rest = [event for event in events if event.type]
        check_stream(self, begun + rest)
        self.assertEqual(server.process.wait(TIMEOUT), 0)
        self.assertEqual(server.request("GET", "/livez")[0], 200)

    def test_the_service_manager_is_told_the_new_process(self):
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.settimeout(TIMEOUT)
        manager.bind(str(self.home.path / "notify"))
        self.home.environment["NOTIFY_SOCKET"] = str(self.home.path / "notify")
        server = self.serve()
        self.assertIn("READY=1", manager.recv(4096).decode())
        new = self.upgrade(server.process.pid)
        told = {manager.recv(4096).decode().partition("\n")[0] for _ in range(2)}
        self.assertEqual(told, {f"MAINPID={new}", "READY=1"})
        self.assertEqual(server.process.wait(TIMEOUT), 0)
        manager.settimeout(0.1)
        with self.assertRaises(TimeoutError):
            manager.recv(4096)  # above all, not that it stops


class WhichServer(Upgrade):
    def alone(self, *arguments):
        """Runs quarry where it sees no server of others."""
        return subprocess.run(["unshare", "--map-root-user", "--net", QUARRY, "upgrade-in-place", *arguments],
                              env=self.home.environment, capture_output=True, text=True, timeout=TIMEOUT)

    def test_without_a_server_there_is_nothing_to_upgrade(self):
        result = self.alone()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("no server of this user runs on this machine", result.stderr)
        result = self.alone(str(os.getpid()))
        self.assertIn(f"process {os.getpid()} is no server of this user", result.stderr)

    def test_one_of_several_must_be_named(self):
        servers = [self.serve(), self.serve()]
        result = self.home.run("upgrade-in-place")
        self.assertNotEqual(result.returncode, 0)
        for server in servers:
            self.assertIn(str(server.process.pid), result.stderr)
        self.assertIn("Name one", result.stderr)

    @unittest.skipIf(os.geteuid() != 0, "only root can be another user")
    def test_another_user_has_no_right(self):
        server = self.serve()
        result = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", QUARRY, "upgrade-in-place",
                                 str(server.process.pid)], env={**self.home.environment, "HOME": "/nonexistent"},
                                capture_output=True, text=True, timeout=TIMEOUT, cwd="/")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("is no server of this user", result.stderr)
        self.assertEqual(server.request("GET", "/livez")[0], 200)
