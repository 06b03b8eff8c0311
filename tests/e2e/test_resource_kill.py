"""kill -9 of the program or its git at every kind of step: unpacking, publishing, updating, evicting. The next
question works and nothing is left over. See test_kill.py for how."""

import subprocess
import unittest

import git_server
from harness import QUARRY, TIMEOUT, wait_until
from resource_harness import GitCase, git_of, processes_in
from test_kill import CHANGES

WHEN = "When does the walrus sleep?"


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Injected(GitCase):
    """SIGKILL in place of the n-th change of the file system of a thread, of the program or of git."""

    def setUp(self):
        super().setUp()
        self.repository.commit({f"f{number}.md": f"The walrus counts to {number}.\n"
                                for number in range(40)})
        self.configure({**self.code, "refresh": "always"}, cache={"max_size": "1MiB"})

    def killed_at(self, number, *arguments):
        result = subprocess.run(
            ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={CHANGES}",
             "-e", f"inject={CHANGES}:signal=SIGKILL:when={number}", QUARRY, *arguments],
            cwd=self.home.project, env=self.home.environment, capture_output=True, text=True,
            timeout=TIMEOUT)
        wait_until(lambda: not processes_in(self.home.path), "all ends")
        return result.returncode

    def kill_all_over(self, moments, prepare, arguments, check):
        ends = set()
        for number in moments:
            prepare(number)
            ends.add(self.killed_at(number, *arguments))
            check(number)
        self.assertTrue(ends & {137, -9}, f"it was never killed: {ends}")
        self.nothing_left()

    def test_while_a_first_fetch_is_unpacked_and_published(self):
        self.kill_all_over((1, 2, 3, 5, 8, 12, 17, 23, 30, 40), lambda _: self.home.run("clear"),
                           ("ask", WHEN), lambda _: self.says(WHEN, "noon"))

    def test_while_an_update_is_unpacked_and_published(self):
        self.says(WHEN, "noon")

        def news(number):
            self.repository.commit({"README.md": f"The walrus sleeps at {number} o'clock.\n"})

        self.kill_all_over((1, 2, 3, 5, 8, 12, 17, 23, 30), news, ("ask", WHEN),
                           lambda number: self.says(WHEN, f"{number} o'clock"))

    def test_while_snapshots_are_removed(self):
        other = self.new_repository("other")
        other.commit({"a.md": "The walrus sleeps at noon.\n" * 20})
        self.configure({**self.code, "refresh": "always"}, git_of("other", other.url))
        self.kill_all_over((1, 2, 3, 4, 6, 9), lambda _: self.answer(WHEN), ("clear",),
                           lambda _: self.says(WHEN, "noon"))

if __name__ == "__main__":
    unittest.main()
