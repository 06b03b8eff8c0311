"""Plugins signed by the program minisign, and `trusted_keys` in `[plugins]`."""

import json
import subprocess
import tomllib
import unittest

from harness import TIMEOUT
from plugin_harness import HELLO, PluginCase, pack


class Signatures(PluginCase):
    def setUp(self):
        super().setUp()
        self.author, self.stranger = self.key("author"), self.key("stranger")
        self.home.write("quarry.toml", f'[plugins]\ntrusted_keys = ["{self.author}"]\n')
        self.signature = self.folder / "plugin.toml.minisig"

    def key(self, name):
        """The public key of a new pair."""
        path = self.home.path / f"{name}.key"
        subprocess.run(["minisign", "-G", "-W", "-p", f"{path}.pub", "-s", path], check=True,
                       capture_output=True, timeout=TIMEOUT)
        return (self.home.path / f"{name}.key.pub").read_text().splitlines()[1]

    def sign(self, by, *form):
        subprocess.run(["minisign", "-S", *form, "-s", self.home.path / f"{by}.key", "-t", "hello 1.0.0",
                        "-m", self.manifest], check=True, capture_output=True, timeout=TIMEOUT)

    def test_a_signature_of_a_trusted_key_is_accepted_in_both_forms(self):
        for form in ((), ("-l",)):
            self.sign("author", *form)
            said = self.add(self.folder)
            self.assertIn(f'valid, of key {self.author} ("hello 1.0.0")', said)
            row, = tomllib.loads(self.lock.read_text())["plugin"]
            self.assertEqual(row["key"], self.author)
            self.assertTrue((self.installed / HELLO / "plugin.toml.minisig").exists())
        shown = json.loads(self.plugins("show", "--json", HELLO))
        self.assertEqual(shown["origin"]["key"], self.author)
        self.assertIn(f"signed by key {self.author}", self.plugins("show", HELLO))

    def test_an_archive_carries_its_signature(self):
        self.sign("author")
        said = json.loads(self.add("--json", pack(self.home.path / "x.tar.zst", self.folder)))
        self.assertEqual(said["key"], self.author)

    def test_without_a_signature_it_is_refused_unless_that_is_permitted(self):
        message = self.refused(self.folder, code=4)
        self.assertIn("it has no signature", message)
        self.assertIn("--unsigned", message)
        result = self.home.run("plugins", "add", "--yes", "--unsigned", self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning:", result.stderr)
        self.assertNotIn("key", tomllib.loads(self.lock.read_text())["plugin"][0])

    def test_a_signature_of_another_key_is_refused_unless_that_is_permitted(self):
        self.sign("stranger")
        self.assertIn("which trusted_keys does not have", self.refused(self.folder, code=4))
        result = self.home.run("plugins", "add", "--yes", "--unsigned", self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning:", result.stderr)

    def test_an_invalid_signature_is_always_refused(self):
        self.sign("author")
        self.edit('summary = "For tests"', 'summary = "Changed"')
        for more in ((), ("--unsigned",)):
            self.assertIn("signature is invalid", self.refused(*more, self.folder, code=4))
        self.sign("author")
        self.signature.write_text(self.signature.read_text().replace("hello 1.0.0", "hello 2.0.0"))
        self.assertIn("signature is invalid", self.refused("--unsigned", self.folder, code=4))
        self.signature.write_text("garbage")
        self.refused("--unsigned", self.folder)

    def test_another_file_under_a_signed_manifest_is_refused(self):
        self.sign("author")
        with open(self.folder / "hello.so", "ab") as file:
            file.write(b"x")
        self.assertIn("its manifest says", self.refused("--unsigned", self.folder))

    def test_a_version_that_lost_its_signature_is_named(self):
        self.sign("author")
        self.add(self.folder)
        self.signature.unlink()
        self.assertIn(f"which was signed by key {self.author}", self.add("--unsigned", self.folder))

    def test_without_trusted_keys_no_signature_is_needed(self):
        self.home.write("quarry.toml", "")
        self.assertIn("signature     none", self.add(self.folder))
        self.sign("stranger")
        self.assertIn("not verified", self.add(self.folder))

    def test_a_text_that_is_no_key_is_a_mistake_of_the_configuration(self):
        self.sign("author")
        for text in ("RWx", "", "RW" + "A" * 53 + "=", "RW" + "A" * 54, "X" * 56):
            self.home.write("quarry.toml", f'[plugins]\ntrusted_keys = ["{text}"]\n')
            result = self.home.run("plugins", "add", "--yes", self.folder)
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("public key of minisign", result.stderr)
        self.assertEqual(self.left(), {})

    def test_a_project_file_without_trust_names_no_key(self):
        self.home.write("quarry.toml", f'[plugins]\ntrusted_keys = ["{self.stranger}"]\n',
                        trust=False)
        self.sign("stranger")
        result = self.home.run("plugins", "add", "--yes", self.folder)
        self.assertEqual(result.returncode, 3)
        self.assertIn("plugins.trusted_keys", result.stderr)


if __name__ == "__main__":
    unittest.main()
