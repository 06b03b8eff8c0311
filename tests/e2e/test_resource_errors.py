"""Errors when a git repository or an npm package cannot be fetched: the reason, the message of the
server that refused, and a hint. Always before the stream opens."""

import contextlib
import json
import pathlib
import socket
import subprocess
import unittest

import git_server
import npm_server
from git_server import GitServer, make_certificate
from harness import KEY, KEY_VARIABLE, QUARRY, TIMEOUT
from proxy import Proxy
from resource_harness import ResourceCase, git_of, processes_in

WRONG_VARIABLE = "QUARRY_WRONG_KEY"


def closed_port():
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listener:
        return listener.getsockname()[1]


class Refusals(ResourceCase):
    def refused(self, server, name):
        """The error body of a question about `name`, the same on both routes."""
        body = {"question": "When does the walrus sleep?", "resources": [name]}
        told = []
        for route in ("/question", "/question/stream"):
            status, headers, text = server.request("POST", route, body)
            self.assertEqual(status, 400, text)
            self.assertTrue(headers["Content-Type"].startswith("application/json"))
            told.append(json.loads(text))
        self.assertEqual(told[0], told[1])
        self.assertEqual(told[0]["tag"], "CollectionError")
        self.assertTrue(told[0].get("hint"), told[0])
        return told[0]

    def check_all(self, resources, expected):
        """`expected` = {name: words of its message}; no two of the messages are alike."""
        self.configure(*resources)
        server = self.serve()
        messages = {}
        for name, words in expected.items():
            with self.subTest(name):
                told = self.refused(server, name)
                message = told["error"].replace(name, "NAME")
                for word in words:
                    self.assertIn(word.lower(), (told["error"] + told["hint"]).lower())
                messages.setdefault(message, []).append(name)
        self.assertEqual([names for names in messages.values() if len(names) > 1], [])


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Git(Refusals):
    def test_each_reason_has_its_own_words(self):
        open_server = GitServer(self.outside / "open")
        self.addCleanup(open_server.stop)
        public = open_server.repository("public")
        public.commit({"a.md": "The walrus sleeps at noon.\n"})
        public.git("branch", "develop", "main")
        closed_server = GitServer(self.outside / "closed", users={"x-access-token": "the-right-one"})
        self.addCleanup(closed_server.stop)
        private = closed_server.repository("private")
        private.commit({"a.md": "x"})
        certificate = make_certificate(self.outside)
        untrusted = GitServer(self.outside / "tls", certificate=certificate)
        self.addCleanup(untrusted.stop)
        secure = untrusted.repository("secure")
        secure.commit({"a.md": "x"})
        self.home.environment[WRONG_VARIABLE] = "the-wrong-one"
        proxies = {name: Proxy(open_server.url) for name in ("limited", "broken", "page", "cut")}
        for proxy in proxies.values():
            self.addCleanup(proxy.stop)
        proxies["limited"].answer("GET", 429, "Slow down please\n", Retry_After="120")
        proxies["broken"].answer("GET", 500, "Our disk is on fire\n")
        proxies["page"].answer("GET", 200, "<html>Welcome</html>\n", Content_Type="text/html")
        proxies["cut"].cut("command=fetch", after=40)
        at = {name: f"{proxy.url}/public.git" for name, proxy in proxies.items()}
        self.check_all([
            git_of("missing", f"{open_server.url}/nothing.git"),
            git_of("private", private.url),
            git_of("token", private.url, token={"env": WRONG_VARIABLE}),
            git_of("unset", private.url, token={"env": "QUARRY_NO_SUCH_VARIABLE"}),
            git_of("branch", public.url, branch="develp"),
            git_of("commit", public.url, branch="12" * 20),
            git_of("port", f"http://127.0.0.1:{closed_port()}/public.git"),
            git_of("dns", "https://no-such-host.invalid/public.git"),
            git_of("tls", secure.url),
            git_of("forbidden", "http://10.255.255.1/public.git"),
            *(git_of(name, url) for name, url in at.items()),
        ], {
            "missing": ["not found", "nothing.git"], "private": ["credentials", "token"],
            "token": ["token"], "unset": ["QUARRY_NO_SUCH_VARIABLE"],
            "branch": ["develp", "develop", "main"], "commit": ["1212121212"],
            "port": ["connect", "refused"], "dns": ["no-such-host.invalid", "resolve"],
            "tls": ["certificate"], "forbidden": ["network.private_hosts"],
            "limited": ["429", "120"], "broken": ["500"], "page": ["git"], "cut": [],
        })


