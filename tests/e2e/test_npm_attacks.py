"""Attacks by a hostile package or registry."""

import io
import json
import tarfile
import unittest
import zlib

import npm_server
from npm_server import archive, integrity_of, special
from resource_harness import NpmCase

WHEN = "When does the zebra graze?"
GOOD = ("package/README.md", "The zebra grazes at noon.\n")
MANIFEST = ("package/package.json", '{"name": "evil", "version": "1.0.0"}')


def zeros(megabytes):
    """A gzipped tar archive of one file of zeros, made without keeping it in memory."""
    info = tarfile.TarInfo("package/zeros.txt")
    info.size = megabytes << 20
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w") as tar:
        for path, content in (MANIFEST, GOOD):
            named = tarfile.TarInfo(path)
            named.size = len(content)
            tar.addfile(named, io.BytesIO(content.encode()))
        size = tar.offset
    parts = [packer.compress(inner.getvalue()[:size]), packer.compress(info.tobuf())]
    block = b"\0" * (1 << 20)
    parts += [packer.compress(block) for _ in range(megabytes)]
    parts += [packer.compress(b"\0" * 1024), packer.flush()]
    return b"".join(parts)


@unittest.skipIf(npm_server.MISSING, npm_server.MISSING)
class Tarballs(NpmCase):
    def ask_about(self, tarball, name):
        self.registry.publish_tarball(name, "1.0.0", tarball)
        self.configure(self.npm_of(name))
        return self.home.run("ask", "--json", f"{WHEN} root daemon nologin pwned")

    def harmless(self, name, *entries):
        """Refused or answered: none of its files is outside the cache, and no outside file is
        inside."""
        result = self.ask_about(archive([MANIFEST, GOOD, *entries]), name)
        if result.returncode == 0:
            done = json.loads(result.stdout.splitlines()[-1])
            self.assertIn("noon", done["text"])
            self.assertNotIn("root:", done["text"])
        else:
            self.assertTrue(result.stderr.startswith("error: "), result.stderr)
            self.assertIn("the tarball is refused", result.stderr)
        for folder in (self.home.path, self.outside):
            self.assertEqual(list(folder.rglob("*pwned*")), [])
        self.nothing_left()

    def test_paths_that_leave_the_package(self):
        for number, path in enumerate((
                "../pwned", "package/../../pwned", f"{self.outside}/pwned", "package//../../../pwned",
                "package/a" + "/.." * 16 + f"{self.outside}/pwned", "..\\pwned", "package/\0/pwned"[:9] + "pwned",
                "C:\\pwned", "package/.git/hooks/pwned")):
            with self.subTest(path):
                self.harmless(f"path{number}", (path, "pwned by a path\n"))

    def test_entries_that_are_no_files(self):
        for number, entries in enumerate((
                [(special("package/link", tarfile.SYMTYPE, "/etc/passwd"), "")],
                [(special("package/hard", tarfile.LNKTYPE, "/etc/passwd"), "")],
                [(special("package/hard", tarfile.LNKTYPE, "package/README.md"), "")],
                [(special("package/device", tarfile.CHRTYPE), "")],
                [(special("package/disk", tarfile.BLKTYPE), "")],
                [(special("package/pipe", tarfile.FIFOTYPE), "")],
                [(special("package/dir", tarfile.SYMTYPE, str(self.outside)), ""),
                 ("package/dir/pwned", "pwned by a link\n")],
                [(special("package/out", tarfile.SYMTYPE, "../../.."), ""),
                 ("package/out/pwned", "pwned by a link\n")])):
            with self.subTest(number):
                self.harmless(f"entry{number}", *entries)

    def test_names_beyond_all_measure(self):
        self.harmless("long", ("package/" + "x" * 5000, "x"))
        self.harmless("deep", ("package/" + "d/" * 2000 + "x", "x"))
        self.harmless("twice", ("package/README.md", "pwned by the second\n"))

    def test_a_package_of_many_empty_files_is_no_harm(self):
        result = self.ask_about(archive([MANIFEST, GOOD] + [
            (f"package/{number}", "") for number in range(30_000)]), "swarm")
        self.assertIn(result.returncode, (0, 1))
        self.nothing_left()

    def test_a_bomb_is_refused_before_it_fills_the_disk(self):
        tarball = zeros(600)
        self.assertLess(len(tarball), 1 << 20)
        result = self.ask_about(tarball, "bomb")
        if result.returncode == 0:
            self.assertIn("noon", result.stdout)
        size = sum(path.stat().st_size for path in self.cache.rglob("*") if path.is_file())
        self.assertLess(size, 64 << 20)
        self.nothing_left()

    def test_archives_that_are_none(self):
        for name, tarball in (("text", b"hello"), ("cut", archive([MANIFEST, GOOD])[:60]),
                              ("zip", b"PK\3\4" + b"\0" * 100),
                              ("nested", archive([("package/inner.tgz", archive([GOOD]))]))):
            with self.subTest(name):
                result = self.ask_about(tarball, f"broken-{name}")
                if name == "nested":
                    self.assertEqual(result.returncode, 0, result.stderr)
                else:
                    self.assertIn("the tarball is refused", result.stderr)
                self.nothing_left()


