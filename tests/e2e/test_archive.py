"""Archives from a real web server, compared with what tar and unzip make of them; and hostile ones."""

import hashlib
import os
import shutil
import signal
import subprocess
import tarfile
import unittest
import zipfile

from archive_harness import GOOD, WHEN, ZEBRA, ArchiveCase
from archive_server import ReadingModel, member, tar_of
from harness import KEY, KEY_VARIABLE, TIMEOUT, wait_until
from proxy import Proxy
from resource_harness import lines_shown, paths_listed


def sha256_of(content):
    return hashlib.sha256(content).hexdigest()


class SameFiles(ArchiveCase):
    """The judges: the programs tar and unzip."""

    def tree(self):
        """A folder `x` with text files of many kinds of names."""
        root = self.outside / "tree"
        texts = {"a.md": "The zebra grazes at noon.\n", "deep/" * 20 + "leaf.txt": "leaf\n",
                 "n" * 120 + "/" + "m" * 150: "long\n", "café.txt": "composed\n",
                 "cafe\u0301.txt": "decomposed\n", "Case": "upper\n", "case": "lower\n",
                 "with space & sign": "odd\n", "lines": "".join(f"line {i}\n" for i in range(1500))}
        for path, text in texts.items():
            file = root / "x" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        os.link(root / "x/a.md", root / "x/hard.md")
        os.symlink("a.md", root / "x/soft.md")
        return root

    def read_by(self, paths):
        """(lines by path, the paths that exist), by a model's tools."""
        calls = [("list", {"glob": "**", "limit": 1000})]
        calls += [("read", {"path": f"kit/{path}"}) for path in paths]
        model = ReadingModel(calls)
        self.addCleanup(model.stop)
        self.answer(WHEN, "--set", "model.provider=openai", "--set", f"model.base_url={model.url}",
                    "--set", "model.name=reader", "--set", "model.api=chat",
                    "--set", "model.unpriced=allow")
        listed, *texts = model.results
        lines = {path: lines_shown(text) for path, text in zip(paths, texts)}
        return lines, sorted(path.removeprefix("kit/") for path in paths_listed(listed))

    def agree(self, pack, unpack, suffix):
        root, out = self.tree(), self.outside / "out"
        file = self.nginx.root / f"same{suffix}"
        file.unlink(missing_ok=True)
        subprocess.run(pack + [file, "x"], cwd=root, check=True, capture_output=True)
        out.mkdir()
        subprocess.run(unpack + [file], cwd=out, check=True, capture_output=True)
        self.configure(self.archive_of(file.name))
        found = [path for path in out.rglob("*") if path.is_file() and not path.is_symlink()]
        wanted = {str(path.relative_to(out)): path.read_text().splitlines() for path in found}
        lines, listed = self.read_by(list(wanted))
        self.assertEqual(lines, wanted)
        self.assertEqual(listed, sorted([*wanted, "x/soft.md"]))
        self.nothing_left()

    def test_tar(self):
        self.agree(["tar", "-cf"], ["tar", "-xf"], ".tar")

    def test_tar_with_gzip_and_pax(self):
        self.agree(["tar", "-H", "pax", "-czf"], ["tar", "-xf"], ".tar.gz")

    def test_tar_with_xz(self):
        self.agree(["tar", "-cJf"], ["tar", "-xf"], ".tar.xz")

    def test_tar_with_zstd(self):
        self.agree(["tar", "--zstd", "-cf"], ["tar", "-xf"], ".tar.zst")

    def test_tar_with_bzip2(self):
        self.agree(["tar", "-cjf"], ["tar", "-xf"], ".tar.bz2")

    def test_zip(self):
        self.agree(["zip", "-qry"], ["unzip", "-q"], ".zip")


