"""A PostgreSQL server of the test's own, on a port of 127.0.0.1."""

import ctypes
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

from harness import wait_until

END_WITH_US = 1  # PR_SET_PDEATHSIG


def programs():
    """Where the newest server's programs are; None when there are none."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return found[-1].parent if found else None


class PostgresqlServer:
    """Skips the test where there is no server to start."""

    def __init__(self):
        self.programs = programs()
        if self.programs is None:
            raise unittest.SkipTest("there is no PostgreSQL server in /usr/lib/postgresql")
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="quarry-postgresql-"))
        self.root.chmod(0o755)
        # The server refuses to run as root.
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self.user:
            os.chown(self.root, self.user.pw_uid, self.user.pw_gid)
        password = self.root / "password"
        word = secrets.token_hex(16)
        password.write_text(word)
        self.run("initdb", "-D", self.root / "data", "-U", "quarry", "--auth=scram-sha-256",
                 f"--pwfile={password}", "-N", "-E", "UTF8", "--no-locale")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.restart()
        self.url = f"postgresql://quarry:{word}@127.0.0.1:{self.port}/postgres"

    def restart(self):
        (self.root / "data/postmaster.pid").unlink(missing_ok=True)
        self.process = self.begin("postgres", "-D", self.root / "data", "-k", self.root, "-p",
                                  self.port, "-c", "listen_addresses=127.0.0.1")
        wait_until(lambda: "ready" in self.text("data/postmaster.pid"), "the database is ready")

    def begin(self, program, *arguments):
        def become():
            if self.user:
                os.setgroups([])
                os.setgid(self.user.pw_gid)
                os.setuid(self.user.pw_uid)
            ctypes.CDLL(None).prctl(END_WITH_US, signal.SIGQUIT)

        with open(self.root / "log", "ab") as log:
            return subprocess.Popen([self.programs / program, *map(str, arguments)], cwd="/",
                                    stdout=log, stderr=log, preexec_fn=become)

    def run(self, program, *arguments):
        if self.begin(program, *arguments).wait() != 0:
            raise AssertionError(self.text("log"))

    def text(self, name):
        path = self.root / name
        return path.read_text() if path.exists() else ""

    def stop(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()
        shutil.rmtree(self.root)