@unittest.skipIf(npm_server.MISSING, npm_server.MISSING)
class Registries(NpmCase):
    def setUp(self):
        super().setUp()
        self.name = "victim-" + self.id().rsplit("test_", 1)[-1].replace("_", "-")
        self.integrity = self.registry.publish(self.name, "1.0.0", {"README.md": GOOD[1]})
        self.configure(self.npm_of(self.name))

    def change(self, old, new):
        self.proxy.rewrite(f"GET /{self.name} ", lambda body: body.replace(old.encode(), new.encode()))

    def test_another_tarball_than_promised_is_refused(self):
        other = archive([MANIFEST, ("package/README.md", "The zebra grazes at midnight.\n")])
        self.proxy.rewrite(r"GET \S*\.tgz", lambda _: other)
        refused = self.refusal(WHEN)
        self.assertIn("integrity", refused)
        self.assertIn(integrity_of(other), refused)
        self.assertEqual(self.failure(WHEN)["code"], "data_loss")
        self.nothing_left()

    def test_a_damaged_tarball_is_shown_although_an_older_snapshot_answers(self):
        self.configure({**self.npm_of(self.name), "refresh": "always"})
        self.says(WHEN, "noon")
        self.registry.publish(self.name, "1.1.0", {"README.md": GOOD[1]})
        for change in (lambda body: body[:-20], lambda body: body[:20] + b"?" + body[21:]):
            self.proxy.as_is()
            self.proxy.rewrite(r"GET \S*\.tgz", change)
            failure = self.failure(WHEN)
            self.assertEqual(failure["code"], "data_loss")
            self.assertIn("failed verification", failure["message"])
        self.proxy.cut(r"GET \S*\.tgz", after=20)
        self.says(WHEN, "noon")  # of 1.0.0: the network failed
        self.nothing_left()

    def test_a_wrong_promise_is_refused(self):
        self.change(self.integrity, integrity_of(b"something else"))
        self.assertIn("integrity", self.refusal(WHEN))

    def test_a_tarball_elsewhere_is_not_fetched_from_a_private_address(self):
        for target in ("http://169.254.169.254/latest", "http://10.0.0.1/x.tgz", "file:///etc/passwd",
                       "http://localhost.:1/x.tgz"):
            with self.subTest(target):
                self.proxy.as_is()
                self.change(f"{self.proxy.url}/{self.name}/-/{self.name}-1.0.0.tgz", target)
                self.refusal(WHEN)
                self.proxy.as_is()
                self.proxy.redirect(r"GET \S*\.tgz", target)
                self.refusal(WHEN)
        self.nothing_left()

    def test_a_tarball_of_another_host_needs_the_field(self):
        there = self.registry.url.replace("127.0.0.1", "localhost")
        hosts = ("127.0.0.1", "localhost")
        ways = {"named": lambda: self.change(f"{self.proxy.url}/{self.name}/-/", f"{there}/{self.name}/-/"),
                "redirected": lambda: self.proxy.redirect(r"GET \S*\.tgz", lambda request: there + request.path)}
        for way, lead in ways.items():
            with self.subTest(way):
                self.proxy.as_is()
                lead()
                self.configure(self.npm_of(self.name), private_hosts=hosts)
                refused = self.refusal(WHEN)
                self.assertIn("tarballs does not name localhost", refused)
                self.assertIn('tarballs = ["localhost"]', refused)
        self.configure(self.npm_of(self.name), private_hosts=hosts,
                       resource_type={"npm": {"tarballs": ["localhost"]}})
        self.says(WHEN, "noon")
        self.configure(self.npm_of(self.name, tarballs=["localhost"]), private_hosts=hosts)
        self.says(WHEN, "noon")

    def test_a_redirect_in_a_circle_ends(self):
        self.proxy.redirect(r"GET \S*\.tgz", lambda request: self.proxy.url + request.path)
        self.refusal(WHEN)
        self.assertLess(len(self.proxy.requests), 50)

    def test_a_packument_without_end_is_not_read_to_the_end(self):
        self.proxy.rewrite(f"GET /{self.name} ", lambda body: body + b" " * (400 << 20))
        refused = self.refusal(WHEN)
        self.assertTrue(refused)

    def test_packuments_that_make_no_sense_are_errors(self):
        for body in (b"", b"[]", b"{}", b'{"versions": 1}', b'{"versions": {"1.0.0": null}}',
                     b'{"dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"dist": {}}}}',
                     b'{"dist-tags": {"latest": "../../x"}, "versions": {"../../x": {"dist": {}}}}',
                     b"[" * 100_000):
            with self.subTest(body[:40]):
                self.proxy.as_is()
                self.proxy.rewrite("GET", lambda _: body)
                self.assertIn("package", self.refusal(WHEN))
        self.nothing_left()

    def test_a_version_without_integrity_is_not_trusted_blindly(self):
        self.proxy.rewrite(f"GET /{self.name} ", lambda body: json.dumps(
            without_promises(json.loads(body))).encode())
        result = self.home.run("ask", WHEN)
        self.assertIn("noon" if result.returncode == 0 else "integrity", result.stdout + result.stderr)

    def test_names_are_not_paths(self):
        server = self.serve()
        for name in ("../etc", "a/b", "@a/b/c", ".hidden", "UPPER CASE", "a%2f..%2fb", "", "x" * 215, "@/x",
                     "http://127.0.0.1/x", "a?b", "a#b", "node_modules"):
            status, body = server.json("POST", "/config/resources",
                                       {"type": "npm", "name": "evil", "package": name})
            self.assertEqual(status, 400, (name, body))


def without_promises(packument):
    for version in packument["versions"].values():
        version["dist"] = {"tarball": version["dist"]["tarball"]}
    return packument


if __name__ == "__main__":
    unittest.main()
