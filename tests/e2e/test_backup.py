"""`quarry backup` and `quarry restore`, from an operator's view."""

import hashlib
import json
import sqlite3
import stat
import threading
import unittest

import postgres_server
from cloud_harness import Host
from harness import KEY, Home, TestCase, wait_until
from test_serve import tree

STORE = '\n[store]\nfile = "{}"\n'


class BackupCase(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.home.path / "state/quarry"
        self.directory = self.home.path / "backup"

    def run_json(self, *arguments, home=None):
        result = (home or self.home).run(*arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def refused(self, *arguments, home=None):
        result = (home or self.home).run(*arguments)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        return result.stderr

    def user_file(self, text, home=None):
        file = (home or self.home).path / "config/quarry/quarry.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def ask(self, thread, home=None):
        result = self.question(home, "--thread", thread)
        self.assertEqual(result.returncode, 0, result.stderr)

    def question(self, home=None, *options):
        home = home or self.home
        folder = home.path / "code"
        return home.run("ask", *options, "-r", folder if folder.exists() else tree(home), "zebra feature?")

    def threads(self, home=None):
        return sorted(thread["id"] for thread in self.run_json("threads", "list", home=home)["threads"])

    def projects(self, *options, home=None):
        return [project["name"] for project in self.run_json(*options, "projects", "list", home=home)["projects"]]

    def other_home(self):
        other = Home()
        self.addCleanup(other.remove)
        return other


class Backup(BackupCase):
    def test_everything_moves_to_another_machine(self):
        file = self.user_file("[model]\nmax_steps = 9\n")
        self.ask("before")
        self.run_json("projects", "create", "docs", "--usd-per-day", "2.5")
        made = self.run_json("tokens", "create", "--project", "docs")
        done = self.run_json("backup", self.directory)
        self.assertEqual(done["parts"], ["configuration", "history", "store"])
        self.assertEqual(done["directory"], str(self.directory))
        for path in [self.directory, *self.directory.rglob("*")]:
            mode = stat.S_IMODE(path.stat().st_mode)
            self.assertEqual(mode, 0o700 if path.is_dir() else 0o600, path)
            if path.is_file():
                self.assertNotIn(made["token"].encode(), path.read_bytes(), path)

        other = self.other_home()
        restored = self.run_json("restore", self.directory, home=other)
        self.assertEqual(restored["parts"], ["configuration", "history", "store"])
        self.assertNotIn("replaced", restored)
        self.assertEqual((other.path / "config/quarry/quarry.toml").read_text(), file.read_text())
        self.assertEqual(self.threads(other), ["before"])
        self.assertEqual(self.projects(home=other), ["docs"])
        tokens = self.run_json("tokens", "list", home=other)["tokens"]
        self.assertEqual([token["id"] for token in tokens], [made["id"]])

    def test_a_restore_is_undone_by_the_restore_of_what_it_replaced(self):
        self.ask("before")
        self.run_json("projects", "create", "docs")
        self.run_json("backup", self.directory)
        self.ask("after")
        self.run_json("projects", "create", "web")
        restored = self.run_json("restore", self.directory)
        self.assertEqual((self.threads(), self.projects()), (["before"], ["docs"]))
        self.run_json("restore", restored["replaced"])
        self.assertEqual((self.threads(), self.projects()), (["after", "before"], ["docs", "web"]))
        self.assertEqual(len(list((self.state / "before-restore").iterdir())), 2)

    def test_one_part_alone(self):
        self.ask("before")
        self.run_json("projects", "create", "docs")
        self.assertEqual(self.run_json("backup", self.directory, "--only", "history")["parts"], ["history"])
        self.assertIn("has no store", self.refused("restore", self.directory, "--only", "store"))
        self.ask("after")
        self.run_json("projects", "create", "web")
        self.run_json("restore", self.directory, "--only", "history")
        self.assertEqual((self.threads(), self.projects()), (["before"], ["docs", "web"]))
        self.assertIn("configuration,history,store", self.refused("backup", "x", "--only", "cache"))

    def test_wrong_directories(self):
        self.ask("before")
        self.directory.mkdir()
        (self.directory / "mine").write_text("mine")
        self.assertIn(f"{self.directory} exists already", self.refused("backup", self.directory))
        self.assertIn(str(self.home.path / "none"), self.refused("backup", self.home.path / "none/one"))
        self.assertIn("directory of a backup", self.refused("restore", self.directory))
        self.assertEqual([path.name for path in self.directory.iterdir()], ["mine"])
        self.assertIn("nothing to back up", self.refused("backup", "x", home=self.other_home()))

    def test_a_backup_that_was_changed_is_refused_and_nothing_with_it(self):
        self.ask("before")
        self.run_json("projects", "create", "docs")
        self.run_json("backup", self.directory)
        self.ask("after")
        dump = self.directory / "store/dump.json"
        dump.write_bytes(dump.read_bytes().replace(b"docs", b"dogs"))
        self.assertIn(f"{dump} is not as it was", self.refused("restore", self.directory))
        dump.write_bytes(dump.read_bytes().replace(b"dogs", b"docs"))
        dump.chmod(0o666)
        self.assertIn("others may write", self.refused("restore", self.directory))
        dump.chmod(0o600)
        manifest = self.directory / "backup.json"
        manifest.write_text(manifest.read_text().replace('"format": 1', '"format": 2'))
        self.assertIn("newer Quarry", self.refused("restore", self.directory))
        self.assertEqual(self.threads(), ["after", "before"])
        self.assertFalse((self.state / "before-restore").exists())

    def test_a_broken_configuration_is_repaired_by_its_backup(self):
        file = self.user_file("[model]\nmax_steps = 9\n")
        self.run_json("projects", "create", "docs")
        self.run_json("backup", self.directory)
        file.write_text("[model\n")
        told = self.refused("restore", self.directory)
        self.assertIn("--only configuration", told)
        self.run_json("restore", self.directory, "--only", "configuration")
        self.assertEqual(file.read_text(), "[model]\nmax_steps = 9\n")
        self.run_json("restore", self.directory)

    def test_an_interrupted_restore_is_told_until_it_is_completed(self):
        self.ask("before")
        self.run_json("backup", self.directory)
        (self.state / "restoring.json").write_text(json.dumps({"backup": str(self.directory)}))
        told = f"a restore was interrupted (Complete it: quarry restore {self.directory}.)"
        self.assertIn(told, self.question().stderr)
        self.assertIn("a restore was interrupted", self.home.run("doctor").stdout)
        self.run_json("restore", self.directory)
        self.assertNotIn("restore", self.question().stderr)

    def test_a_backup_of_a_later_store_is_refused(self):
        self.run_json("projects", "create", "docs")
        self.run_json("backup", self.directory)
        dump, manifest = self.directory / "store/dump.json", self.directory / "backup.json"
        content = json.loads(manifest.read_text())
        dump.write_text(json.dumps({**json.loads(dump.read_text()), "futures": []}))
        for file in content["files"]:
            file["sha256"] = hashlib.sha256((self.directory / file["path"]).read_bytes()).hexdigest()
        manifest.write_text(json.dumps(content))
        told = self.refused("restore", self.directory)
        self.assertIn('the dump has "futures"', told)
        self.assertEqual(self.projects(), ["docs"])

    def test_the_schema_of_the_store_is_told_before_it_is_changed(self):
        file = self.home.path / "store.db"
        self.user_file(STORE.format(file))
        self.assertEqual(self.run_json("store", "migrate", "--dry-run")["schema"], 0)
        self.assertFalse(file.exists())
        self.assertIn("would be created", self.home.run("store", "migrate", "--dry-run").stdout)
        newest = self.run_json("store", "migrate")["newest"]
        with sqlite3.connect(file) as database:
            database.execute("ALTER TABLE revision DROP COLUMN loads")
            database.execute("UPDATE quarry_schema SET version = 2")
        database.close()
        before = file.read_bytes()
        told = self.run_json("store", "migrate", "--dry-run")
        self.assertEqual(told, {"schema": 2, "newest": newest, "migrated": False})
        self.assertIn(f"from schema 2 to {newest}", self.home.run("store", "migrate", "--dry-run").stdout)
        self.assertEqual(file.read_bytes(), before)
        self.assertEqual(self.run_json("store", "migrate"),
                         {"schema": 2, "newest": newest, "migrated": True})
        self.assertIn("the newest", self.home.run("store", "migrate").stdout)


class WhileServing(BackupCase):
    def test_a_server_goes_on_through_backup_and_restore(self):
        host = Host(self.home).start()
        self.addCleanup(host.kill)
        folder = tree(self.home)
        host.project("docs")
        kept = host.token("docs")
        host.call(kept["token"], "addResource",
                  {"type": "local", "name": "tree", "path": str(folder)})
        stop, wrong, asked = threading.Event(), [], [0]

        def ask():
            while not stop.is_set():
                result = host.call(kept["token"], "ask", {"question": "zebra feature?", "resources": ["tree"]})
                text = json.dumps(result)
                if "off by default" not in text:
                    wrong.append(text)
                asked[0] += 1

        thread = threading.Thread(target=ask)
        thread.start()
        try:
            wait_until(lambda: asked[0] > 2, "questions are asked")
            for number in range(3):
                self.run_json("backup", self.home.path / f"backup{number}")
            later = host.token("docs")
            self.run_json("projects", "create", "later")
            self.assertEqual(host.post(later["token"], {"jsonrpc": "2.0", "id": 1, "method": "ping"})[0], 200)
            self.run_json("restore", self.home.path / "backup2", "--only", "store")
            count = asked[0]
            wait_until(lambda: asked[0] > count + 2 or wrong, "questions are asked after the restore")
        finally:
            stop.set()
            thread.join()
        self.assertEqual(wrong, [])
        wait_until(lambda: host.post(later["token"], {"jsonrpc": "2.0", "id": 1, "method": "ping"})[0] == 401,
                   "the token that was created later is unknown")
        self.assertEqual(self.projects(), ["docs"])
        self.assertEqual(host.stop()[0], 0)
        entries = [json.loads(line) for line in
                   (self.home.path / "backup2/store/audit.jsonl").read_text().splitlines()]
        self.assertGreater(len(entries), 2)
        self.assertEqual([entry["at"] for entry in entries],
                         sorted((entry["at"] for entry in entries), reverse=True))

    def test_secrets_of_projects_are_readable_with_the_key_of_the_backup(self):
        host = Host(self.home).start()
        self.addCleanup(host.kill)
        host.project("docs")
        token = host.token("docs")
        host.call(token["token"], "addResource",
                  {"type": "git", "name": "kit", "url": "https://git.example.org/kit"})
        done = self.home.run("projects", "secret", "set", "docs", "kit.token", input="a secret\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        host.stop()
        self.run_json("backup", self.directory)
        for path in self.directory.rglob("*"):
            if path.is_file():
                self.assertNotIn(b"a secret", path.read_bytes(), path)
        key = (self.state / "secrets.key").read_bytes()
        other = self.other_home()
        self.run_json("restore", self.directory, "--only", "store", home=other)
        self.assertEqual((other.path / "state/quarry/secrets.key").read_bytes(), key)
        listed = self.run_json("projects", "secret", "list", "docs", home=other)
        self.assertEqual([(secret["resource"], secret["member"]) for secret in listed["secrets"]],
                         [("kit", "token")])


@unittest.skipIf(postgres_server.MISSING, postgres_server.MISSING)
class ToPostgresql(BackupCase):
    def test_a_store_moves_from_a_file_to_a_database_and_back(self):
        server = postgres_server.PostgresServer()
        self.addCleanup(server.remove)
        self.home.environment["STORE_URL"] = server.url
        self.run_json("projects", "create", "docs")
        made = self.run_json("tokens", "create", "--project", "docs", "--expires", "90d")
        there = self.home.write("there.toml", '[store]\nprovider = "postgresql"\nurl = { env = "STORE_URL" }\n')
        self.assertEqual(self.run_json("store", "copy", there), {"projects": 1, "tokens": 1})
        self.assertEqual(self.projects("-c", there), ["docs"])
        tokens = self.run_json("-c", there, "tokens", "list")["tokens"]
        self.assertEqual([token["id"] for token in tokens], [made["id"]])
        self.run_json("-c", there, "projects", "create", "web")
        back = self.home.write("back.toml", f'[store]\nfile = "{self.home.path / "back.db"}"\n')
        self.run_json("-c", there, "store", "copy", back)
        self.assertEqual(self.projects("-c", back), ["docs", "web"])
        refused = self.home.run("store", "copy", there)
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn('the store has projects already, as "docs"', refused.stderr)
        self.assertEqual(self.projects("-c", there), ["docs", "web"])


if __name__ == "__main__":
    unittest.main()
