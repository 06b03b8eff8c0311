"""Access to repositories that a configuration enables: ssh, and the helpers of the user's git. And
git's own protocol, which none enables."""

import contextlib
import socket
import socketserver
import subprocess
import threading
import unittest

import git_server
import ssh_server
from git_server import ENVIRONMENT
from harness import KEY
from resource_harness import GitCase, git_of

WHEN = "When does the walrus sleep?"


@unittest.skipIf(git_server.MISSING or ssh_server.MISSING, git_server.MISSING or ssh_server.MISSING)
class Ssh(GitCase):
    def setUp(self):
        super().setUp()
        self.ssh = ssh_server.SshServer(self.outside / "ssh")
        self.addCleanup(self.ssh.stop)
        self.home.environment["PATH"] = f"{self.ssh.client}:{self.home.environment['PATH']}"
        self.resource = git_of("code", f"{self.ssh.url}{self.repository.path}", refresh="always")
        self.allow()

    def allow(self, **git):
        self.configure(self.resource, resource_type={"git": {"ssh": True, **git}})

    def test_a_repository_is_fetched_and_kept_up_to_date(self):
        snapshot = self.says(WHEN, "noon")
        self.assertEqual((snapshot["version"], snapshot["fields"]), (self.first, {"branch": "main"}))
        commit = self.repository.commit({"README.md": "The walrus sleeps at night.\n"})
        self.assertEqual(self.says(WHEN, "sleeps at night")["version"], commit)
        self.assertEqual(self.proxy.requests, [])
        self.nothing_left()

    def test_only_the_search_paths_are_asked_about(self):
        self.repository.commit({"docs/a.md": "The walrus eats clams.\n"})
        self.resource["searchPath"] = "docs"
        self.allow()
        _, done = self.answer("walrus sleeps eats?")
        self.assertIn("clams", done["text"])
        self.assertNotIn("noon", done["text"])

    def test_it_is_refused_where_the_configuration_does_not_permit_it(self):
        self.configure(self.resource)
        self.assertIn("ssh = true", self.refusal(WHEN))

    def test_a_server_that_is_unknown_or_another_is_not_talked_to(self):
        for key, hint in ((None, "Connect to the host once"), ("other_key", "Verify the server")):
            self.ssh.know(key)
            refused = self.refusal(WHEN)
            self.assertIn("ost key", refused)
            self.assertIn("known_hosts", refused)
            self.assertIn(hint, refused)

    def test_a_key_that_is_not_let_in_is_told(self):
        self.ssh.use_key("other_key")
        refused = self.refusal(WHEN)
        self.assertIn("Permission denied", refused)
        self.assertIn("key", refused)

    def test_a_repository_that_is_missing_is_told(self):
        self.resource["url"] += "-not"
        self.allow()
        self.assertIn("not appear to be a git repository", self.refusal(WHEN))

    def test_when_the_server_is_gone_the_old_state_answers(self):
        self.says(WHEN, "noon")
        self.ssh.stop()
        self.assertIn("refused", self.says(WHEN, "noon")["stale"])
        self.nothing_left()

    def test_a_private_address_is_refused_like_on_the_web(self):
        self.configure(self.resource, private_hosts=(), resource_type={"git": {"ssh": True}})
        self.assertIn("network.private_hosts", self.refusal(WHEN))


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Helpers(GitCase):
    """KEY is the password: the harness searches for it in all output and files left behind."""

    users = {"someone": KEY}

    def setUp(self):
        super().setUp()
        self.log = self.outside / "asked"
        (self.outside / "password").write_text(KEY)
        self.script = self.outside / "helper"
        self.script.write_text(f'#!/bin/sh\necho "== $1" >>{self.log}\ncat >>{self.log}\n'
                               f'[ "$1" = get ] && echo username=someone && '
                               f'echo "password=$(cat {self.outside}/password)"\n')
        self.script.chmod(0o755)
        configuration = self.home.path / "config/git/config"
        configuration.parent.mkdir(parents=True)
        configuration.write_text(f"[credential]\n\thelper = {self.script}\n\tuseHttpPath = true\n")

    def allow(self, **resource):
        self.configure({**self.code, "refresh": "always", **resource},
                       resource_type={"git": {"credential_helpers": True}}, log={"level": "debug"})

    def test_the_helper_opens_a_private_repository(self):
        self.allow()
        self.says(WHEN, "noon")
        self.repository.commit({"README.md": "The walrus sleeps at night.\n"})
        self.says(WHEN, "sleeps at night")
        asked = self.log.read_text()
        self.assertIn(f"protocol=http\nhost=127.0.0.1:{self.proxy.port}\npath=code.git\n", asked)
        self.assertEqual({line for line in asked.splitlines() if line.startswith("==")}, {"== get"},
                         "nothing is stored and nothing erased")
        self.nothing_left()

    def test_it_is_not_asked_where_the_configuration_does_not_say_so(self):
        self.configure(self.code)
        self.assertIn("credentials", self.refusal(WHEN))
        self.assertFalse(self.log.exists())

    def test_it_is_not_asked_about_what_is_open_to_everybody(self):
        server = git_server.GitServer(self.outside / "open")
        self.addCleanup(server.stop)
        repository = server.repository("public")
        repository.commit({"a.md": "The walrus sleeps at noon.\n"})
        self.allow(url=repository.url)
        self.says(WHEN, "noon")
        self.assertFalse(self.log.exists())

    def test_a_wrong_password_of_it_is_told(self):
        (self.outside / "password").write_text("wrong")
        self.allow()
        refused = self.refusal(WHEN)
        self.assertIn("401", refused)
        self.assertNotIn("wrong", refused)


class Daemon(socketserver.ThreadingTCPServer):
    """`git daemon` on its own port; `connections` counts its clients."""

    daemon_threads = True

    def __init__(self, root):
        self.connections = 0
        super().__init__(("127.0.0.1", 0), None)
        self.command = ["git", "daemon", "--inetd", "--export-all", f"--base-path={root}", root]
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def finish_request(self, request, _):
        self.connections += 1
        subprocess.run(self.command, stdin=request, stdout=request, env=ENVIRONMENT,
                       stderr=subprocess.DEVNULL)

    def stop(self):
        self.shutdown()
        self.server_close()


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class GitProtocol(GitCase):
    """It has neither encryption nor authentication: its responses could come from anyone."""

    def test_a_daemon_that_git_reaches_is_not_asked(self):
        daemon = Daemon(self.server.root)
        self.addCleanup(daemon.stop)
        url = f"git://127.0.0.1:{daemon.server_address[1]}/code.git"
        self.assertIn(self.first, self.repository.git("ls-remote", url, where=[]))
        self.assertEqual(daemon.connections, 1)
        self.configure(git_of("code", url))
        refused = self.refusal(WHEN)
        self.assertIn("git://, which is not permitted", refused)
        self.configure(self.code)
        self.proxy.redirect("GET", url)
        self.assertIn("redirect", self.refusal(WHEN).lower())
        self.assertEqual(daemon.connections, 1, "but for git itself, nobody came")


if __name__ == "__main__":
    unittest.main()
