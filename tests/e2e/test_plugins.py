"""The host starts without a broken plugin, and reports its name, the reason and a hint."""

import hashlib
import shutil
import subprocess
import unittest

from harness import BUILD, TestCase
from test_serve import tree

PLUGINS = BUILD / "lib/quarry/plugins"


class BrokenPlugins(TestCase):
    """Copies of a real plugin in a directory of plugin_path, each damaged in one way."""

    def setUp(self):
        super().setUp()
        self.folder = tree(self.home)
        self.plugins = self.home.path / "plugins"
        shutil.copytree(PLUGINS / "pricing-static", self.plugins / "copy")
        self.object = next((self.plugins / "copy").glob("*.so"))
        self.manifest = self.plugins / "copy/plugin.toml"
        text = self.manifest.read_text()
        text = text.replace("io.quarry.pricing-static", "org.example.pricing-copy")
        self.manifest.write_text(text.replace('name = "static"', 'name = "copy"'))
        self.home.write("quarry.toml", f'plugin_path = ["{self.plugins}"]\n')

    def told(self):
        result = self.home.run("ask", "-r", self.folder, "zebra?")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("zebra", result.stdout)
        return result.stderr

    def test_missing(self):
        self.object.unlink()
        self.assertIn("copy", self.told())

    def test_truncated(self):
        whole = self.object.read_bytes()
        self.object.write_bytes(whole[:len(whole) // 2])
        self.assertRegex(self.told(), "digest|SHA-256|truncated")

    def test_wrong_digest(self):
        data = bytearray(self.object.read_bytes())
        data[-1] ^= 1
        self.object.write_bytes(data)
        self.assertRegex(self.told(), "digest|SHA-256")

    def test_another_abi(self):
        text = self.manifest.read_text()
        self.manifest.write_text(text.replace('built_for = "1.0"', 'built_for = "99.0"'))
        self.assertIn("99", self.told())


    def test_a_plugin_that_did_not_come_with_the_program_is_isolated(self):
        self.home.write("../state/quarry/quarantined-plugins",
                        hashlib.sha256(self.object.read_bytes()).hexdigest() + "\n")
        self.assertIn("org.example.pricing-copy (isolated) is not started", self.told())
        self.home.write("quarry.toml", f'plugin_path = ["{self.plugins}"]\n[plugins.isolation]\n'
                                       '"org.example.pricing-copy" = "none"\n')
        self.assertNotIn("isolated", self.told())

    def test_a_transport_of_somebody_else_needs_the_owners_word(self):
        shutil.copytree(PLUGINS / "transport-rest", self.plugins / "transport")
        manifest = self.plugins / "transport/plugin.toml"
        text = manifest.read_text().replace("io.quarry.transport-rest", "org.example.transport")
        manifest.write_text(text.replace('name = "rest"', 'name = "other"'))
        self.assertNotIn("transport", self.told())  # a question starts none
        told = self.home.run("config", "check").stderr
        self.assertIn("org.example.transport cannot be isolated", told)
        self.assertIn('"org.example.transport" = "none" in [plugins.isolation]', told)


class IsolatedPlugins(TestCase):
    """The product's own plugins in processes of their own."""

    def setUp(self):
        super().setUp()
        self.folder = tree(self.home)
        self.home.write("quarry.toml", '[plugins.isolation]\n"io.quarry.resource-local" = "process"\n'
                                       '"io.quarry.model-extractive" = "process"\n')

    def test_answer_as_in_the_host(self):
        result = self.home.run("ask", "-r", self.folder, "zebra?")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("zebra", result.stdout)

    def test_that_are_quarantined_are_reported_and_the_others_work(self):
        file = next((PLUGINS / "model-extractive").glob("*.so"))
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        self.home.write("../state/quarry/quarantined-plugins", f"{digest}\n")
        result = self.home.run("ask", "-r", self.folder, "zebra?")
        self.assertIn("io.quarry.model-extractive (isolated) is not started", result.stderr)

    def test_a_transport_must_run_in_the_host(self):
        self.home.write("quarry.toml", '[plugins.isolation]\n"io.quarry.transport-rest" = "process"\n')
        self.assertIn("cannot be isolated", self.home.run("config", "check").stderr)
        result = self.home.run("serve", "--listen", "127.0.0.1:0")
        self.assertIn("cannot be isolated", result.stderr)


if __name__ == "__main__":
    unittest.main()
