"""Plugins and configuration that change while `quarry serve` runs."""

import json
import os
import shutil
import signal
import unittest

from harness import BUILD, TestCase, runners, wait_until

BUILT = BUILD / "tests/plugins"
PLUGIN = "org.example.generation"


class Reload(TestCase):
    """A server with one plugin in versions 1 to 3, of which the last creates nothing."""

    SERVER = ""

    def setUp(self):
        super().setUp()
        self.folder = self.home.path / "plugins/generation"
        self.put(1)
        self.configure()
        self.server = self.serve()

    def configure(self, more=""):
        self.home.write("quarry.toml", f'plugin_path = ["{self.folder.parent}"]\n{more}\n'
                        f'{self.SERVER}[[resource]]\ntype = "generation"\nname = "mine"\n')

    def put(self, generation):
        """Replaces the plugin's folder in one step."""
        new = self.folder.parent / ".new"
        shutil.copytree(BUILT / f"generation-{generation}", new)
        if self.folder.exists():
            self.folder.rename(self.folder.parent / ".old")
        new.rename(self.folder)
        shutil.rmtree(self.folder.parent / ".old", ignore_errors=True)

    def reload(self, code=0):
        """What `quarry plugins reload` prints on both of its streams."""
        result = self.home.run("plugins", "reload", "--server", self.server.url)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def version(self):
        """The version of the code that the server uses."""
        status, answer = self.server.json("POST", "/sync", {"name": "mine"})
        self.assertEqual(status, 200, answer)
        return answer["resources"][0].get("version", answer)

    def runners(self):
        """Process ids of the server's children that run plugins."""
        return runners(self.server.process.pid)


class AskedToReload(Reload):
    SERVER = "[server]\nreload_on_change = false\n"

    def test_an_isolated_plugin_is_replaced_and_its_old_process_ends(self):
        self.assertEqual(self.version(), "1.0.0")
        before = self.runners()
        self.assertEqual(len(before), 1, before)
        self.put(2)
        self.assertIn(f"{PLUGIN} 2.0.0: replaced, was 1.0.0", self.reload())
        self.assertEqual(self.version(), "2.0.0")
        wait_until(lambda: len(self.runners()) == 1, "the old process has ended")
        self.assertNotEqual(self.runners(), before)
        self.assertIn("no plugin has changed", self.reload())

    def test_code_that_creates_nothing_leaves_the_old_code_in_use(self):
        self.put(3)
        said = self.reload()
        self.assertIn(f"{PLUGIN} 1.0.0: kept", said)
        self.assertRegex(said, "warning: .*creates nothing; version 1.0.0, loaded before, stays")
        self.assertEqual(self.version(), "1.0.0")

    def test_a_file_cut_in_the_middle_leaves_the_old_code_in_use(self):
        self.put(2)
        library = self.folder / "generation-2.so"
        os.truncate(library, library.stat().st_size // 2)
        self.assertRegex(self.reload(), "warning: .*SHA-256.* stays in use")
        self.assertEqual(self.version(), "1.0.0")

    def test_a_new_type_is_used_at_once_on_the_local_interface(self):
        shutil.copytree(BUILT / "hello", self.folder.parent / "hello")
        self.assertIn("org.example.hello 1.0.0: loaded", self.reload())
        status, added = self.server.json("POST", "/config/resources",
                                         {"type": "hello", "name": "greeting"})
        self.assertEqual(status, 201 if status == 201 else 200, added)
        self.assertIn('"hello"', json.dumps(self.server.json("GET", "/openapi.json")[1]))
        events = self.server.ask("Who is welcome?", ["greeting"])
        self.assertEqual(events[-1].type, "done", events)

    def test_a_plugin_that_is_excluded_or_gone_is_used_no_more(self):
        self.home.write("quarry.toml", f'plugin_path = ["{self.folder.parent}"]\n'
                        f'{self.SERVER}[plugins]\ndisabled = ["{PLUGIN}"]\n')
        self.assertIn(f"{PLUGIN} 1.0.0: removed", self.reload())
        wait_until(lambda: not self.runners(), "its process has ended")

    def test_a_transport_is_not_replaced_in_a_running_server(self):
        shutil.copytree(BUILD / "tests/fixtures/transport-mcp-conformance",
                        self.folder.parent / "transport")
        self.configure('[transport.mcp-conformance]\nenabled = true\n[plugins.isolation]\n'
                       '"org.example.transport-mcp-conformance" = "none"\n')
        said = self.reload()
        self.assertRegex(said, "transport-mcp-conformance .*transport or store, which start with")
        self.assertIn("restart the host", said)
        self.assertEqual(self.version(), "1.0.0")

    def test_a_mistake_in_the_configuration_changes_nothing(self):
        self.put(2)
        self.configure("max_stepz = 1")
        self.assertIn("max_stepz", self.reload(code=3))
        self.assertEqual(self.version(), "1.0.0")

    def test_sighup_loads_a_changed_plugin(self):
        self.put(2)
        self.server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.version() == "2.0.0", "the new version is used")

    def test_nobody_at_the_address(self):
        self.server.stop()
        self.assertIn("127.0.0.1", self.reload(code=5))


class ChangedFiles(Reload):
    """Nobody tells the server."""

    def setUp(self):
        super().setUp()
        os.set_blocking(self.server.process.stderr.fileno(), False)
        self.log = ""

    def logged(self):
        """What the server has logged."""
        self.log += (self.server.process.stderr.read() or b"").decode()
        return self.log

    def test_a_changed_plugin_is_loaded(self):
        self.put(2)
        wait_until(lambda: self.version() == "2.0.0", "the new version is used")

    def test_a_changed_configuration_is_used(self):
        self.home.write("docs/read.md", "The parser reads.\n")
        self.configure(f'[[resource]]\ntype = "local"\nname = "docs"\n'
                       f'path = "{self.home.path}/docs"')
        listed = lambda: [each["name"] for each in self.server.json("GET", "/resources")[1]["resources"]]
        wait_until(lambda: "docs" in listed(), "the new resource is there")

    def test_a_mistake_is_logged_once_and_changes_nothing(self):
        self.configure("max_stepz = 1")
        self.put(2)
        wait_until(lambda: "max_stepz" in self.logged(), "the mistake is logged")
        self.assertEqual(self.version(), "1.0.0")
        self.configure()
        wait_until(lambda: self.version() == "2.0.0", "the mended files are used")
        self.assertEqual(self.logged().count("max_stepz"), 1, self.logged())


if __name__ == "__main__":
    unittest.main()
