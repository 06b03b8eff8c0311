"""The stores of projects and tokens, from an owner's view."""

import stat
import unittest

import postgres_server
from harness import KEY, KEY_VARIABLE, Home, TestCase

IN_A_FILE = '[store]\nprovider = "sqlite"\nfile = "{}"\n'
SHARED = '[store]\nprovider = "postgresql"\nurl = {{ env = "{}" }}\n'


class InAFile(TestCase):
    def test_projects_and_tokens_stay_in_a_file_for_its_owner_alone(self):
        file = self.home.path / "tokens.db"
        self.home.write("quarry.toml", IN_A_FILE.format(file))
        self.assertEqual(self.home.run("projects", "create", "docs").returncode, 0)
        made = self.home.run("tokens", "create", "--project", "docs", "--rights", "ask")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("docs", self.home.run("projects", "list").stdout)
        self.assertIn("docs", self.home.run("tokens", "list").stdout)
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertNotIn(made.stdout.split()[0].encode(), file.read_bytes(), "only its hash is kept")

    def test_a_damaged_file_is_named(self):
        file = self.home.path / "tokens.db"
        file.write_text("no database at all\n" * 500)
        self.home.write("quarry.toml", IN_A_FILE.format(file))
        listed = self.home.run("projects", "list")
        self.assertNotEqual(listed.returncode, 0)
        self.assertIn(f"{file} is damaged", listed.stderr)
        self.assertIn("Restore it from a backup", listed.stderr)


class Configured(TestCase):
    def test_check_names_every_mistake_with_its_place(self):
        for table, words in (
                ('provider = "nosql"', (":2:1", "there are: postgresql, sqlite")),
                ('provider = "sqlite"\nfile = "here.db"', (":3:1", "full path")),
                ('provider = "postgresql"\nurrl = "x"', ('"url" is required', 'did you mean "url"'))):
            self.home.write("quarry.toml", f"[store]\n{table}\n")
            checked = self.home.run("config", "check")
            self.assertEqual(checked.returncode, 3, checked.stdout)
            for word in words:
                self.assertIn(word, checked.stderr)

    def test_a_password_never_stands_in_the_file(self):
        self.home.write("quarry.toml",
                        '[store]\nprovider = "postgresql"\nurl = "postgresql://a:b@127.0.0.1/c"\n')
        listed = self.home.run("projects", "list")
        self.assertNotEqual(listed.returncode, 0)
        self.assertIn("holds a password", listed.stderr)


@unittest.skipIf(postgres_server.MISSING, postgres_server.MISSING)
class Shared(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = postgres_server.PostgresServer()
        cls.addClassCleanup(cls.database.remove)

    def setUp(self):
        super().setUp()
        self.other = Home()
        self.addCleanup(self.other.remove)
        for home in (self.home, self.other):
            home.write("quarry.toml", SHARED.format("STORE_URL"))
            home.environment["STORE_URL"] = self.database.url

    def test_what_one_host_makes_the_other_knows(self):
        self.assertEqual(self.home.run("projects", "create", "shared").returncode, 0)
        self.assertIn("shared", self.other.run("projects", "list").stdout)
        again = self.other.run("projects", "create", "Shared")
        self.assertNotEqual(again.returncode, 0)
        self.assertIn("is taken", again.stderr)

    def test_without_the_database_it_says_where_it_looked_and_tells_no_password(self):
        self.home.environment["STORE_URL"] = f"postgresql://quarry:{KEY}@127.0.0.1:1/docs"
        listed = self.home.run("projects", "list")
        self.assertNotEqual(listed.returncode, 0)
        self.assertIn("127.0.0.1", listed.stderr)
        self.assertIn("url of [store]", listed.stderr)

    def test_another_password_is_refused_and_told_nowhere(self):
        self.home.write("quarry.toml", SHARED.format(KEY_VARIABLE))
        self.home.environment[KEY_VARIABLE] = self.database.url.replace(KEY, "x" + KEY)
        listed = self.home.run("projects", "list")
        self.assertNotEqual(listed.returncode, 0)
        self.assertIn("password authentication failed", listed.stderr)
