"""A separate PostgreSQL server on a free port of loopback, in a temporary directory."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

from harness import KEY, TIMEOUT, wait_until

PROGRAMS = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"),
               key=lambda path: int(path.parts[-3]), default=pathlib.Path()).parent
MISSING = None if PROGRAMS.name else "postgresql is missing: scripts/install-packages test"
# The server refuses to run as root, and stops with the test.
OTHER_USER = (["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=QUIT"]
              if os.getuid() == 0 else ["setpriv", "--pdeathsig=QUIT"])


class PostgresServer:
    """Its user "quarry" has the key of all tests as password; `url` is of its one database."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="quarry-postgresql-"))
        self.folder.chmod(0o755)
        (self.folder / "password").write_text(KEY)
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
        self._run("initdb", "-U", "quarry", "--auth=scram-sha-256", f"--pwfile={self.folder}/password",
                  "-N", "-E", "UTF8", "--no-locale")
        self.process = None
        wait_until(self._start_anywhere, "PostgreSQL is ready at a port nobody else took")
        self.url = f"postgresql://quarry:{KEY}@127.0.0.1:{self.port}/postgres"

    def _start_anywhere(self):
        """Returns False when the port is taken again, since the server accepts no socket that is open already."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        return self._start()

    def start(self):
        """Starts it again, at the same port."""
        wait_until(self._start, "PostgreSQL is ready at its port")

    def _start(self):
        pid_file = self.folder / "data" / "postmaster.pid"
        pid_file.unlink(missing_ok=True)
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*OTHER_USER, PROGRAMS / "postgres", "-D", self.folder / "data", "-k", self.folder, "-p",
                 str(self.port), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"],
                stdout=log, stderr=log)
        wait_until(lambda: self.process.poll() is not None
                   or (pid_file.exists() and "ready" in pid_file.read_text()), "PostgreSQL is ready")
        if self.process.poll() is None:
            return True
        log = (self.folder / "log").read_text()
        assert "could not bind" in log, log
        return False

    def kill(self):
        """Kills it, as a loss of power would."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(TIMEOUT)

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program, *arguments):
        done = subprocess.run([*OTHER_USER, PROGRAMS / program, "-D", self.folder / "data", *arguments],
                              capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == 0, done.stderr
