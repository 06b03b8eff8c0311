"""kill -9 at every moment of `quarry plugins add` and `remove`: no plugin is half installed."""

import itertools
import shutil
import unittest

from index_server import MISSING, IndexServer
from kill_harness import kill_everywhere
from plugin_harness import HELLO, PluginCase, pack


class KillCase(PluginCase):
    def expect_nothing_left(self):
        names = {path.name for path in self.installed.iterdir()}
        self.assertLessEqual(names, {".lock", "plugins.lock.toml", HELLO})


class Kill(KillCase):
    def test_while_a_version_is_replaced(self):
        self.add(self.folder)
        text = self.manifest.read_text()
        versions = itertools.count()

        def check():
            ids, problems = self.listed()
            self.assertIn(HELLO, ids)
            self.assertEqual(problems, [])
            self.manifest.write_text(text.replace("For tests", f"Number {next(versions)}"))

        arguments = ("plugins", "add", "--yes", self.folder)
        self.assertGreater(kill_everywhere(self.home, check, *arguments), 10)
        self.add(self.folder)
        self.expect_nothing_left()

    def test_while_it_is_added_first(self):
        def check():
            ids, problems = self.listed()
            self.assertEqual(problems, [])
            if HELLO in ids:
                self.plugins("remove", HELLO)

        arguments = ("plugins", "add", "--yes", self.folder)
        self.assertGreater(kill_everywhere(self.home, check, *arguments), 10)
        self.add(self.folder)
        self.expect_nothing_left()

    def test_while_it_is_removed(self):
        self.add(self.folder)

        def check():
            ids, problems = self.listed()
            self.assertEqual(problems, [])
            if HELLO not in ids:
                self.add(self.folder)

        self.assertGreater(kill_everywhere(self.home, check, "plugins", "remove", HELLO), 5)
        self.plugins("remove", HELLO)
        self.expect_nothing_left()


@unittest.skipIf(MISSING, MISSING)
class KillWithAnIndex(KillCase):
    """The same for a plugin that is fetched as an index says."""

    def setUp(self):
        super().setUp()
        self.server = IndexServer(self.home.path / "server")
        self.addCleanup(self.server.stop)
        self.home.environment.update(self.server.environment)
        pack(self.server.root / "hello.tar.zst", self.folder)
        (self.server.root / "index.json").write_text(self.plugins("index", self.server.root))
        self.home.write("quarry.toml", f'[plugins.indexes]\nteam = "{self.server.url}/index.json"\n')

    def test_while_a_version_is_fetched(self):
        self.add(self.folder)
        copies = self.home.path / "cache/quarry/plugin-indexes"

        def check():
            ids, problems = self.listed()
            self.assertIn(HELLO, ids)
            self.assertEqual(problems, [])
            shutil.rmtree(copies, ignore_errors=True)

        self.assertGreater(kill_everywhere(self.home, check, "plugins", "add", "--yes", HELLO), 15)
        self.add(HELLO)
        self.expect_nothing_left()
        self.assertEqual([path.suffix for path in copies.iterdir()], [".index"])
        temporary = self.home.path / "cache/quarry/tmp"
        self.assertEqual([path for path in temporary.rglob("archive*")], [])


if __name__ == "__main__":
    unittest.main()