class Servers(ArchiveCase):
    def test_a_reference_is_enough(self):
        digest = sha256_of(self.put("kit-1.0.tar.gz").read_bytes())
        self.configure()
        for reference in (f"{self.proxy.url}/kit-1.0.tar.gz", f"archive:{self.proxy.url}/kit-1.0.tar.gz"):
            with self.subTest(reference):
                snapshot = self.says(WHEN, "grazes at noon", resources=(reference,))
                self.assertEqual(snapshot["version"], f"sha256:{digest}")

    def test_an_archive_of_a_forge_is_no_repository(self):
        self.configure()
        server = self.serve()
        _, known = server.json("POST", "/recognise", {
            "reference": "https://github.com/owner/name/archive/refs/tags/v1.tar.gz"})
        self.assertEqual(known["resource"]["type"], "archive")
        self.assertIn("codeload.github.com", known["resource"]["redirects"])

    def test_unchanged_costs_one_conditional_request(self):
        for manner, header in (("", "If-None-Match"), ("dated/", "If-Modified-Since")):
            with self.subTest(manner):
                self.put("once.tgz")
                self.configure(self.archive_of(manner + "once.tgz", refresh="always"))
                self.says(WHEN, "noon")
                before = len(self.proxy.requests)
                self.says(WHEN, "noon")
                (request,) = self.proxy.requests[before:]
                self.assertIn(header, request.headers)

    def test_without_validators_the_digest_decides(self):
        self.put("bare.tgz")
        self.configure(self.archive_of("bare/bare.tgz", refresh="always"))
        first = self.says(WHEN, "noon")
        self.assertEqual(self.says(WHEN, "noon")["version"], first["version"])
        self.put("bare.tgz", tar_of(member("README.md", ZEBRA.replace(b"noon", b"night"))))
        self.says(WHEN, "night")

    def test_a_new_etag_for_the_same_bytes_is_downloaded_once(self):
        path = self.put("same-bytes.tgz")
        self.configure(self.archive_of(path.name, refresh="always"))
        self.says(WHEN, "noon")
        os.utime(path, (1, 1))
        for _ in range(3):
            self.says(WHEN, "noon")
        self.assertEqual(self.bodies_of("same-bytes"), 2)

    def bodies_of(self, name):
        """How often the archive itself was asked for without an ETag that still holds."""
        requests = self.proxy.asked(name)
        seen, count = None, 0
        for request in requests:
            etag = request.headers.get("If-None-Match")
            count += etag is None or etag != seen and seen is not None
            seen = etag
        return count

    def test_a_digest_that_is_named_needs_no_check(self):
        content = tar_of(GOOD)
        self.put("pinned.tgz", content)
        self.configure(self.archive_of("pinned.tgz", sha256=sha256_of(content), refresh="always"))
        for _ in range(3):
            self.says(WHEN, "noon")
        self.assertEqual(len(self.proxy.requests), 1)
        other = "a" * 64
        said = self.refused("pinned.tgz", content, "sha256 is " + other, sha256=other)
        self.assertIn(sha256_of(content), said)

    def test_strip_and_path(self):
        self.put("parts.tgz", tar_of(GOOD, member("kit-1.0/docs/graze.md", b"The zebra grazes at night.\n")))
        self.configure(self.archive_of("parts.tgz", strip=1, path="docs"))
        _, done = self.answer(WHEN)
        self.assertEqual({each["path"] for each in done["citations"]}, {"docs/graze.md"})
        said = self.refused("parts.tgz", tar_of(GOOD), "path names nothing", path="dcos")
        self.assertIn("kit-1.0", said)

    def test_chunked_and_slow(self):
        noise = member("noise", os.urandom(150_000))
        self.put("chunked.tgz", tar_of(GOOD, noise))
        for manner in ("chunked/", "slow/"):
            with self.subTest(manner):
                self.configure(self.archive_of(manner + "chunked.tgz"))
                self.says(WHEN, "noon")

    def test_a_cut_transfer_is_continued(self):
        self.put("cut.tgz", tar_of(GOOD, member("noise", os.urandom(300_000))))
        self.proxy.cut("cut.tgz", 120_000)
        self.configure(self.archive_of("cut.tgz"))
        self.says(WHEN, "noon")
        asked = [request.headers.get("Range") for request in self.proxy.asked("cut.tgz")]
        self.assertEqual(asked, [None, "bytes=120000-", "bytes=240000-"])
        self.assertEqual(sorted(path.name for path in self.cache.rglob("partial*")), [])

    def test_a_cut_transfer_that_cannot_be_continued_is_an_error(self):
        self.put("cut.tgz", tar_of(GOOD, member("noise", os.urandom(300_000))))
        self.proxy.cut("cut.tgz", 120_000)
        self.configure(self.archive_of("bare/cut.tgz"))
        self.assertIn("120000 bytes", self.refusal(WHEN))
        self.proxy.as_is()
        self.says(WHEN, "noon")

    def test_the_last_snapshot_answers_while_the_server_fails(self):
        self.put("kept.tgz")
        self.configure(self.archive_of("kept.tgz", refresh="always"))
        self.says(WHEN, "noon")
        self.proxy.answer("kept.tgz", 503, Retry_After="7")
        self.says(WHEN, "noon")
        self.proxy.answer("kept.tgz", 404)
        self.assertIn("url leads to nothing", self.refusal(WHEN))

    def test_a_token_goes_to_its_server_only(self):
        self.put("private.tgz")
        token = {"env": KEY_VARIABLE}
        self.configure(self.archive_of("private/private.tgz"))
        self.assertIn("set token", self.refusal(WHEN))
        self.configure(self.archive_of("private/private.tgz", token=token))
        self.says(WHEN, "noon")
        other = Proxy(self.nginx.url)
        self.addCleanup(other.stop)
        self.proxy.redirect("away.tgz", f"{other.url}/private.tgz")
        self.configure(self.archive_of("away.tgz", token=token, tokenHeader="X-Token"))
        self.says(WHEN, "noon")
        self.assertEqual(self.proxy.asked("away.tgz")[0].headers["X-Token"], KEY)
        self.assertNotIn(KEY, str(other.requests[0].headers))

    def test_a_redirect_to_another_host_is_named(self):
        self.put("moved.tgz")
        self.proxy.redirect("there.tgz", self.nginx.url.replace("127.0.0.1", "localhost") + "/moved.tgz")
        hosts = ("127.0.0.1", "localhost")
        self.configure(self.archive_of("there.tgz"), private_hosts=hosts)
        said = self.refusal(WHEN)
        self.assertIn("redirects does not name localhost", said)
        self.assertIn('redirects = ["localhost"]', said)
        self.configure(self.archive_of("there.tgz", redirects=["localhost"]), private_hosts=hosts)
        self.says(WHEN, "noon")

    def test_https_with_a_private_authority(self):
        self.put("tls.tgz")
        self.configure({"type": "archive", "name": "kit", "url": self.nginx.tls_url + "/tls.tgz"},
                       private_hosts=("localhost",))
        self.assertIn("SSL_CERT_FILE", self.refusal(WHEN))
        self.home.environment["SSL_CERT_FILE"] = str(self.certificate)
        self.says(WHEN, "noon")

    def test_an_interrupt_ends_a_download_at_once(self):
        self.put("held.tgz", tar_of(GOOD, member("noise", os.urandom(300_000))))
        hold = self.proxy.hold("held.tgz", after=100_000)
        self.configure(self.archive_of("held.tgz"))
        process = self.home.start("ask", WHEN)
        self.assertTrue(hold.reached.wait(TIMEOUT))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        self.assertTrue(hold.gone.wait(TIMEOUT))
        wait_until(lambda: process.poll() is not None, "the program ends")
        self.nothing_left()

    def test_a_locked_version_is_kept_or_missed(self):
        self.put("locked.tgz")
        self.configure(self.archive_of("locked.tgz"))
        self.assertEqual(self.home.run("lock").returncode, 0)
        self.put("locked.tgz", tar_of(member("README.md", b"The zebra grazes at night.\n")))
        self.says(WHEN, "noon", "--locked")
        self.home.run("clear")
        shutil.rmtree(self.cache)
        self.assertIn("another archive now", self.refusal("--locked", WHEN))


