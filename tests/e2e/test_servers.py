"""The servers behind the tests of resources, checked with their real clients."""

import json
import os
import subprocess
import unittest
import urllib.error
import urllib.request

import git_server
import npm_server
from harness import TIMEOUT, TestCase
from proxy import Proxy


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Git(TestCase):
    def setUp(self):
        super().setUp()
        self.server = git_server.GitServer(self.home.path / "git", users={"reader": "word"})
        self.addCleanup(self.server.stop)
        self.proxy = Proxy(self.server.url)
        self.addCleanup(self.proxy.stop)
        self.repository = self.server.repository("code")
        self.repository.commit({"a b.txt": "one\n", b"caf\xe9\n": "two\n"})

    def clone(self, url, **environment):
        return subprocess.run(
            ["git", "clone", "-q", "--bare", url, self.home.path / "clone"], capture_output=True,
            text=True, timeout=TIMEOUT,
            env={**self.home.environment, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **environment})

    def url(self, who="reader:word@"):
        return f"http://{who}127.0.0.1:{self.proxy.port}/code.git"

    def test_a_repository_is_cloned_by_who_has_the_password_only(self):
        refused = self.clone(self.url("reader:other@"))
        self.assertIn("Authentication failed", refused.stderr)
        self.assertEqual(self.clone(self.url()).returncode, 0)
        names = self.repository.git("ls-tree", "-r", "--name-only", "main")
        self.assertEqual(names, 'a b.txt\n"caf\\351\\n"')
        self.assertEqual(len(self.proxy.asked("command=fetch")), 1)

    def test_what_goes_wrong_is_what_the_test_said(self):
        self.proxy.cut("command=fetch", after=20)
        self.assertNotEqual(self.clone(self.url()).returncode, 0)
        self.proxy.answer("GET", 429, "later", Retry_After="7")
        self.assertIn("429", self.clone(self.url()).stderr)
        self.proxy.as_is()
        self.assertEqual(self.clone(self.url()).returncode, 0)

    def test_a_client_is_held_in_the_middle_of_a_pack(self):
        hold = self.proxy.hold("command=fetch", after=20)
        child = subprocess.Popen(["git", "clone", "-q", "--bare", self.url(), self.home.path / "held"])
        self.assertTrue(hold.reached.wait(TIMEOUT))
        self.assertIsNone(child.poll())
        hold.release()
        self.assertEqual(child.wait(TIMEOUT), 0)

    def test_tls_holds_for_who_trusts_the_certificate(self):
        folder = self.home.path / "tls"
        folder.mkdir()
        certificate = git_server.make_certificate(folder)
        server = git_server.GitServer(folder / "git", certificate=certificate)
        self.addCleanup(server.stop)
        url = server.repository("code").url
        self.assertIn("certificate", self.clone(url).stderr)
        self.assertEqual(self.clone(url, GIT_SSL_CAINFO=str(certificate)).returncode, 0)


@unittest.skipIf(npm_server.MISSING, npm_server.MISSING)
class Npm(TestCase):
    def setUp(self):
        super().setUp()
        self.server = npm_server.NpmServer(self.home.path / "npm")
        self.addCleanup(self.server.stop)

    def get(self, path, token=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        with urllib.request.urlopen(urllib.request.Request(self.server.url + path, headers=headers),
                                    timeout=TIMEOUT) as answer:
            return answer.read()

    def test_what_is_published_can_be_had(self):
        integrity = self.server.publish("@scope/zebra", "1.0.0", {"index.js": os.urandom(1000)})
        self.server.tag("@scope/zebra", "stable", "1.0.0")
        packument = json.loads(self.get("/@scope%2fzebra"))
        self.assertEqual(packument["dist-tags"], {"latest": "1.0.0", "stable": "1.0.0"})
        dist = packument["versions"]["1.0.0"]["dist"]
        self.assertEqual(dist["integrity"], integrity)
        tarball = self.get(dist["tarball"].removeprefix(self.server.url))
        self.assertEqual(npm_server.integrity_of(tarball), integrity)

    def test_a_private_package_is_for_who_has_the_token(self):
        self.server.publish("@private/zebra", "1.0.0", {})
        for token in (None, "another"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.get("/@private%2fzebra", token)
            refused.exception.close()
            self.assertEqual(refused.exception.code, 401)
        self.assertTrue(self.get("/@private%2fzebra", self.server.token))


if __name__ == "__main__":
    unittest.main()
