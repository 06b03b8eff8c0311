"""A real ssh server on a free port of loopback, and a user's own ssh files for it, outside the
home."""

import contextlib
import getpass
import os
import pathlib
import shutil
import socket
import subprocess

from harness import TIMEOUT, wait_until

SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
# As root, sshd requires this directory; it is created in a private mount namespace.
PRIVATE_RUN = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs tmpfs /run && mkdir /run/sshd && exec "$@"', "sh"]

CONFIGURATION = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
AllowTcpForwarding no
X11Forwarding no
"""
CLIENT = """#!/bin/sh
# ssh reads its files from the home of the account, whatever $HOME is, so their paths are given here.
exec {ssh} -F none -oUserKnownHostsFile={folder}/known_hosts -oGlobalKnownHostsFile=none \\
  -oIdentitiesOnly=yes -oIdentityFile={folder}/identity "$@"
"""


def what_is_missing():
    if not SSHD or not shutil.which("ssh"):
        return "openssh-server is missing: scripts/install-packages test"
    if os.getuid() == 0 and not pathlib.Path("/run/sshd").is_dir() and subprocess.run(
            [*PRIVATE_RUN, "true"], capture_output=True).returncode:
        return "sshd cannot run here: there is no /run/sshd, and no file system can be mounted"
    return None


MISSING = what_is_missing()


class SshServer:
    """Accepts the key `user_key`; `client` is a directory with an ssh configured for it."""

    def __init__(self, folder):
        folder.mkdir(parents=True)
        self.folder = folder
        for name in ("host_key", "user_key", "other_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / name],
                           check=True)
        self.client = folder / "bin"
        self.client.mkdir()
        ssh = self.client / "ssh"
        ssh.write_text(CLIENT.format(ssh=shutil.which("ssh"), folder=folder))
        ssh.chmod(0o755)
        self.process = None
        wait_until(self._start, "sshd listens on a port nobody else took")
        self.url = f"ssh://{getpass.getuser()}@127.0.0.1:{self.port}"
        self.use_key("user_key")
        self.know("host_key")

    def _start(self):
        """Returns False when the port is taken again, since sshd accepts no socket that is open
        already."""
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as free:
            self.port = free.getsockname()[1]
        (self.folder / "sshd_config").write_text(CONFIGURATION.format(port=self.port, folder=self.folder))
        alone = os.getuid() == 0 and not pathlib.Path("/run/sshd").is_dir()
        self.process = subprocess.Popen(
            [*(PRIVATE_RUN if alone else []), SSHD, "-D", "-f", self.folder / "sshd_config",
             "-E", self.folder / "sshd.log"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self.process.poll() is not None or self._greets(), "sshd listens")
        return self.process.poll() is None

    def _greets(self):
        with contextlib.suppress(OSError):
            with socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT) as connection:
                return connection.recv(4) == b"SSH-"
        return False

    def use_key(self, name):
        """Sets the key that the user's ssh offers from now on."""
        shutil.copy(self.folder / name, self.folder / "identity")

    def know(self, name):
        """Sets the key that the user's ssh expects of this server; None: an unknown server."""
        key = (self.folder / f"{name}.pub").read_text() if name else ""
        (self.folder / "known_hosts").write_text(key and f"[127.0.0.1]:{self.port} {key}")

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=TIMEOUT)
