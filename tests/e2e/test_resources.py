"""Resources with a source prepared by the test (tests/fixtures/resource-fixture), from a user's
view."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import unittest

from harness import KEY_VARIABLE, QUARRY, TIMEOUT, wait_until
from source_harness import PLUGINS, ZOO, ResourceTestCase, Source


class Configuration(ResourceTestCase):
    def test_mistakes_in_the_table_of_a_type_are_told_at_their_place(self):
        for tables, words in (("[resource_type.fixture]\ngreting = 'x'\n", ':8:1: "greting"'),
                              ("[resource_type.fixtur]\n", ':7:16: no plugin offers the type of '
                               'resource "fixtur"; did you mean "fixture"?')):
            file = self.configure(tables=tables)
            checked = self.home.run("config", "check")
            self.assertEqual(checked.returncode, 3)
            self.assertIn(f"{file}{words}", checked.stderr)
        self.configure(tables="[resource_type.fixture]\ngreeting = 'hi'\n")
        self.assertEqual(self.home.run("config", "check").returncode, 0)

    def test_secrets_stand_in_the_file_as_references_and_are_shown_as_such(self):
        self.configure(f'token = {{ env = "{KEY_VARIABLE}" }}\n')
        self.assertEqual(self.home.run("config", "check").returncode, 0)
        self.assertIn(f'token = {{ env = "{KEY_VARIABLE}" }}', self.home.run("config", "show").stdout)
        self.assertNotIn("token", self.home.run("resources", "--json").stdout)
        self.configure('token = "sesame"\n')
        self.assertIn(":7:1", self.home.run("config", "check").stderr)

    def test_secrets_are_not_taken_from_the_wire(self):
        self.configure(f'token = {{ env = "{KEY_VARIABLE}" }}\n')
        server = self.serve()
        thief = {"type": "fixture", "name": "thief", "source": str(self.source.path),
                 "token": "resource.zoo.token"}
        status, answer = server.json("POST", "/config/resources", thief)
        self.assertEqual((status, answer["tag"]), (400, "ConfigError"))
        self.assertEqual(answer["details"][0]["field"], "/token")
        self.assertIn("quarry.toml", answer["details"][0]["message"])
        _, answer = server.json("GET", "/openapi.json")
        self.assertNotIn('"token"', json.dumps(answer))
        _, answer = server.json("GET", "/resources")
        self.assertEqual([resource["name"] for resource in answer["resources"]], ["zoo"])
        self.assertNotIn("token", answer["resources"][0])
        self.assertEqual(answer["resources"][0]["branch"], "main", "the default of its schema")



class Sync(ResourceTestCase):
    def test_each_resource_says_what_changed(self):
        self.configure()
        result = self.home.run("sync")
        self.assertEqual((result.returncode, result.stdout), (0, "zoo: version v1, new\n"))
        self.assertEqual(self.home.run("sync", "ZOO").stdout, "zoo: version v1, unchanged\n")
        self.source.say("VERSION", "v2")
        row, = json.loads(self.home.run("sync", "--json").stdout)["resources"]
        self.assertEqual((row["version"], row["changed"]), ("v2", True))

    def test_one_that_fails_decides_the_exit_code_and_the_others_are_synced(self):
        for status, code in ((5, 5), (4, 4), (3, 4), (2, 1)):
            broken = Source(self.home, f"broken-{status}")
            broken.say("ERROR", {"status": status, "message": "so says the source", "hint": "Look."})
            self.configure(tables=ZOO.format("broken", broken.path))
            result = self.home.run("sync")
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn("zoo: version v1", result.stdout)
            self.assertIn("so says the source", result.stderr)
            self.assertIn("hint: Look.", result.stderr)

    def test_a_server_is_asked_to_sync_and_to_clear(self):
        self.configure()
        server = self.serve()
        self.assertIn("zoo: version v1, new", self.home.run("sync", "-s", server.url).stdout)
        status, answer = server.json("POST", "/sync", {"name": "zoo"})
        self.assertEqual((status, answer["resources"][0]["changed"]), (200, False))
        status, answer = server.json("POST", "/sync", {"name": "zo"})
        self.assertEqual((status, answer["tag"]), (404, "ConfigError"))
        self.assertIn("zoo", answer["hint"])
        cleared = wait_until(lambda: server.json("POST", "/clear", {"name": "zoo"})[1]["cleared"],
                             "the snapshot is cleared")
        self.assertEqual(cleared, 1)
        self.assertEqual(self.home.run("clear", "no", "-s", server.url).returncode, 3)

    def test_an_interrupt_ends_it(self):
        self.configure()
        self.source.say("BUSY", "")
        process = self.home.start("sync")
        self.assertEqual(process.stderr.readline(), b"zoo: receiving\n")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130)

    def test_a_question_may_ask_the_sources_or_not(self):
        self.configure('refresh = "always"\n')
        def version(*options):
            result = self.home.run("ask", "--json", *options, "zebra?")
            events = [json.loads(line) for line in result.stdout.splitlines()]
            return next(e for e in events if e["type"] == "meta")["snapshots"][0]["version"]
        self.assertEqual(version(), "v1")
        self.source.say("VERSION", "v2")
        self.assertEqual(version("--no-sync"), "v1")
        self.assertEqual(version("--sync"), "v2")


class Progress(ResourceTestCase):
    def on_terminal(self, *arguments, until, **environment):
        """The output to a terminal until `until` appears; the source stays busy until then."""
        self.source.say("BUSY", "")
        leader, follower = pty.openpty()
        process = subprocess.Popen([QUARRY, *arguments], cwd=self.home.project,
                                   env={**self.home.environment, "TERM": "xterm", **environment},
                                   stdout=subprocess.PIPE, stderr=follower)
        os.close(follower)
        shown = b""
        with contextlib.suppress(OSError):  # end of file of a terminal
            while chunk := os.read(leader, 65536):
                shown += chunk
                if until in shown and (self.source.path / "BUSY").exists():
                    self.source.unsay("BUSY")
        os.close(leader)
        said, _ = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, shown)
        return shown.decode(), said.decode()

    def test_a_terminal_sees_a_bar_that_is_drawn_again(self):
        self.configure()
        for arguments in (("sync",), ("ask", "zebra?")):
            self.home.run("clear")
            shown, said = self.on_terminal(*arguments, until=b"#")
            self.assertRegex(shown, r"zoo  \[#+\.*\] +\d+ %  receiving")
            self.assertIn("\r\x1b[K", shown)
            self.assertNotIn("receiving", said)

    def test_no_color_draws_without_colours_and_a_dumb_one_line_by_line(self):
        self.configure()
        shown, _ = self.on_terminal("sync", until=b"#", NO_COLOR="1")
        self.assertIn("receiving", shown)
        self.assertNotIn("\x1b[2m", shown)
        self.home.run("clear")
        shown, _ = self.on_terminal("sync", until=b"receiving", TERM="dumb")
        self.assertEqual(shown.splitlines(), ["zoo: receiving", "zoo: ready"])


class Failures(ResourceTestCase):
    def test_a_source_that_fails_is_a_failure_before_the_stream_opens(self):
        self.configure()
        server = self.serve()
        for status, code, name in ((5, 5, "unavailable"), (4, 4, "unauthenticated"), (2, 1, "not_found")):
            self.source.say("ERROR", {"status": status, "message": "fatal: so says git",
                                      "hint": "Look there."})
            for path in ("/question/stream", "/question"):
                answered, answer = server.json("POST", path, {"question": "zebra?"})
                self.assertEqual(answered, 400)
                self.assertEqual((answer["tag"], answer["code"]), ("CollectionError", name))
                self.assertIn("fatal: so says git", answer["error"])
                self.assertEqual(answer["hint"], "Look there.")
            for arguments in (("ask", "zebra?"), ("ask", "-s", server.url, "zebra?")):
                result = self.home.run(*arguments)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn("hint: Look there.", result.stderr)

    def test_a_reference_that_nobody_knows_is_told_the_forms_there_are(self):
        self.configure()
        result = self.home.run("ask", "-r", "npn:react", "x")
        self.assertEqual(result.returncode, 3)
        self.assertIn("npm:react", result.stderr)
        self.assertIn("fixture:/a/folder", result.stderr)


class References(ResourceTestCase):
    def test_a_reference_is_asked_about_and_cached_but_not_configured(self):
        self.configure()
        reference = f"fixture:{self.source.path}"
        for _ in range(2):
            result = self.home.run("ask", "--json", "-r", reference, "zebra?")
            self.assertEqual(result.returncode, 0, result.stderr)
        events = [json.loads(line) for line in result.stdout.splitlines()]
        snapshot, = next(e for e in events if e["type"] == "meta")["snapshots"]
        self.assertEqual(snapshot["resource"], "zoo-2", "the name of a configured one is taken")
        self.assertEqual(len(json.loads(self.home.run("resources", "--json").stdout)["resources"]), 1)
        self.assertIn("cleared 1 ", self.home.run("clear", reference).stdout)

    def test_a_reference_is_added_with_its_name_and_refresh(self):
        self.home.write("quarry.toml", PLUGINS)
        added = self.home.run("add", f"fixture:{self.source.path}", "--refresh", "1h",
                              "-f", "refreshInBackground=true")
        self.assertEqual(added.returncode, 0, added.stderr)
        listed, = json.loads(self.home.run("resources", "--json").stdout)["resources"]
        self.assertEqual((listed["name"], listed["refresh"], listed["refreshInBackground"]),
                         ("zoo", "1h", True))
        refused = self.home.run("add", f"fixture:{self.source.path}", "-n", "b", "--refresh", "soon")
        self.assertEqual(refused.returncode, 3)
        self.assertIn('"always", "never"', refused.stderr)


class Locking(ResourceTestCase):
    def setUp(self):
        super().setUp()
        self.configure()
        self.lock = self.home.project / "quarry.lock"

    def test_versions_are_locked_and_used(self):
        self.assertEqual(self.home.run("lock").stdout, "zoo: version v1, new\n")
        before = self.lock.read_bytes()
        self.assertEqual(self.home.run("lock").stdout, "zoo: version v1, unchanged\n")
        self.assertEqual(self.lock.read_bytes(), before)
        self.source.say("VERSION", "v2")
        self.home.run("sync")
        result = self.home.run("ask", "--json", "--locked", "zebra?")
        self.assertIn('"version":"v1"', result.stdout)
        self.assertEqual(self.home.run("lock").stdout, "zoo: version v1 -> version v2\n")

    def test_what_moved_is_said(self):
        self.assertEqual(self.home.run("ask", "--locked", "zebra?").returncode, 3, "no lock file")
        self.home.run("lock")
        self.configure('branch = "next"\n')
        result = self.home.run("ask", "--locked", "zebra?")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn('branch nothing is now "next"', result.stderr)
        self.assertIn("quarry lock", result.stderr)
        self.lock.write_text("[[resource]]\nname = \"zoo\"\n")
        result = self.home.run("ask", "--locked", "zebra?")
        self.assertEqual(result.returncode, 3)
        self.assertIn(f"{self.lock}:1:1", result.stderr)

    def test_a_server_keeps_to_the_locked_versions(self):
        self.home.run("lock")
        self.source.say("VERSION", "v2")
        server = self.serve("--locked")
        meta = next(event for event in server.ask("zebra?", sync=True) if event.type == "meta")
        self.assertEqual(meta.data["snapshots"][0]["version"], "v1")
        self.assertEqual(server.request("POST", "/sync")[0], 400)

    def test_a_failure_leaves_the_file_as_it_is(self):
        self.home.run("lock")
        before = self.lock.read_bytes()
        self.source.say("ERROR", {"status": 5, "message": "no route to host"})
        result = self.home.run("lock")
        self.assertEqual(result.returncode, 5)
        self.assertIn("no route to host", result.stderr)
        self.assertEqual(self.lock.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
