"""`quarry plugins search`, `add` by id and `index`, over TLS with a private certificate authority."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import tomllib
import unittest

import test_plugin_signatures
from harness import TIMEOUT
from index_server import MISSING, IndexServer, OddServer
from plugin_harness import HELLO, PluginCase, pack


@unittest.skipIf(MISSING, MISSING)
class IndexCase(PluginCase):
    """A server of two versions of the plugin `hello` and their index."""

    def setUp(self):
        super().setUp()
        self.server = IndexServer(self.home.path / "server")
        self.addCleanup(self.server.stop)
        self.home.environment.update(self.server.environment)
        self.index = self.server.root / "index.json"
        self.release("1.0.0")
        self.release("1.1.0")
        self.publish()
        self.configure()

    def build(self, version):
        """Gives the plugin in its folder another version, in its manifest and in its file."""
        text = self.manifest.read_text()
        old = re.search(r'^version = "(.*)"$', text, re.M).group(1)
        file = self.folder / "hello.so"
        file.write_bytes(file.read_bytes().replace(f"{old}\0".encode(), f"{version}\0".encode()))
        text = text.replace(f'version = "{old}"', f'version = "{version}"')
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        self.manifest.write_text(re.sub(r'sha256 = ".*"', f'sha256 = "{digest}"', text))

    def release(self, version):
        """Packs a version into the served folder."""
        self.build(version)
        return pack(self.server.root / f"hello-{version}.tar.zst", self.folder)

    def publish(self, *arguments):
        self.replace(self.plugins("index", self.server.root, *arguments))

    def replace(self, text):
        """Replaces the index in one step, as a publisher should."""
        new = self.home.path / "new.json"
        new.write_text(text)
        os.replace(new, self.index)

    def configure(self, more="", **indexes):
        indexes = indexes or {"team": f"{self.server.url}/index.json"}
        lines = "".join(f'{name} = "{url}"\n' for name, url in indexes.items())
        self.home.write("quarry.toml", f"[plugins]\n{more}\n[plugins.indexes]\n{lines}")

    def change(self, change):
        """Writes the index after `change` of its JSON."""
        index = json.loads(self.index.read_text())
        change(index)
        self.replace(json.dumps(index))

    def version(self, number=0):
        """A function that changes members of a version, for change()."""
        return lambda **members: self.change(
            lambda index: index["plugins"][0]["versions"][number].update(members))

    def found(self, *words, code=0):
        result = self.home.run("plugins", "search", "--json", *words)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def installed_version(self):
        row, = tomllib.loads(self.lock.read_text())["plugin"]
        return row["version"]


class Search(IndexCase):
    def test_a_plugin_is_found_by_its_words(self):
        text = self.plugins("search", "HELLO", "tests")
        for words in (f"{HELLO} 1.1.0  quarry.resource/1 hello", "For tests", "MIT, in index team"):
            self.assertIn(words, text)
        plugin, = self.found("hello")["plugins"]
        self.assertEqual([each["version"] for each in plugin["versions"]], ["1.1.0", "1.0.0"])
        self.assertEqual(plugin["version"], "1.1.0")
        self.assertEqual(plugin["versions"][0]["archive"], f"{self.server.url}/hello-1.1.0.tar.zst")
        self.assertEqual(plugin["versions"][0]["permissions"],
                         {"hosts": [], "programs": [], "secrets": []})
        self.assertIsNone(plugin["installed"])
        self.assertEqual(self.found("other")["plugins"], [])

    def test_without_an_index_it_says_what_to_set(self):
        self.home.write("quarry.toml", "")
        message = self.plugins("search", code=3)
        self.assertIn("no index of plugins is configured", message)
        self.assertIn("[plugins.indexes]", message)

    def test_an_unchanged_index_is_asked_for_with_its_etag(self):
        self.found()
        self.found()
        self.publish("--base-url", self.server.url)
        self.found()
        answers = [line.split()[0] for line in self.server.stop() if "index.json" in line]
        self.assertEqual(answers, ["200", "304", "200"])

    def test_without_the_server_the_copy_is_used_and_its_age_told(self):
        self.found()
        self.server.stop()
        result = self.home.run("plugins", "search")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(HELLO, result.stdout)
        self.assertIn('the copy of index "team" is used, which is less than a minute old', result.stderr)
        result = self.home.run("plugins", "search", "--offline")
        self.assertIn(HELLO, result.stdout)
        self.assertIn("less than a minute old", result.stderr)

    def test_without_server_and_copy_it_fails(self):
        self.server.stop()
        self.assertIn('plugin index "team"', self.plugins("search", code=1))
        self.assertIn('plugin index "team"', self.plugins("search", "--offline", code=1))

    def test_a_certificate_that_nobody_vouches_for_is_refused(self):
        del self.home.environment["SSL_CERT_FILE"]
        self.assertIn("certificate", self.plugins("search", code=1))

    def test_a_broken_index_does_not_hide_the_others(self):
        (self.server.root / "broken.json").write_text('{"format": 1, "made": 7, "plugins": []}')
        self.configure(team=f"{self.server.url}/index.json", broken=f"{self.server.url}/broken.json")
        result = self.home.run("plugins", "search")
        self.assertEqual(result.returncode, 1)
        self.assertIn(HELLO, result.stdout)
        self.assertIn('"broken"', result.stderr)
        self.assertIn("/made", result.stderr)
        self.plugins("search", "--index", "team")
        self.assertEqual(len(self.found(code=1)["problems"]), 1)

    def test_an_index_without_tls_is_a_mistake_of_the_configuration(self):
        for url in ("http://plugins.example/index.json", "ftp://x/index.json", "index.json",
                    "https://me@plugins.example/index.json", "https://plugins.example/?a"):
            self.home.write("quarry.toml", f'[plugins.indexes]\nteam = "{url}"\n')
            result = self.home.run("plugins", "search")
            self.assertEqual(result.returncode, 3, url)
            self.assertIn("must be an https URL", result.stderr)

    def test_a_project_without_trust_names_no_index(self):
        self.home.write("quarry.toml", '[plugins.indexes]\nteam = "https://plugins.example/i.json"\n',
                        trust=False)
        result = self.home.run("plugins", "search")
        self.assertEqual(result.returncode, 3)
        self.assertIn("plugins.indexes", result.stderr)

    def test_text_of_an_index_forges_no_line(self):
        self.change(lambda index: index["plugins"][0].update(summary="a\nforged\u001b[31m\u202e"))
        text = self.plugins("search")
        for character in ("\nforged", "\x1b", "\u202e"):
            self.assertNotIn(character, text)


class Add(IndexCase):
    def test_the_highest_version_is_installed_and_answers(self):
        said = self.add(HELLO)
        for words in ("reaches no host, runs no program, reads no secret",
                      f"source        {self.server.url}/hello-1.1.0.tar.zst", f"installed {HELLO} 1.1.0"):
            self.assertIn(words, said)
        self.assertEqual(self.installed_version(), "1.1.0")
        self.assertEqual(self.answer().returncode, 0)
        self.configure()
        self.assertEqual(self.found()["plugins"][0]["installed"], "1.1.0")

    def test_a_named_version_is_installed_and_then_updated(self):
        self.add(f"{HELLO}@1.0.0")
        self.assertEqual(self.installed_version(), "1.0.0")
        self.assertIn(f"1.1.0 is in index team: quarry plugins add {HELLO}", self.plugins("list"))
        listed = json.loads(self.plugins("list", "--json"))["plugins"]
        newer = {plugin["id"]: plugin["newer"] for plugin in listed}
        self.assertEqual(newer[HELLO], {"version": "1.1.0", "index": "team"})
        said = self.add(HELLO)
        self.assertIn("replaces      1.0.0", said)
        self.assertNotIn("is in index", self.plugins("list"))

    def test_list_uses_the_copy_alone(self):
        self.add(f"{HELLO}@1.0.0")
        self.server.stop()
        self.assertIn("1.1.0 is in index team", self.plugins("list"))
        shutil.rmtree(self.home.path / "cache/quarry/plugin-indexes")
        self.assertNotIn("is in index", self.plugins("list"))

    def test_unknown_ids_and_versions_are_answered_with_the_nearest(self):
        self.assertIn(f'did you mean "{HELLO}"?', self.refused("org.example.helol"))
        self.assertIn("there are: 1.1.0, 1.0.0", self.refused(f"{HELLO}@7"))

    def test_a_withdrawn_version_is_passed_over_unless_it_is_named(self):
        (self.server.root / "yanked.txt").write_text(f"{HELLO}@1.1.0 loses data\n")
        self.publish()
        self.add(HELLO)
        self.assertEqual(self.installed_version(), "1.0.0")
        result = self.home.run("plugins", "add", "--yes", f"{HELLO}@1.1.0")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("was withdrawn: loses data", result.stderr)

    def test_a_version_for_another_contract_or_machine_is_passed_over(self):
        self.version()(abi={"builtFor": "1.0", "minimum": "1.900"})
        self.add(HELLO)
        self.assertEqual(self.installed_version(), "1.0.0")
        self.version(1)(machine="pdp11")
        self.assertIn("1.0.0 is built for pdp11", self.refused(HELLO))

    def test_an_id_of_two_indexes_needs_a_choice(self):
        (self.server.root / "second.json").write_text(self.index.read_text())
        self.configure(team=f"{self.server.url}/index.json", second=f"{self.server.url}/second.json")
        message = self.refused(HELLO)
        self.assertIn('"second", "team"', message)
        self.add("--index", "second", HELLO)
        self.assertIn("there are: second, team", self.refused("--index", "third", HELLO, code=3))

    def test_an_index_that_cannot_be_read_could_have_the_id_too(self):
        self.configure(team=f"{self.server.url}/index.json", gone=f"{self.server.url}/gone.json")
        self.assertIn('plugin index "gone"', self.refused(HELLO))
        self.add("--index", "team", HELLO)

    def test_another_archive_than_the_index_describes_is_refused(self):
        archive = self.server.root / "hello-1.1.0.tar.zst"
        whole = archive.read_bytes()
        for changed, words in ((whole[:-1] + b"x", "SHA-256"), (whole + b"x", "more than"),
                               (whole[:100], "100 bytes")):
            archive.write_bytes(changed)
            message = self.refused(HELLO, code=4)
            self.assertIn("is not the archive that the index describes", message)
            self.assertIn(words, message)
        archive.unlink()
        self.assertIn("404", self.refused(HELLO))

    def test_an_archive_of_another_plugin_or_other_permissions_is_refused(self):
        for member, value in (("permissions", {"hosts": ["*"], "programs": [], "secrets": []}),
                              ("isolation", "process"), ("version", "9.9.9")):
            self.version()(**{member: value})
            self.assertIn(f'the index says "{member}"', self.refused(HELLO, code=4))
            self.publish()
        self.change(lambda index: index["plugins"][0].update(id="org.example.other"))
        self.assertIn('the index says "id"', self.refused("org.example.other", code=4))

    def test_an_id_that_looks_like_another_is_warned_of(self):
        self.add(self.folder)
        self.edit(f'id = "{HELLO}"', 'id = "org.example.he11o"')
        result = self.home.run("plugins", "add", "--yes", self.folder)
        self.assertIn(f"looks like that of another plugin, {HELLO}", result.stderr)

    def test_a_folder_with_the_name_of_an_id_is_not_taken_for_it(self):
        shutil.copytree(self.folder, self.home.project / HELLO)
        message = self.refused(HELLO)
        self.assertIn(f"./{HELLO}", message)
        self.assertIn("--index", message)
        self.assertIn(f"source        {self.home.project / HELLO}", self.add(f"./{HELLO}"))
        self.assertIn(f"source        {self.server.url}", self.add("--index", "team", HELLO))
        self.home.write("quarry.toml", "")
        self.assertIn(f"source        {self.home.project / HELLO}", self.add(HELLO))

    def test_nothing_is_installed_without_the_users_answer(self):
        result = self.home.run("plugins", "add", HELLO)
        self.assertEqual(result.returncode, 1)
        self.assertIn("quarry plugins add --yes", result.stderr)
        self.assertFalse(self.lock.exists())

    def test_an_archive_of_another_server_must_be_permitted(self):
        other = IndexServer(self.home.path / "other")
        self.addCleanup(other.stop)
        shutil.copy(self.server.root / "hello-1.1.0.tar.zst", other.root)
        self.version()(archive=f"{other.url}/hello-1.1.0.tar.zst")
        self.assertIn("private_hosts", self.refused(HELLO, code=4))


class Signed(IndexCase):
    key = test_plugin_signatures.Signatures.key

    def setUp(self):
        super().setUp()
        self.author, self.stranger = self.key("author"), self.key("stranger")
        self.configure(f'trusted_keys = ["{self.author}"]')

    def sign(self, by, file):
        subprocess.run(["minisign", "-S", "-s", self.home.path / f"{by}.key", "-m", file], check=True,
                       capture_output=True, timeout=TIMEOUT)

    def test_a_signed_index_of_a_signed_plugin_is_accepted(self):
        self.build("1.2.0")
        self.sign("author", self.manifest)
        pack(self.server.root / "hello-1.2.0.tar.zst", self.folder)
        self.publish()
        self.assertIn("it has no signature", self.plugins("search", code=1))
        self.sign("author", self.index)
        self.assertIsNotNone(self.found()["plugins"][0]["versions"][0]["key"])
        self.assertIn(f"valid, of key {self.author}", self.add(HELLO))
        self.assertEqual(self.installed_version(), "1.2.0")

    def test_an_index_without_a_valid_signature_is_refused(self):
        self.assertIn("it has no signature", self.refused(HELLO, code=4))
        self.sign("stranger", self.index)
        self.assertIn("which trusted_keys does not have", self.refused(HELLO, code=4))
        self.sign("author", self.index)
        self.change(lambda index: index["plugins"][0].update(summary="changed"))
        self.assertIn("signature is invalid", self.refused("--unsigned", HELLO, code=4))

    def test_a_signed_index_does_not_vouch_for_a_plugin_without_a_signature(self):
        self.sign("author", self.index)
        self.assertIn("it has no signature", self.refused(HELLO, code=4))
        self.add("--unsigned", HELLO)

    def test_an_old_index_with_its_old_signature_is_refused(self):
        self.sign("author", self.index)
        old = {path: path.read_bytes() for path in self.server.root.glob("index.json*")}
        self.change(lambda index: index.update(made="2100-01-01T00:00:00Z"))
        self.sign("author", self.index)
        self.found()
        for path, content in old.items():
            path.write_bytes(content)
        self.assertIn("2100-01-01", self.plugins("search", code=1))


class Servers(IndexCase):
    """Servers that never answer, never end, or lead elsewhere."""

    def odd(self, answer):
        server = OddServer(self.server.certificate, answer)
        self.addCleanup(server.stop)
        self.configure(team=f"{server.url}/index.json")
        return server

    def silent(self):
        """An event that tells of a request, and an answer that never comes."""
        asked, ended = threading.Event(), threading.Event()
        self.addCleanup(ended.set)

        def never(_):
            asked.set()
            ended.wait(TIMEOUT)

        return asked, never

    def interrupt(self, asked, *arguments):
        process = self.home.start(*arguments)
        self.assertTrue(asked.wait(TIMEOUT))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130)

    def test_an_interrupt_ends_the_wait_for_an_index(self):
        asked, never = self.silent()
        self.odd(never)
        self.interrupt(asked, "plugins", "search")

    def test_an_interrupt_ends_the_download_and_leaves_nothing(self):
        asked, never = self.silent()
        index = self.index.read_bytes()

        def answer(request):
            if request.path != "/index.json":
                return never(request)
            request.send_response(200)
            request.send_header("Content-Length", str(len(index)))
            request.end_headers()
            request.wfile.write(index)

        self.odd(answer)
        before = self.left()
        self.interrupt(asked, "plugins", "add", "--yes", HELLO)
        self.assertEqual(self.left(), before)

    def test_an_index_without_end_is_given_up(self):
        def endless(request):
            request.send_response(200)
            request.end_headers()
            while True:
                request.wfile.write(b" " * (1 << 20))

        self.odd(endless)
        self.assertIn("16777216", self.plugins("search", code=1))

    def test_a_redirect_away_from_tls_is_not_followed(self):
        def elsewhere(request):
            request.send_response(302)
            request.send_header("Location", "http://127.0.0.1:9/index.json")
            request.send_header("Content-Length", "0")
            request.end_headers()

        self.odd(elsewhere)
        self.assertIn("which is not an https URL", self.plugins("search", code=1))

    def test_a_redirect_to_a_private_address_must_be_permitted(self):
        def leads(request):
            request.send_response(301)
            request.send_header("Location", f"{self.server.url}/index.json")
            request.send_header("Content-Length", "0")
            request.end_headers()

        self.odd(leads)
        self.assertIn("private_hosts", self.plugins("search", code=1))


class Making(IndexCase):
    def test_a_base_url_makes_the_addresses_absolute(self):
        self.publish("--base-url", "https://files.example/plugins")
        plugin, = json.loads(self.index.read_text())["plugins"]
        self.assertEqual(plugin["versions"][0]["archive"],
                         "https://files.example/plugins/hello-1.1.0.tar.zst")

    def test_a_broken_archive_makes_no_index(self):
        pathlib.Path(self.server.root / "broken.tar.gz").write_text("garbage")
        result = self.home.run("plugins", "index", self.server.root)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("broken.tar.gz", result.stderr)


if __name__ == "__main__":
    unittest.main()
