"""kill -9 at every moment of a backup, a restore, a migration and a copy: nothing is lost."""

import contextlib
import json
import shutil
import sqlite3

from kill_harness import kill_everywhere
from test_backup import STORE, BackupCase


def rows(file, query):
    """The first column of a query's rows."""
    with contextlib.closing(sqlite3.connect(file)) as database:
        return [row[0] for row in database.execute(query)]


class Kill(BackupCase):
    def setUp(self):
        super().setUp()
        self.store = self.home.path / "data/quarry/plugins/io.quarry.store-sqlite/store.db"
        self.user_file("[model]\nmax_steps = 9\n")
        self.ask("before")
        self.run_json("projects", "create", "docs")

    def held(self):
        """(threads, projects), read without the program."""
        return (rows(self.state / "history.db", "SELECT id FROM thread ORDER BY id"),
                rows(self.store, "SELECT name FROM projects ORDER BY name"))

    def test_while_it_is_backed_up(self):
        def check():
            if self.directory.exists():
                self.assertEqual(
                    len(json.loads((self.directory / "backup.json").read_text())["files"]), 4)
                shutil.rmtree(self.directory)
            self.assertEqual(self.held(), (["before"], ["docs"]))

        self.assertGreater(kill_everywhere(self.home, check, "backup", self.directory), 15)
        self.run_json("backup", self.directory)
        self.assertEqual([path.name for path in self.home.path.glob(".quarry-backup-*")], [])

    def test_while_it_is_restored(self):
        self.run_json("backup", self.directory)
        file = self.user_file("[model]\nmax_steps = 8\n")
        self.ask("after")
        self.run_json("projects", "create", "web")
        changed = self.home.path / "changed"
        self.run_json("backup", changed)
        old, new = ("9", ["before"], ["docs"]), ("8", ["after", "before"], ["docs", "web"])
        interrupted = []

        def found():
            return (file.read_text()[-2], *self.held())

        def check():
            if (self.state / "restoring.json").exists():
                for part, *either in zip(found(), old, new):
                    self.assertIn(part, either)
                interrupted.append(found())
                if len(interrupted) % 10 == 1:
                    self.assertIn("a restore was interrupted", self.home.run("doctor").stdout)
            else:
                self.assertIn(found(), (old, new))
            self.run_json("restore", changed)
            self.assertEqual(found(), new)
            shutil.rmtree(self.state / "before-restore")

        self.assertGreater(kill_everywhere(self.home, check, "restore", self.directory), 30)
        self.assertGreater(len(set(map(repr, interrupted))), 2, "it was killed between the parts")
        left = [path.name for folder in (self.state, file.parent) for path in folder.iterdir()
                if path.name.startswith(".") or "restoring" in path.name]
        self.assertEqual(left, [])

    def test_while_the_store_is_migrated(self):
        file = self.home.path / "store.db"
        self.user_file(STORE.format(file))
        self.run_json("projects", "create", "kept")
        newest = self.run_json("store", "migrate")["newest"]

        def check():
            version = rows(file, "SELECT version FROM quarry_schema")
            self.assertIn(version, ([2], [newest]))
            self.assertEqual(rows(file, "SELECT name FROM projects"), ["kept"])
            if version == [2]:
                return
            with sqlite3.connect(file) as database:
                database.execute("ALTER TABLE revision DROP COLUMN loads")
                database.execute("UPDATE quarry_schema SET version = 2")
            database.close()

        self.assertGreater(kill_everywhere(self.home, check, "store", "migrate"), 5)
        self.assertEqual(self.projects(), ["kept"])

    def test_while_the_store_is_copied(self):
        file = self.home.path / "other.db"
        there = self.home.write("there.toml", f'[store]\nprovider = "sqlite"\nfile = "{file}"\n')
        self.run_json("tokens", "create", "--project", "docs")

        def check():
            held = self.held()
            self.assertEqual(held, (["before"], ["docs"]))
            if self.projects("-c", there) == []:
                self.run_json("store", "copy", there)
            self.assertEqual(self.projects("-c", there), ["docs"])
            self.assertEqual(len(self.run_json("-c", there, "tokens", "list")["tokens"]), 1)
            for path in file.parent.glob("other.db*"):
                path.unlink()

        self.assertGreater(kill_everywhere(self.home, check, "store", "copy", there), 15)