@unittest.skipIf(npm_server.MISSING, npm_server.MISSING)
class Npm(Refusals):
    def test_each_reason_has_its_own_words(self):
        registry = npm_server.NpmServer(self.outside / "npm")
        self.addCleanup(registry.stop)
        for name in ("zebra", "@private/zebra"):
            for version in ("1.0.0", "1.2.0", "2.0.0-rc.1"):
                registry.publish(name, version, {"README.md": "The zebra grazes.\n"})
        registry.tag("zebra", "latest", "1.2.0")
        names = ("limited", "broken", "page", "cut", "gone", "tls")
        certificate = make_certificate(self.outside)
        proxies = {name: Proxy(registry.url, certificate if name == "tls" else None)
                   for name in names}
        for proxy in proxies.values():
            self.addCleanup(proxy.stop)
        proxies["limited"].answer("GET", 429, '{"error": "slow down"}', Retry_After="120")
        proxies["broken"].answer("GET", 500, '{"error": "our disk is on fire"}')
        proxies["page"].answer("GET", 200, "<html>Welcome</html>\n", Content_Type="text/html")
        proxies["cut"].cut(r"\.tgz", after=40)
        proxies["gone"].answer(r"\.tgz", 404, '{"error": "no such file"}')

        def npm_of(name, package="zebra", at=registry.url, **more):
            return {"type": "npm", "name": name, "package": package, "registry": at, **more}

        self.home.environment[WRONG_VARIABLE] = "the-wrong-one"
        self.check_all([
            npm_of("missing", "zebr"), npm_of("private", "@private/zebra"),
            npm_of("token", "@private/zebra", token={"env": WRONG_VARIABLE}),
            npm_of("version", version="1.1.0"), npm_of("range", version="^3.0.0"),
            npm_of("tag", version="lates"),
            npm_of("port", at=f"http://127.0.0.1:{closed_port()}"),
            npm_of("dns", at="https://no-such-host.invalid"),
            npm_of("forbidden", at="http://10.255.255.1"),
            *(npm_of(name, at=proxies[name].url) for name in names),
        ], {
            "missing": ["zebr", "404"], "private": ["token"], "token": ["token"],
            "version": ["1.1.0", "1.0.0", "1.2.0"], "range": ["^3.0.0", "1.2.0"],
            "tag": ["lates", "latest"], "port": ["connect", "refused"],
            "dns": ["no-such-host.invalid", "resolve"], "tls": ["certificate"],
            "forbidden": ["network.private_hosts"], "limited": ["429", "120"],
            "broken": ["500", "our disk is on fire"], "page": [], "cut": [], "gone": ["404"],
        })


CUT_OFF = ["unshare", "-rn"]  # without a network, even without loopback


@unittest.skipIf(subprocess.run([*CUT_OFF, "true"], capture_output=True).returncode,
                 "no network can be taken away here")
class NoNetwork(ResourceCase):
    def test_each_says_that_it_is_the_network(self):
        def npm_of(name, at):
            return {"type": "npm", "name": name, "package": "zebra", "registry": at}

        self.configure(git_of("git-name", "https://example.org/r.git"), npm_of("npm-name", "https://example.org"),
                       git_of("git-number", "https://192.0.2.1/r.git"), npm_of("npm-number", "https://192.0.2.1"),
                       private_hosts=("192.0.2.1",))
        for name in ("git-name", "npm-name", "git-number", "npm-number"):
            with self.subTest(name):
                result = subprocess.run([*CUT_OFF, QUARRY, "ask", "-r", name, "walrus?"], text=True,
                                        cwd=self.home.project, env=self.home.environment,
                                        capture_output=True, timeout=TIMEOUT)
                self.assertEqual((result.returncode, result.stdout), (5, ""))
                self.assertIn("resolve" if name.endswith("name") else "connect", result.stderr)
                self.assertIn("hint: ", result.stderr)
                self.assertIn("network", result.stderr)


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Secrets(ResourceCase):
    """KEY is the token: the harness searches for it in all output and files left behind."""

    def setUp(self):
        super().setUp()
        self.server = GitServer(self.outside / "git", users={"x-access-token": KEY})
        self.addCleanup(self.server.stop)
        self.proxy = Proxy(self.server.url)
        self.addCleanup(self.proxy.stop)
        self.repository = self.server.repository("private")
        self.repository.commit({"a.md": "The walrus sleeps at noon.\n"})
        self.resource = git_of("private", f"{self.proxy.url}/private.git",
                               token={"env": KEY_VARIABLE})

    def test_a_token_opens_a_private_repository(self):
        self.configure(self.resource, log={"level": "debug"})
        self.says("When does the walrus sleep?", "noon")
        self.repository.commit({"a.md": "The walrus sleeps at night.\n"})
        self.says("When does the walrus sleep?", "night", "--sync")

    def test_a_token_is_in_no_command_line_and_no_file_while_git_runs(self):
        self.configure(self.resource)
        hold = self.proxy.hold("command=fetch", after=30)
        asking = self.home.start("ask", "walrus?")
        self.assertTrue(hold.reached.wait(TIMEOUT))
        self.assertTrue([each for each in processes_in(self.home.path) if b"git" in each[1]])
        self.assertEqual([line for line in command_lines() if KEY.encode() in line], [])
        self.home.search_for_key()
        hold.release()
        said, complaints = asking.communicate(timeout=TIMEOUT)
        self.assertEqual(asking.returncode, 0, complaints)
        self.assertNotIn(KEY.encode(), said + complaints)

    def test_a_token_is_shown_by_no_verb_and_no_route(self):
        self.configure(self.resource)
        server = self.serve()
        server.ask("walrus?")
        for path in ("/config", "/resources", "/metrics", "/openapi.json"):
            self.assertEqual(server.request("GET", path)[0], 200)
        self.assertNotIn("token", server.json("GET", "/resources")[1]["resources"][0])
        status, body = server.json("POST", "/config/resources",
                                   git_of("other", self.repository.url, token="resource.private.token"))
        if status == 200:
            self.assertNotIn("token", body)
            self.refusal("-r", "other", "walrus?")
        for verb in (["config", "show"], ["resources", "--json"]):
            self.home.run(*verb)

    def test_a_server_that_repeats_the_token_is_not_quoted(self):
        self.configure(self.resource)
        self.proxy.answer("GET", 403, f"The token {KEY} may not read this.\n")
        self.refusal("walrus?")


def command_lines():
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                yield (process / "cmdline").read_bytes()


if __name__ == "__main__":
    unittest.main()
