"""kill -9 of the program or its git at every kind of step: unpacking, publishing, updating, evicting. The next
question works and nothing is left over. See test_kill.py for how."""

import unittest

import git_server
from harness import wait_until
from resource_harness import GitCase, git_of, processes_in
from test_kill import changes_of, killed_at

WHEN = "When does the walrus sleep?"


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Injected(GitCase):
    """SIGKILL in place of a change of the file system by the program or by git."""

    def setUp(self):
        super().setUp()
        self.repository.commit({f"f{number}.md": f"The walrus counts to {number}.\n"
                                for number in range(40)})
        self.configure({**self.code, "refresh": "always"}, cache={"max_size": "1MiB"})

    def kill_all_over(self, prepare, arguments, check):
        """At the first change of each kind, and ever further apart until a run had fewer."""
        kills = 0
        prepare(0)
        for kind in changes_of(self.home, *arguments):
            number = 1
            while self.is_killed(kind, number, prepare, arguments):
                check(kills)
                kills += 1
                number *= 2
        self.assertGreater(kills, 5)
        self.nothing_left()

    def is_killed(self, kind, number, prepare, arguments):
        prepare(f"{kind} {number}")
        killed = killed_at(self.home, kind, number, *arguments)
        wait_until(lambda: not processes_in(self.home.path), "all ends")
        return killed

    def test_while_a_first_fetch_is_unpacked_and_published(self):
        self.kill_all_over(lambda _: self.home.run("clear"), ("ask", WHEN),
                           lambda _: self.says(WHEN, "noon"))

    def test_while_an_update_is_unpacked_and_published(self):
        self.says(WHEN, "noon")

        def news(moment):
            self.moment = moment
            self.repository.commit({"README.md": f"The walrus sleeps at {moment} o'clock.\n"})

        self.kill_all_over(news, ("ask", WHEN),
                           lambda _: self.says(WHEN, f"{self.moment} o'clock"))

    def test_while_snapshots_are_removed(self):
        other = self.new_repository("other")
        other.commit({"a.md": "The walrus sleeps at noon.\n" * 20})
        self.configure({**self.code, "refresh": "always"}, git_of("other", other.url))
        self.kill_all_over(lambda _: self.answer(WHEN), ("clear",),
                           lambda _: self.says(WHEN, "noon"))


if __name__ == "__main__":
    unittest.main()