class Hostile(ArchiveCase):
    def harmless(self, name, *members):
        """Answered from README.md; nothing is written outside the cache, and nothing read there."""
        self.put(name, tar_of(GOOD, *members))
        self.configure(self.archive_of(name))
        _, done = self.answer(f"{WHEN} root daemon nologin pwned")
        self.assertIn("noon", done["text"])
        self.assertNotIn("root:", done["text"])
        for folder in (self.home.path, self.outside):
            self.assertEqual(list(folder.rglob("*pwned*")), [])
        self.nothing_left()

    def test_names_that_lead_out(self):
        for path in ("../pwned", "a/../../pwned", f"{self.outside}/pwned", "a" + "/.." * 16 + f"{self.outside}/pwned"):
            with self.subTest(path):
                self.harmless("names.tgz", member(path, b"text\n"))

    def test_links_and_devices(self):
        for kind, target in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "/etc/passwd"),
                             (tarfile.LNKTYPE, "../../etc/passwd"), (tarfile.CHRTYPE, ""),
                             (tarfile.BLKTYPE, ""), (tarfile.FIFOTYPE, "")):
            with self.subTest(kind):
                self.harmless("links.tgz", member("evil", type=kind, linkname=target))

    def test_a_file_through_a_link(self):
        self.harmless("through.tgz", member("out", type=tarfile.SYMTYPE, linkname=str(self.outside)),
                      member("out/pwned", b"text\n"))

    def test_bombs(self):
        bomb = subprocess.run("truncate -s 120M zeros && tar -cf - zeros | gzip -9", shell=True, check=True,
                              cwd=self.outside, capture_output=True).stdout
        self.put("bomb.tgz", bomb)
        limits = {"max_unpacked_mib": 100}
        self.configure(self.archive_of("bomb.tgz"), **{"resource_type.archive": limits})
        self.assertIn("max_unpacked_mib", self.refusal(WHEN))
        links = [member(f"{number}.md", type=tarfile.LNKTYPE, linkname="a.md") for number in range(300)]
        self.put("links.tgz", tar_of(GOOD, member("a.md", b"zebra " * 170_000), *links))
        self.configure(self.archive_of("links.tgz"))
        said = self.refusal(WHEN)
        self.assertIn("times its size", said)
        self.assertIn("hard links as copies", said)
        self.assertLess(sum(path.stat().st_size for path in self.cache.rglob("*") if path.is_file()), 1 << 20)
        self.put("large.tar", os.urandom(2 << 20))
        self.configure(self.archive_of("large.tar"), **{"resource_type.archive": {"max_download_mib": 1}})
        self.assertIn("max_download_mib", self.refusal(WHEN))
        self.nothing_left()

    def test_paths_that_no_tree_keeps_are_left_out(self):
        paths = ["kit-1.0/" + "n" * 300, "kit-1.0/" + "n" * 5000, "kit-1.0/" + "d/" * 3000 + "x"]
        self.put("paths.tgz", tar_of(GOOD, *(member(path, b"text\n") for path in paths)))
        self.configure(self.archive_of("paths.tgz"))
        meta, done = self.answer(WHEN)
        self.assertIn("noon", done["text"])
        notes = meta["snapshots"][0]["notes"]
        self.assertIn("2 files were left out because their paths are too long or too deep", " ".join(notes))

    def test_what_is_no_archive(self):
        noise = member("noise", os.urandom(5000))
        for name, content, words in (
                ("page.zip", b"<html>Sign in</html>", "url leads to a web page, not to an archive"),
                ("text.zip", b"Sign in", "url does not lead to a tar or zip archive"),
                ("noise.tgz", b"\x1f\x8b" + bytes(range(200)), "url does not lead to"),
                ("empty.tar", b"", "url leads to an empty file"),
                ("cut.tgz", tar_of(GOOD, noise)[:3000], "url leads to a damaged archive: truncated gzip"),
                ("sized.tar", tar_of(noise, mode="w")[:3000], "url leads to a damaged archive")):
            with self.subTest(name):
                self.assertIn("hint: ", self.refused(name, content, words))

    def test_encrypted_files_are_named(self):
        (self.outside / "secret").write_text("The zebra grazes at midnight.\n")
        subprocess.run(["zip", "-q", "-P", "word", "secret.zip", "secret"], cwd=self.outside, check=True)
        self.refused("secret.zip", (self.outside / "secret.zip").read_bytes(), "encrypted")

    def test_repeated_and_colliding_names(self):
        self.put("names.tgz", tar_of(member("a.md", b"old\n"), member("a.md", ZEBRA),
                                     member("A.md", b"upper\n"), member("a.md/b", b"below\n")))
        self.configure(self.archive_of("names.tgz"))
        self.says(WHEN, "noon")

    def test_names_of_other_character_sets(self):
        path = self.outside / "latin.zip"
        with zipfile.ZipFile(path, "w") as out:
            out.writestr("kafX.md", ZEBRA)
        self.put("latin.zip", path.read_bytes().replace(b"kafX", b"kaf\xe9"))
        self.configure(self.archive_of("latin.zip"))
        self.says(WHEN, "noon")


if __name__ == "__main__":
    unittest.main()
