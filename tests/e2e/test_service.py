"""The program as a service of systemd: what it tells, the sockets that it takes over, its units."""

import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import unittest

from harness import BUILD, QUARRY, TIMEOUT, TestCase, wait_until

CONFIGURATION = """
[model]
provider = "extractive"
[transport.rest]
listen = "127.0.0.1:{port}"
"""


def answer(port, path="/livez"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


class Telling(TestCase):
    def setUp(self):
        super().setUp()
        self.home.write("quarry.toml", CONFIGURATION.format(port=0))
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.manager.settimeout(TIMEOUT)
        address = str(self.home.path / "notify")
        self.manager.bind(address)
        self.environment = {"NOTIFY_SOCKET": address}

    def begin(self, **more):
        process = self.home.start("serve", env={**self.environment, **more})
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def told(self):
        return self.manager.recv(4096).decode()

    def test_ready_reload_and_stop(self):
        process = self.begin()
        ready = self.told()
        self.assertRegex(ready, r"^READY=1\nSTATUS=listens on http://127\.0\.0\.1:\d+$")
        port = int(ready.rsplit(":", 1)[1])
        self.assertEqual(answer(port)[0], 200, "who is told that it is ready can connect")
        process.send_signal(signal.SIGHUP)
        self.assertRegex(self.told(), r"^RELOADING=1\nMONOTONIC_USEC=\d+$")
        self.assertEqual(self.told(), ready)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.told(), "STOPPING=1")
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0)

    def test_a_configuration_with_mistakes_is_never_ready(self):
        self.home.write("quarry.toml", "nonsense = 1\n", trust=False)
        process = self.begin()
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 3)
        self.manager.settimeout(0.1)
        with self.assertRaises(TimeoutError):
            self.told()

    def test_the_watchdog_is_fed_while_the_program_works(self):
        process = self.begin(WATCHDOG_USEC="300000")
        self.assertTrue(self.told().startswith("READY=1"))
        for _ in range(3):
            self.assertEqual(self.told(), "WATCHDOG=1")
        process.send_signal(signal.SIGSTOP)
        self.manager.settimeout(0.4)
        with self.assertRaises(TimeoutError):
            while True:  # what was sent before
                self.told()
        process.send_signal(signal.SIGCONT)
        self.manager.settimeout(TIMEOUT)
        self.assertEqual(self.told(), "WATCHDOG=1")


class Sockets(TestCase):
    """With the program that systemd has for trying it."""

    def begin(self, name, address, configured=0):
        """The program that listens, and starts Quarry for its first client; None when its port is taken again."""
        self.home.write("quarry.toml", CONFIGURATION.format(port=configured))
        command = ["systemd-socket-activate", "-l", address, f"--fdname={name}",
                   *(f"--setenv={key}={value}" for key, value in self.home.environment.items()), QUARRY, "serve"]
        process = subprocess.Popen(command, cwd=self.home.project, env=self.home.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        said = process.stderr.readline()
        if "Address already in use" in said:
            return None
        self.assertIn("Listening on", said)
        return process

    def begin_at_a_free_port(self, name, address, configured=0):
        """(the process, its port)"""
        def tried():
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            process = self.begin(name, f"{address}:{port}", configured)
            return process and (process, port)
        return wait_until(tried, "it listens at a port that nobody else took")

    def end(self, process):
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=TIMEOUT)

    def test_a_passed_socket_is_served_instead_of_the_configured_address(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))  # without listening: a client that connects is refused
            process, port = self.begin_at_a_free_port("rest", "127.0.0.1", other.getsockname()[1])
            self.assertEqual(answer(port), (200, b'{"ok":true}'))
            with self.assertRaises(ConnectionRefusedError):
                answer(other.getsockname()[1])
        for line in process.stdout:
            if "listens on" in line:
                self.assertIn(f"127.0.0.1:{port}", line)
                break

    def test_a_name_without_a_transport_is_refused(self):
        process, port = self.begin_at_a_free_port("http", "127.0.0.1")
        self.refused(process, port, 'a socket "http", which is no transport')

    def test_a_socket_for_other_machines_needs_what_an_address_needs(self):
        process, port = self.begin_at_a_free_port("rest", "0.0.0.0")
        self.refused(process, port, "needs a token")

    def test_a_socket_of_another_kind_is_refused(self):
        path = self.home.path / "socket"
        process = self.begin("rest", str(path))
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
        _, errors = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 3, errors)
        self.assertIn("no TCP socket that listens", errors)

    def refused(self, process, port, why):
        socket.create_connection(("127.0.0.1", port)).close()
        _, errors = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 3, errors)
        self.assertIn(why, errors)


class Units(unittest.TestCase):
    def setUp(self):
        prefix = tempfile.TemporaryDirectory(prefix="quarry-e2e-")
        self.addCleanup(prefix.cleanup)
        subprocess.run(["cmake", "--install", BUILD / "packaging", "--prefix", prefix.name], check=True,
                       stdout=subprocess.DEVNULL)
        self.units = pathlib.Path(prefix.name, "lib/systemd/system")

    def test_the_service_is_confined(self):
        result = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager",
                                 str(self.units / "quarry.service")], capture_output=True, text=True, timeout=TIMEOUT)
        level = re.search(r"exposure level for quarry.service: ([\d.]+)", result.stdout)
        self.assertTrue(level, result.stdout + result.stderr)
        self.assertLessEqual(float(level.group(1)), 1.5)

    def test_the_units_have_no_mistakes(self):
        units = sorted(str(unit) for unit in self.units.iterdir())
        self.assertEqual([pathlib.Path(unit).name for unit in units],
                         ["quarry-mcp.socket", "quarry.service", "quarry.socket"])
        result = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True,
                                timeout=TIMEOUT)
        mistakes = [line for line in (result.stdout + result.stderr).splitlines()
                    if "is not executable" not in line]  # it is not installed
        self.assertEqual(mistakes, [])

    def test_the_configuration_to_begin_with_is_right(self):
        example = pathlib.Path(__file__).parents[2] / "packaging/quarry.toml"
        result = subprocess.run([QUARRY, "config", "check", "-c", example], capture_output=True, text=True,
                                timeout=TIMEOUT, env={"PATH": os.environ["PATH"], "HOME": "/tmp", "LANG": "C.UTF-8"})
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
