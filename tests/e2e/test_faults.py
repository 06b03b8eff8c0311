"""Damaged caches and stores, with the real program: the answer is right, the damage is named, or it
is repaired; nothing crashes. tests/faults covers every block of every file."""

import os
import shutil
import unittest

import git_server
import npm_server
from harness import TestCase
from resource_harness import GitCase, NpmCase

WHEN_WALRUS = "When does the walrus sleep?"
WHEN_ZEBRA = "When does the zebra graze?"


def zero(path):
    """Overwrites a file in place, as a failing disk does."""
    size = path.stat().st_size
    path.chmod(0o600)
    with path.open("r+b") as file:
        file.write(b"\0" * size)


def cut(path):
    os.chmod(path, 0o600)
    os.truncate(path, path.stat().st_size // 2)


def remove(path):
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def replace_by_directory(path):
    remove(path)
    (path / "something else").mkdir(parents=True)


def replace_by_file(path):
    remove(path)
    path.write_text("something else")


FILE_FAULTS = (zero, cut, remove, replace_by_directory)


class Snapshots(TestCase):
    """A process that answers about a folder while its cache is being damaged."""

    LINES = 6000  # a few blocks of text

    def setUp(self):
        super().setUp()
        self.folder = self.home.project / "zoo"
        self.folder.mkdir()
        for name in ("lion", "okapi", "zebra"):
            text = "".join(f"The {name} is fed at gate {n}.\n" for n in range(self.LINES))
            (self.folder / f"{name}.md").write_text(f"# {name}\n\nThe {name} sleeps at noon.\n" + text)
        self.home.write("quarry.toml", '[[resource]]\ntype = "local"\nname = "zoo"\npath = "' + str(self.folder) + '"\n')

    def snapshot_files(self, pattern):
        return [path for path in (self.home.path / "cache").rglob(f"snapshots/*/{pattern}") if path.is_file()]

    def check(self, server):
        """Asks one question, which must get a right answer or a named error; True if right."""
        events = server.ask("When does the okapi sleep?")
        self.assertIsNone(server.process.poll(), "the process lives")
        last = events[-1]
        if last.type == "error":
            self.assertIn("damaged", last.data["message"])
            return False
        for event in events:
            if event.type == "citation" and event.data["verified"]:
                lines = (self.folder / event.data["path"]).read_text().splitlines()
                self.assertLessEqual(event.data["endLine"], len(lines))
        return "okapi sleeps at noon" in last.data["text"]

    def test_a_server_outlives_damage_and_heals(self):
        server = self.serve()
        self.assertTrue(self.check(server))
        for pattern in ("segment-*/text", "segment-*/tables", "segment-*/words", "snapshot", "resource.json"):
            for fault in (zero, cut):
                for path in self.snapshot_files(pattern):
                    fault(path)
                self.check(server)  # possibly the first to detect it
                self.assertTrue(any(self.check(server) for _ in range(3)), (pattern, fault.__name__))
        code, errors = server.stop()
        self.assertEqual(code, 0, errors)
        self.assertIn("damaged", errors)

    def test_the_next_process_heals(self):
        ask = lambda: self.home.run("ask", "When does the okapi sleep?")
        self.assertIn("okapi sleeps at noon", ask().stdout)
        for pattern in ("segment-*/text", "segment-*/tables", "segment-*/words", "snapshot", "resource.json"):
            for fault in FILE_FAULTS:
                for path in self.snapshot_files(pattern):
                    fault(path)
                first, second = ask(), ask()
                for result in (first, second):
                    self.assertIn(result.returncode, (0, 1), result.stderr)
                self.assertIn("okapi sleeps at noon", second.stdout, (pattern, fault.__name__, second.stderr))


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Clones(GitCase):
    def test_a_damaged_clone_is_never_stale(self):
        self.configure({**self.code, "refresh": "always"})
        self.says(WHEN_WALRUS, "sleeps at noon")
        hour = 0
        for name in ("HEAD", "config", "shallow", "refs/quarry", "objects/pack", "objects", "."):
            for fault in (*FILE_FAULTS, replace_by_file):
                entry = next(path for path in self.cache.rglob("plugins/*/*") if (path / "HEAD").is_file())
                victim = entry / name
                if not victim.exists() or (fault in (zero, cut) and victim.is_dir()):
                    continue
                fault(victim)
                hour += 1
                self.repository.commit({"README.md": f"# Tools\n\nThe walrus sleeps at hour {hour}.\n"})
                with self.subTest(name, fault=fault.__name__):
                    self.says(WHEN_WALRUS, f"sleeps at hour {hour}.")
        for pattern in ("*.pack", "*.idx"):
            for fault in FILE_FAULTS:
                for path in list(self.cache.rglob(pattern)):
                    fault(path)
                hour += 1
                self.repository.commit({"README.md": f"# Tools\n\nThe walrus sleeps at hour {hour}.\n"})
                with self.subTest(pattern, fault=fault.__name__):
                    self.says(WHEN_WALRUS, f"sleeps at hour {hour}.")
        self.nothing_left()


@unittest.skipIf(npm_server.MISSING, npm_server.MISSING)
class Packages(NpmCase):
    def test_damaged_tarballs_and_packuments_are_fetched_again(self):
        self.registry.publish("plain", "1.0.0", {"README.md": "# Zebra\n\nThe zebra grazes at noon.\n"})
        self.configure({**self.npm_of("plain"), "refresh": "always"})
        self.says(WHEN_ZEBRA, "grazes at noon")
        for name in ("file", "document"):
            for fault in FILE_FAULTS:
                victims = list(self.cache.rglob(name))
                self.assertTrue(victims, (name, fault.__name__))
                for path in victims:
                    fault(path)
                shutil.rmtree(next(self.cache.rglob("snapshots")))  # so that they are required
                with self.subTest(name, fault=fault.__name__):
                    self.says(WHEN_ZEBRA, "grazes at noon")
        self.nothing_left()


class Stores(TestCase):
    """Data that cannot be rebuilt is never replaced: tokens and projects."""

    def setUp(self):
        super().setUp()
        self.file = self.home.path / "tokens.db"
        self.home.write("quarry.toml", f'[store]\nprovider = "sqlite"\nfile = "{self.file}"\n')
        self.assertEqual(self.home.run("projects", "create", "docs").returncode, 0)
        self.good = self.file.read_bytes()

    def test_a_damaged_store_of_tokens_is_named_and_left_as_it_is(self):
        for fault in (zero, cut):
            self.file.write_bytes(self.good)
            for companion in ("-wal", "-shm"):
                self.file.with_name(self.file.name + companion).unlink(missing_ok=True)
            fault(self.file)
            damaged = self.file.read_bytes()
            result = self.home.run("projects", "list")
            self.assertNotEqual(result.returncode, 0, fault.__name__)
            self.assertIn(f"{self.file} is damaged", result.stderr)
            self.assertIn("Restore it from a backup", result.stderr)
            self.assertEqual(self.file.read_bytes(), damaged)
        self.file.write_bytes(self.good)
        self.assertIn("docs", self.home.run("projects", "list").stdout)


if __name__ == "__main__":
    unittest.main()
