"""Later answers stay right after changes of the source or the configuration, and after failures."""

import shutil
import unittest

import git_server
from harness import TIMEOUT, wait_until, without_progress
from resource_harness import GitCase, git_of
from test_serve import LOCAL, tree

WHEN = "When does the walrus sleep?"


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Sources(GitCase):
    """Changes at the remote, with a resource that is always checked for updates."""

    def setUp(self):
        super().setUp()
        self.configure({**self.code, "refresh": "always"})
        self.says(WHEN, "noon")

    def now(self, text, **more):
        return self.repository.commit({"README.md": f"# Tools\n\nThe walrus sleeps at {text}.\n"}, **more)

    def test_a_new_commit_is_in_the_next_answer(self):
        for text in ("night", "dawn"):
            commit = self.now(text)
            self.assertEqual(self.says(WHEN, f"sleeps at {text}")["version"], commit)
        self.nothing_left()

    def test_rewritten_history_is_in_the_next_answer(self):
        commit = self.now("dusk", parent=False)
        self.assertEqual(self.says(WHEN, "sleeps at dusk")["version"], commit)

    def test_a_renamed_default_branch_is_followed_when_none_was_named(self):
        self.now("tea", branch="trunk")
        self.repository.git("symbolic-ref", "HEAD", "refs/heads/trunk")
        self.repository.git("branch", "-D", "main")
        snapshot = self.says(WHEN, "sleeps at tea")
        self.assertEqual(snapshot["version"], self.repository.commit_of("trunk"))
        self.assertNotIn("stale", snapshot)

    def test_a_deleted_branch_is_an_error_that_names_the_others(self):
        self.configure({**self.code, "refresh": "always", "branch": "topic"})
        self.now("lunch", branch="topic")
        self.now("brunch", branch="topics")
        self.says(WHEN, "sleeps at lunch")
        self.repository.git("branch", "-D", "topic")
        refused = self.refusal(WHEN)
        for name in ("topic", "topics", "main"):
            self.assertIn(name, refused)

    def test_a_moved_tag_is_followed(self):
        self.configure({**self.code, "refresh": "always", "branch": "v1"})
        self.repository.git("tag", "v1", "main")
        self.says(WHEN, "noon")
        self.now("night")
        self.repository.git("tag", "-f", "v1", "main")
        self.says(WHEN, "sleeps at night")

    def test_another_branch_or_address_in_the_configuration_is_another_source(self):
        self.now("night", branch="other")
        self.configure({**self.code, "branch": "other"})
        self.says(WHEN, "sleeps at night")
        moved = self.new_repository("moved")
        moved.commit({"README.md": "The walrus sleeps in the garden.\n"})
        self.configure(git_of("code", moved.url))
        self.says(WHEN, "in the garden")
        self.configure(self.code)
        self.says(WHEN, "noon")

    def test_an_answer_without_the_remote_says_how_old_it_is(self):
        self.proxy.answer(".", 503, "Down for maintenance\n")
        snapshot = self.says(WHEN, "noon")
        self.assertIn("503", snapshot["stale"])
        self.assertRegex(snapshot["stale"], r"\d+ (second|minute)s?|just now|ago|from")
        result = self.home.run("ask", WHEN)
        self.assertIn("noon", result.stdout)
        self.assertIn("not current", result.stdout + result.stderr)
        self.proxy.as_is()
        self.assertNotIn("stale", self.says(WHEN, "noon"))

    def test_without_the_remote_and_without_a_snapshot_it_is_an_error(self):
        self.proxy.answer(".", 503, "Down for maintenance\n")
        self.home.run("clear")
        self.assertIn("503", self.refusal(WHEN))

    def test_an_update_that_breaks_off_leaves_the_old_snapshot(self):
        self.now("night")
        self.proxy.cut("command=fetch", after=40)
        snapshot = self.says(WHEN, "noon")
        self.assertTrue(snapshot["stale"])
        self.nothing_left()
        self.proxy.as_is()
        self.says(WHEN, "sleeps at night")

    def test_a_remote_that_has_nothing_new_sends_no_pack(self):
        before = self.packs_fetched()
        for _ in range(3):
            self.says(WHEN, "noon")
        self.assertEqual(self.packs_fetched(), before)

    def test_a_repository_that_is_gone_is_no_current_answer(self):
        shutil.rmtree(self.repository.path)
        result = self.home.run("ask", "--json", WHEN)
        if result.returncode == 0:
            self.assertIn("stale", without_progress(result.stdout)[0]["snapshots"][0])
        else:
            self.assertIn("not found", result.stderr)


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Policy(GitCase):
    """The times at which the source is checked."""

    def setUp(self):
        super().setUp()
        self.text = "noon"

    def change(self):
        self.repository.commit({"README.md": "The walrus sleeps at night.\n"})
        self.proxy.requests.clear()

    def test_by_default_a_fresh_snapshot_answers_without_a_request(self):
        for refresh in ({}, {"refresh": "1h"}, {"refresh": "never"}):
            self.configure({**self.code, **refresh})
            self.says(WHEN, "noon")
            self.proxy.requests.clear()
            self.says(WHEN, "noon")
            self.assertEqual(self.proxy.requests, [], refresh)

    def test_a_snapshot_that_is_due_is_refreshed_first(self):
        self.configure({**self.code, "refresh": "1s"})
        with self.serving() as server:
            server.ask(WHEN)
            self.change()
            wait_until(lambda: "night" in server.ask(WHEN)[-1].data["text"], "the change is seen")

    def test_a_snapshot_that_is_due_can_answer_at_once_and_be_refreshed_after(self):
        self.configure({**self.code, "refresh": "always", "refreshInBackground": True})
        with self.serving() as server:
            server.ask(WHEN)
            self.change()
            hold = self.proxy.hold(".")
            events = server.ask(WHEN)
            self.assertIn("noon", events[-1].data["text"])
            self.assertIn("stale", events[0].data["snapshots"][0])
            self.assertTrue(hold.reached.wait(TIMEOUT), "a refresh follows")
            self.proxy.as_is()
            wait_until(lambda: "night" in server.ask(WHEN)[-1].data["text"], "the change is seen")

    def test_a_question_can_ask_the_source_or_leave_it_alone(self):
        self.configure({**self.code, "refresh": "never"})
        self.says(WHEN, "noon")
        self.change()
        self.says(WHEN, "noon")
        self.assertEqual(self.proxy.requests, [])
        self.says(WHEN, "sleeps at night", "--sync")
        self.configure({**self.code, "refresh": "always"})
        self.proxy.requests.clear()
        self.says(WHEN, "sleeps at night", "--no-sync")
        self.assertEqual(self.proxy.requests, [])
        with self.serving() as server:
            server.ask(WHEN, sync=False)
            self.assertEqual(self.proxy.requests, [])
            server.ask(WHEN, sync=True)
            self.assertNotEqual(self.proxy.requests, [])

    def test_no_sync_still_fetches_what_was_never_there(self):
        self.configure(self.code)
        self.says(WHEN, "noon", "--no-sync")

    def test_a_source_that_failed_is_left_alone_for_a_while(self):
        self.configure({**self.code, "refresh": "always"})
        with self.serving() as server:
            server.ask(WHEN)
            self.proxy.answer(".", 503, "Down for maintenance\n")
            self.assertIn("503", server.ask(WHEN)[0].data["snapshots"][0]["stale"])
            self.proxy.requests.clear()
            events = server.ask(WHEN)
            self.assertRegex(events[0].data["snapshots"][0]["stale"], r"503.*asked again in \d+ s")
            self.assertIn("noon", events[-1].data["text"])
            self.assertIn("asked again in", events[-1].data["text"])
            self.assertEqual(self.proxy.requests, [])
            self.proxy.as_is()
            self.assertNotIn("stale", server.ask(WHEN, sync=True)[0].data["snapshots"][0])
            self.assertNotIn("stale", server.ask(WHEN)[0].data["snapshots"][0])

    def test_sync_asks_all_sources_or_one(self):
        other = self.new_repository("other")
        other.commit({"a.md": "The zebra grazes.\n"})
        self.configure({**self.code, "refresh": "never"}, git_of("other", other.url, refresh="never"),
                       git_of("broken", f"{self.proxy.url}/nothing.git"))
        with self.serving() as server:
            first = server.json("POST", "/sync", {"name": "code"})[1]["resources"]
            self.assertEqual([(each["name"], each["version"], each["changed"]) for each in first],
                             [("code", self.first, True)])
            self.change()
            told = {each["name"]: each for each in server.json("POST", "/sync", {})[1]["resources"]}
            self.assertEqual({name: each.get("changed") for name, each in told.items()},
                             {"code": True, "other": True, "broken": None})
            self.assertIn("not found", told["broken"]["error"]["message"])
            self.assertIn("sleeps at night", server.ask(WHEN, ["code"])[-1].data["text"])
            status, body = server.json("POST", "/sync", {"name": "nobody"})
            self.assertIn(status, (400, 404))
            self.assertIn("nobody", body["error"])
        result = self.home.run("sync", "code")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("code", result.stdout)
        result = self.home.run("sync")
        self.assertNotEqual(result.returncode, 0, "one of them is broken")
        self.assertIn("broken", result.stdout + result.stderr)

    def test_clear_counts_what_was_fetched_a_moment_ago(self):
        self.repository.commit({f"f{number}.md": f"The walrus counts to {number}.\n" * 50
                                for number in range(300)})
        self.configure(self.code)
        with self.serving() as server:
            for body in ({}, {"name": "code"}) * 4:
                server.ask(WHEN)
                self.assertEqual(server.json("POST", "/clear", body), (200, {"cleared": 1}))
        self.assertEqual([*self.cache.rglob("snapshots/*")], [])

    def test_clear_takes_one_or_all(self):
        other = self.new_repository("other")
        other.commit({"a.md": "The zebra grazes.\n"})
        self.configure(self.code, git_of("other", other.url))
        self.answer(WHEN)
        self.assertEqual(self.home.run("clear", "code").returncode, 0)
        self.proxy.requests.clear()
        self.answer(WHEN)
        self.assertTrue(self.proxy.asked("/code.git"))
        self.assertFalse(self.proxy.asked("/other.git"))
        self.assertEqual(self.home.run("clear").returncode, 0)
        self.assertEqual([*self.cache.rglob("snapshots/*")], [])
        self.proxy.requests.clear()
        self.answer(WHEN)
        self.assertTrue(self.proxy.asked("/other.git.*fetch"))


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Several(GitCase):
    def test_one_broken_of_three_is_told_and_the_others_answer(self):
        folder = tree(self.home, "local")
        file = self.configure(self.code, git_of("broken", f"{self.proxy.url}/nothing.git"))
        self.home.write("quarry.toml", file.read_text() + LOCAL.format("local", folder))
        with self.serving() as server:
            events = server.ask("walrus zebra sleeps?")
            done = events[-1].data
            self.assertEqual(events[-1].type, "done")
            self.assertIn("noon", done["text"])
            self.assertIn("[local:", done["text"])
            self.assertIn("broken", done["text"], "the answer says what is missing")
            self.assertIn("not found", done["text"])
            status, body = server.json("POST", "/question", {"question": WHEN, "resources": ["broken"]})
            self.assertEqual((status, body["tag"]), (400, "CollectionError"))

    def test_when_all_are_broken_it_is_an_error_that_names_each(self):
        self.configure(git_of("one", f"{self.proxy.url}/one.git"), git_of("two", f"{self.proxy.url}/two.git"))
        self.assertRegex(self.refusal(WHEN), '"one".*one.git was not found.*"two".*two.git was not found')


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Locked(GitCase):
    def setUp(self):
        super().setUp()
        self.configure({**self.code, "refresh": "always"})
        result = self.home.run("lock")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.file = self.home.project / "quarry.lock"

    def test_exactly_what_was_locked_is_used(self):
        self.assertIn(self.first, self.file.read_text())
        self.repository.commit({"README.md": "The walrus sleeps at night.\n"})
        for _ in range(2):
            self.assertEqual(self.says(WHEN, "noon", "--locked")["version"], self.first)
            self.home.run("clear")
        self.says(WHEN, "night")
        with self.serving("--locked") as server:
            self.assertIn("noon", server.ask(WHEN)[-1].data["text"])
        before = self.file.read_text()
        self.home.run("lock")
        self.assertNotEqual(self.file.read_text(), before)
        self.says(WHEN, "night", "--locked")

    def test_locking_twice_writes_the_same(self):
        before = self.file.read_bytes()
        self.assertEqual(self.home.run("lock").returncode, 0)
        self.assertEqual(self.file.read_bytes(), before)

    def test_what_cannot_be_had_any_more_is_an_error_that_says_what_moved(self):
        self.home.run("clear")
        self.repository.commit({"README.md": "The walrus sleeps at night.\n"}, parent=False)
        self.repository.git("reflog", "expire", "--expire=now", "--all")
        self.repository.git("gc", "-q", "--prune=now")
        refused = self.refusal("--locked", WHEN)
        self.assertIn("code", refused)
        self.assertIn(self.first[:7], refused)

    def test_a_resource_that_changed_or_is_not_locked_is_an_error(self):
        self.configure({**self.code, "branch": "main"})
        self.assertIn("quarry lock", self.refusal("--locked", WHEN))
        self.configure(self.code, git_of("other", self.repository.url))
        self.assertIn("other", self.refusal("--locked", WHEN))
        self.file.unlink()
        self.assertIn("quarry.lock", self.refusal("--locked", WHEN))


if __name__ == "__main__":
    unittest.main()
