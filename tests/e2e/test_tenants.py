"""Callers with tokens act with the credentials of their project only."""

import http.server
import json
import pathlib
import shutil
import tempfile
import threading
import unittest

from cloud_harness import EXTRACTIVE, Host, tool
from git_server import GitServer
from harness import KEY, TestCase, log_lines, wait_until
from npm_server import integrity_of, package

QUESTION = {"question": "When does the clock strike?"}
PRIVATE = "The clock strikes noon in private."
PUBLIC = "The clock strikes noon in public."
SHARED = """
[[resource]]
type = "git"
name = "kit"
url = "{url}"
token = {{ env = "KIT_WORD" }}
projects = [{projects}]
"""
OWNERS_WORD = "owner-word"  # the credentials of the owner's own account


class Registry:
    """An npm registry. `packages` = {name: (tarball, private)}; private ones require `token`;
    `claims` = {name: integrity} replace the true integrities."""

    def __init__(self, token):
        self.token, self.packages, self.claims, self.seen = token, {}, {}, []
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                registry.seen.append((self.path, self.headers.get("Authorization")))
                status, body = registry.answer(self.path, self.headers.get("Authorization"))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path, authorization):
        name = path.split("/")[1]
        tarball, private = self.packages.get(name, (None, False))
        if tarball is None:
            return 404, b'{"error":"not found"}'
        if private and authorization != f"Bearer {self.token}":
            return 401, b'{"error":"who are you?"}'
        if path.endswith(".tgz"):
            return 200, tarball
        dist = {"tarball": f"{self.url}{name}/-/{name}-1.0.0.tgz",
                "integrity": self.claims.get(name, integrity_of(tarball))}
        return 200, json.dumps({"name": name, "dist-tags": {"latest": "1.0.0"},
                                "versions": {"1.0.0": {"dist": dist}}}).encode()

    def add(self, name, text, private):
        self.packages[name] = (package(name, "1.0.0", {"README.md": text}), private)
        return integrity_of(self.packages[name][0])

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class TenantCase(TestCase):
    def setUp(self):
        super().setUp()
        self.outside = pathlib.Path(tempfile.mkdtemp(prefix="quarry-servers-"))
        self.addCleanup(shutil.rmtree, self.outside, ignore_errors=True)

    def host(self, more=""):
        host = Host(self.home, model=EXTRACTIVE + '\nnetwork.private_hosts = ["127.0.0.1"]\n', more=more)
        for project in ("docs", "web"):
            host.project(project)
        host.start()
        self.addCleanup(self.end, host)
        return host

    def end(self, host):
        code, errors = host.stop()
        self.assertEqual(code, 0, errors)

    def add(self, host, token, **resource):
        added = host.call(token, "addResource", resource)
        self.assertFalse(added["isError"], added)

    def set_secret(self, project, secret, *how, text=None):
        result = self.home.run("projects", "secret", "set", project, secret, *how, input=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def answered(self, host, token, resource="kit"):
        result = host.call(token, "ask", {**QUESTION, "resources": [resource]})
        text = json.dumps(result)
        self.assertNotIn("project.", text)
        return text


    def reads(self, host, token, word="noon"):
        """Waits until this host knows another process's change, a quarter of a second."""
        wait_until(lambda: word in self.answered(host, token), f"the answer says {word}")


class Git(TenantCase):
    def setUp(self):
        super().setUp()
        self.git = GitServer(self.outside / "git", users={"me": KEY, "owner": OWNERS_WORD})
        self.addCleanup(self.git.stop)
        self.repository = self.git.repository("kit")
        self.commit = self.repository.commit({"README.md": PRIVATE + "\n"})

    def test_the_owners_helpers_are_not_asked(self):
        self.home.path.joinpath(".gitconfig").write_text("[credential]\n\thelper = store\n")
        address = self.git.url.replace("//", f"//owner:{OWNERS_WORD}@")
        self.home.path.joinpath(".git-credentials").write_text(address + "\n")
        host = self.host("resource_type.git.credential_helpers = true\nresource_type.git.ssh = true\n")
        owner = self.home.run("ask", "-r", self.repository.url, QUESTION["question"])
        self.assertIn("noon", owner.stdout, owner.stderr)
        token = host.token("docs")["token"]
        self.add(host, token, type="git", name="kit", url=self.repository.url)
        self.add(host, token, type="git", name="at", url=self.repository.url, branch=self.commit)
        for name in ("kit", "at"):
            told = self.answered(host, token, name)
            self.assertNotIn("noon", told)
            self.assertIn("CollectionError", told)
        refused = host.call(token, "addResource", {"type": "git", "name": "ssh",
                                                   "url": "ssh://git@example.org/o/r"})
        self.assertIn("with a token", json.dumps(refused))

    def test_a_shared_repository_is_read_with_the_owners_credentials(self):
        self.home.environment["KIT_WORD"] = f"me:{KEY}"
        host = self.host(SHARED.format(url=self.repository.url, projects='"docs"'))
        token = host.token("docs", rights="ask,list,read")["token"]
        told = self.answered(host, token)
        self.assertIn(PRIVATE, told)
        self.assertNotIn(self.repository.url, told)
        listed = host.call(token, "listResources")["structuredContent"]["resources"]
        self.assertEqual(listed, [{"type": "git", "name": "kit", "specialNotes": None, "shared": True}])
        self.assertEqual(host.resources(token), ["kit"])
        found = host.call(token, "grep", {"pattern": "noon"})["structuredContent"]["hits"]
        self.assertEqual([hit["path"] for hit in found], ["kit/README.md"])
        of_web = host.token("web", rights="ask,list")["token"]
        self.assertEqual(host.resources(of_web), [])
        self.assertIn("there is no resource", self.answered(host, of_web))

    def test_why_a_shared_repository_is_unavailable_is_in_the_log_alone(self):
        self.home.environment["KIT_WORD"] = "me:wrong"
        host = Host(self.home, model=EXTRACTIVE + '\nnetwork.private_hosts = ["127.0.0.1"]\n',
                    more=SHARED.format(url=self.repository.url, projects='"*"'))
        host.project("docs")
        host.start()
        told = self.answered(host, host.token("docs")["token"])
        self.assertIn('shared resource \\"kit\\" is unavailable', told)
        self.assertNotIn(self.repository.url, told)
        code, errors = host.stop()
        self.assertEqual(code, 0, errors)
        self.assertTrue([line for line in log_lines(errors) if 'shared resource "kit"' in line["message"]])

    def test_an_untrusted_file_shares_nothing(self):
        text = '[[resource]]\ntype = "git"\nname = "kit"\nurl = "https://git.invalid/kit"\n'
        self.home.write("quarry.toml", text, trust=False)
        self.assertEqual(self.home.run("config", "show").returncode, 0)
        self.home.write("quarry.toml", text + 'projects = ["*"]\n', trust=False)
        refused = self.home.run("list")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("resource.kit.projects", refused.stderr)

    def test_a_projects_secret_reads_for_that_project_alone(self):
        host = self.host()
        docs, web = host.token("docs")["token"], host.token("web")["token"]
        for token in (docs, web):
            self.add(host, token, type="git", name="kit", url=self.repository.url)
        self.assertNotIn("noon", self.answered(host, docs))
        said = self.set_secret("docs", "kit.token", text=f"me:{KEY}\n")
        self.assertIn(self.repository.url, said.stderr)
        self.reads(host, docs)
        self.assertNotIn("noon", self.answered(host, web))
        self.add(host, web, type="git", name="at", url=self.repository.url, branch=self.commit)
        self.assertNotIn("noon", self.answered(host, web, "at"))
        listed = host.manage("projects", "secret", "list", "docs")["secrets"]
        self.assertEqual([(one["resource"], one["member"], one["from"], one["inUse"]) for one in listed],
                         [("kit", "token", "kept encrypted", True)])
        removed = self.home.run("projects", "secret", "remove", "docs", "kit.token")
        self.assertEqual(removed.returncode, 0, removed.stderr)
        self.reads(host, docs, "CollectionError")

    def test_by_reference_and_after_the_project_was_made_anew(self):
        host = self.host()
        docs = host.token("docs")["token"]
        self.add(host, docs, type="git", name="kit", url=self.repository.url)
        word = self.outside / "word"
        self.set_secret("docs", "kit.token", "--file", word)
        self.reads(host, docs, "is unavailable")
        self.assertNotIn(str(word), self.answered(host, docs))
        word.write_text(f"me:{KEY}\n")
        self.assertIn("noon", self.answered(host, docs))
        word.write_text("me:wrong\n")
        self.set_secret("docs", "kit.token", "--command", "cat", word)
        self.reads(host, docs, "CollectionError")
        host.manage("projects", "remove", "docs")
        host.project("docs")
        again = host.token("docs")["token"]
        wait_until(lambda: host.post(again, tool("listResources", {}))[0] == 200, "the token is known")
        self.add(host, again, type="git", name="kit", url=self.repository.url)
        self.assertNotIn("noon", self.answered(host, again))


class Npm(TenantCase):
    def setUp(self):
        super().setUp()
        self.registry = Registry(KEY)
        self.addCleanup(self.registry.stop)
        self.integrity = self.registry.add("kit", PRIVATE, private=True)
        self.permitted = f'resource_type.npm.registries = ["{self.registry.url}"]\n'

    def test_the_owners_npmrc_is_not_used(self):
        place = self.registry.url.removeprefix("http:")
        self.home.path.joinpath(".npmrc").write_text(
            f"registry={self.registry.url}\n{place}:_authToken=${{QUARRY_TEST_KEY}}\n")
        host = self.host(self.permitted)
        owner = self.home.run("ask", "-r", "npm:kit", QUESTION["question"])
        self.assertIn("noon", owner.stdout, owner.stderr)
        token = host.token("docs")["token"]
        self.registry.seen.clear()
        self.add(host, token, type="npm", name="kit", package="kit")
        self.assertNotIn("noon", self.answered(host, token))
        self.assertEqual({sent for _, sent in self.registry.seen}, {None})

    def test_the_registry_is_one_that_the_owner_permits(self):
        host = self.host(self.permitted)
        token = host.token("docs")["token"]
        refused = json.dumps(host.call(token, "addResource", {
            "type": "npm", "name": "other", "package": "kit", "registry": "http://127.0.0.1:9/"}))
        self.assertIn("registry", refused)
        self.assertIn("resource_type.npm", refused)
        self.add(host, token, type="npm", name="kit", package="kit", registry=self.registry.url)

    def test_nobody_reads_a_tarball_by_claiming_its_integrity(self):
        self.registry.add("claim", PUBLIC, private=False)
        self.registry.claims["claim"] = self.integrity
        host = self.host(self.permitted)
        docs, web = host.token("docs")["token"], host.token("web")["token"]
        self.add(host, docs, type="npm", name="kit", package="kit")
        self.set_secret("docs", "kit.token", "--env", "QUARRY_TEST_KEY")
        self.reads(host, docs)
        for name in ("kit", "claim"):
            self.add(host, web, type="npm", name=name, package=name)
            self.assertNotIn("private", self.answered(host, web, name), name)


class Folders(TenantCase):
    def test_what_there_is_cannot_be_found_out(self):
        host = self.host()
        token = host.token("docs")["token"]
        (self.outside / "file").write_text("x")
        answers = set()
        for path in (self.outside, self.outside / "file", self.outside / "missing", "/etc/passwd", "/proc/1",
                     "/nowhere", "relative", "~", "~root"):
            added = host.call(token, "addResource", {"type": "local", "name": "x", "path": str(path)})
            answers.add(json.dumps(added))
        self.assertEqual(len(answers), 1, answers)
        self.assertIn("with a token", answers.pop())


if __name__ == "__main__":
    unittest.main()
