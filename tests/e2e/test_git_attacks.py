"""Attacks by a hostile repository, server or address."""

import os
import unittest

import git_server
from git_bombs import delta_bomb, tree_bomb
from proxy import Proxy
from resource_harness import GitCase, git_of

# Redirects of a hostile server: clouds' metadata, private networks, other protocols.
ELSEWHERE = ("http://169.254.169.254/latest/meta-data", "http://10.0.0.1/code.git", "http://[::1]:80/x.git",
             "http://0x7f000002/x.git", "file:///etc", "ftp://127.0.0.1/x")


def with_pack(body, change):
    """A response to a fetch, by protocol version 2, with the pack changed: its packet lines of
    channel 1 are replaced by one."""
    lines, pack, at = [], b"", 0
    while at < len(body):
        size = int(body[at:at + 4], 16)
        line = body[at:at + max(size, 4)]
        at += len(line)
        if line[4:5] == b"\1":
            pack += line[5:]
        else:
            lines.append(line)
    end = max(number for number, line in enumerate(lines) if line == b"0000")
    pack = change(pack)
    lines.insert(end, b"%04x\1" % (len(pack) + 5) + pack)
    return b"".join(lines)


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Redirects(GitCase):
    def test_a_redirect_never_leads_to_a_private_address(self):
        self.configure(self.code)
        for target in ELSEWHERE:
            self.proxy.as_is()
            self.proxy.redirect("GET /code.git", f"{target}/info/refs?service=git-upload-pack", 301)
            refused = self.refusal("walrus?")
            self.assertNotIn("noon", refused)
            self.assertIn("redirect", refused.lower(), target)
        self.nothing_left()

    def test_a_redirect_never_leads_to_a_host_that_is_not_allowed(self):
        other = Proxy(self.server.url)
        self.addCleanup(other.stop)
        self.configure(self.code)
        self.proxy.redirect("GET /code.git", lambda request:
                            f"http://localhost.:{other.port}{request.path}")
        self.refusal("walrus?")
        self.assertEqual(other.requests, [])

    def test_another_host_needs_its_own_url(self):
        other = Proxy(self.server.url)
        self.addCleanup(other.stop)
        there = f"http://localhost:{other.port}"
        hosts = ("127.0.0.1", "localhost")
        self.configure(self.code, private_hosts=hosts)
        self.proxy.redirect("GET /code.git", lambda request: there + request.path)
        refused = self.refusal("walrus?")
        self.assertIn("redirects to localhost, which it does not name", refused)
        self.assertEqual(other.requests, [])
        self.configure(git_of("code", f"{there}/code.git"), private_hosts=hosts)
        self.says("When does the walrus sleep?", "noon")

    def test_a_damaged_pack_is_shown_although_an_older_snapshot_answers(self):
        self.configure({**self.code, "refresh": "always"})
        self.says("When does the walrus sleep?", "noon")
        self.repository.commit({"README.md": "# Tools\n\nThe walrus sleeps at night.\n"})
        damages = {"an object": lambda pack: pack[:20] + bytes(byte ^ 0x55 for byte in pack[20:40]) + pack[40:],
                   "its name": lambda pack: pack[:4] + b"\0\0\0\x02" + pack[8:12] + pack[12:-20] + b"x" * 20,
                   "its beginning": lambda pack: b"JUNK" + pack[4:]}
        for part, damage in damages.items():
            with self.subTest(part):
                self.proxy.as_is()
                self.proxy.rewrite("command=fetch", lambda body: with_pack(body, damage))
                failure = self.failure("walrus?")
                self.assertEqual(failure["code"], "data_loss", failure)
        self.proxy.as_is()
        self.proxy.cut("command=fetch", after=40)
        self.says("When does the walrus sleep?", "noon")  # of the first commit: the network failed
        self.proxy.as_is()
        self.says("When does the walrus sleep?", "night")
        self.nothing_left()

    def test_a_redirect_in_a_circle_ends(self):
        self.configure(self.code)
        self.proxy.redirect("GET", lambda request: self.proxy.url + request.path)
        self.refusal("walrus?")
        self.assertLess(len(self.proxy.requests), 50)

    def test_a_repository_that_moved_is_followed_or_its_new_address_is_told(self):
        self.repository.path.rename(self.repository.path.with_name("moved.git"))
        self.proxy.redirect("GET /code.git", lambda request:
                            self.proxy.url + request.path.replace("/code.git", "/moved.git"), 301)
        self.configure(self.code)
        result = self.home.run("ask", "When does the walrus sleep?")
        self.assertIn("sleeps at noon" if result.returncode == 0 else "moved.git",
                      result.stdout + result.stderr)

    def test_a_token_does_not_follow_to_another_server(self):
        other = Proxy(self.server.url)
        self.addCleanup(other.stop)
        self.configure({**self.code, "token": {"env": "QUARRY_TEST_KEY"}})
        self.proxy.redirect("GET", lambda request: other.url + request.path)
        self.home.run("ask", "walrus?")
        self.assertNotIn("Authorization", [name for request in other.requests
                                           for name in request.headers])


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Addresses(GitCase):
    def refused_address(self, url):
        """The response to adding it, or asking about it."""
        with self.serving() as server:
            status, body = server.json("POST", "/config/resources", git_of("evil", url))
            if status == 200:
                status, body = server.json("POST", "/question", {"question": "x",
                                                                 "resources": ["evil"]})
                server.json("DELETE", "/config/resources/evil")
        self.assertEqual(status, 400, (url, body))
        return body["error"]

    def test_only_addresses_of_the_web_are_taken(self):
        self.configure()
        marker = self.home.path / "marker"
        for url in ("ext::sh -c touch% {marker}", f"file://{self.repository.path}", str(self.repository.path),
                    "--upload-pack=touch {marker}", "-oProxyCommand=touch {marker}", "git://127.0.0.1/x.git",
                    "ssh://-oProxyCommand=touch/x", "https://u:secret-word@127.0.0.1/x.git", "",
                    "http://127.0.0.1/x.git\nfoo", "https://", "fd::0", "rsync://127.0.0.1/x"):
            said = self.refused_address(url.replace("{marker}", str(marker)))
            self.assertNotIn("secret-word", said)
        self.assertFalse(marker.exists())

    def test_private_addresses_are_refused_in_every_spelling(self):
        self.configure(private_hosts=())
        port = self.proxy.port
        for host in ("127.0.0.1", "localhost", "localhost.", "[::1]", "[::ffff:127.0.0.1]", "2130706433",
                     "0x7f.1", "127.1", "0.0.0.0", "169.254.169.254"):
            said = self.refused_address(f"http://{host}:{port}/code.git")
            self.assertTrue(said)
        self.assertEqual(self.proxy.requests, [])

    def test_a_name_that_leads_to_a_private_address_is_refused(self):
        self.configure(private_hosts=())
        self.assertIn("network.private_hosts",
                      self.refusal("-r", "https://localhost/x.git", "walrus?"))


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Surroundings(GitCase):
    """The user's git configuration and environment have no effect, and no program of a tree is
    run."""

    def setUp(self):
        super().setUp()
        self.marker = self.home.path / "marker"
        self.script = self.home.path / "script"
        self.script.write_text(f"#!/bin/sh\ntouch {self.marker}\nexec cat\n")
        self.script.chmod(0o755)

    def test_the_users_own_configuration_of_git_is_left_alone(self):
        (self.home.path / ".gitconfig").write_text(
            f"[credential]\n\thelper = {self.script}\n[core]\n\thooksPath = {self.home.path}\n"
            f"\tsshCommand = {self.script}\n\tfsmonitor = {self.script}\n"
            '[url "http://127.0.0.1:1/"]\n\tinsteadOf = ' + self.proxy.url + "\n"
            f"[http]\n\tproxy = http://127.0.0.1:1\n")
        hook = self.home.path / "reference-transaction"
        hook.write_text(self.script.read_text())
        hook.chmod(0o755)
        self.configure(self.code)
        self.says("When does the walrus sleep?", "noon")
        self.proxy.answer("GET", 401, WWW_Authenticate='Basic realm="git"')
        self.refusal("--sync", "walrus?")
        self.assertFalse(self.marker.exists())

    def test_variables_of_the_environment_do_not_reach_git(self):
        self.home.environment |= {
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.proxy",
            "GIT_CONFIG_VALUE_0": "http://127.0.0.1:1", "GIT_SSH_COMMAND": str(self.script),
            "GIT_ASKPASS": str(self.script), "SSH_ASKPASS": str(self.script),
            "GIT_EXEC_PATH": str(self.home.path), "GIT_DIR": "/nowhere", "GIT_PROXY_COMMAND": str(self.script),
            "GIT_TRACE": str(self.home.path / "trace"), "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/nowhere",
            "GIT_TEMPLATE_DIR": str(self.home.path)}
        self.configure(self.code)
        self.says("When does the walrus sleep?", "noon")
        self.assertFalse(self.marker.exists())
        self.assertFalse((self.home.path / "trace").exists())

    def test_attributes_and_filters_of_the_repository_hide_and_run_nothing(self):
        self.repository.commit({
            ".gitattributes": "*.md filter=evil diff=evil export-ignore export-subst\n"
                              "*.txt working-tree-encoding=UTF-16 eol=crlf\n",
            ".gitconfig": f'[filter "evil"]\n\tsmudge = {self.script}\n',
            "hidden.md": "The marmot whistles at $Format:%H$.\n", "plain.txt": "The pika squeaks.\n"})
        self.configure(self.code)
        self.says("What does the marmot do?", "whistles at $Format:%H$")
        self.says("What does the pika do?", "squeaks")
        self.assertFalse(self.marker.exists())

    def test_names_that_would_leave_the_tree_are_left_out(self):
        outside = f"{self.home.path.name}-b"
        blob = self.repository.blob(b"The stoat sneaks.\n")
        good = self.repository.blob(b"The walrus sleeps at noon.\n")
        inner = self.repository.tree([("100644", b"config", blob), ("100644", b"..", blob)])
        self.repository.commit_tree(self.repository.tree([
            ("40000", b"..", inner), ("40000", b".git", inner), ("40000", b".GIT", inner),
            ("100644", b"/etc/stoat", blob), ("100644", f"a/../../{outside}".encode(), blob), ("100644", b"good.md", good),
            ("40000", b"git~1", inner)]))
        self.configure(self.code)
        result = self.home.run("ask", "--json", "walrus stoat sleeps sneaks?")
        if result.returncode == 0:
            self.assertIn("noon", result.stdout)
        for path in (self.home.path / outside, self.home.path.parent / outside):
            self.assertFalse(path.exists())
        self.assertFalse(os.path.exists("/etc/stoat"))
        self.nothing_left()


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Bombs(GitCase):
    def test_ten_to_the_tenth_paths_end_in_an_error(self):
        tree_bomb(self.repository)
        self.configure(self.code)
        self.assertIn("files", self.refusal("walrus?"))
        self.nothing_left()

    def test_a_pack_of_deltas_that_grow_is_no_harm(self):
        delta_bomb(self.repository, files=4, copies=3)
        self.configure(self.code)
        result = self.home.run("ask", "When does the walrus sleep?")
        if result.returncode == 0:
            self.assertIn("noon", result.stdout)
        else:
            self.assertTrue(result.stderr.startswith("error: "), result.stderr)
        self.nothing_left()

    def test_a_large_file_is_named_and_the_others_are_searched(self):
        self.repository.commit({"large.bin": os.urandom(8 << 20), "long.txt": "walrus " * (1 << 20)})
        self.configure(self.code)
        self.says("When does the walrus sleep?", "noon")

    def test_a_server_that_never_ends_is_left_after_the_time_limit(self):
        self.configure(self.code, resource_type={"git": {"timeout_seconds": 1}})
        for after in (0, 30):
            self.proxy.as_is()
            self.proxy.hold("command=fetch", after=after)
            refused = self.refusal("walrus?")
            self.assertIn("1 s", refused)
            self.nothing_left()


if __name__ == "__main__":
    unittest.main()
