"""kill -9 of the program or its git at every kind of step: unpacking, publishing, updating, evicting. The next
question works and nothing is left over. See kill_harness.py for the method."""

import random
import unittest

import git_server
import npm_server
from harness import wait_until
from kill_harness import changes_of, killed_at
from resource_harness import GitCase, NpmCase, git_of, processes_in

WHEN = "When does the walrus sleep?"


class Injected:
    """SIGKILL in place of a change of the file system by the program or by git."""

    def kill_all_over(self, prepare, arguments, check):
        """Kills at the first change of each kind, then at growing distances until a run had
        fewer."""
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


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Git(Injected, GitCase):
    def setUp(self):
        super().setUp()
        self.repository.commit({f"f{number}.md": f"The walrus counts to {number}.\n"
                                for number in range(40)})
        self.configure({**self.code, "refresh": "always"}, cache={"max_size": "1MiB"})

    def test_while_a_first_fetch_is_unpacked_and_published(self):
        self.kill_all_over(lambda _: self.home.run("clear"), ("ask", WHEN),
                           lambda _: self.says(WHEN, "noon"))

    def test_while_an_update_is_unpacked_and_published(self):
        self.says(WHEN, "noon")

        def change(moment):
            self.moment = moment
            self.repository.commit({"README.md": f"The walrus sleeps at {moment} o'clock.\n"})

        self.kill_all_over(change, ("ask", WHEN),
                           lambda _: self.says(WHEN, f"{self.moment} o'clock"))

    def test_while_snapshots_are_removed(self):
        other = self.new_repository("other")
        other.commit({"a.md": "The walrus sleeps at noon.\n" * 20})
        self.configure({**self.code, "refresh": "always"}, git_of("other", other.url))
        self.kill_all_over(lambda _: self.answer(WHEN), ("clear",),
                           lambda _: self.says(WHEN, "noon"))

    def test_while_the_least_used_is_evicted(self):
        resources = [self.code]
        for number in range(2):
            repository = self.new_repository(f"large{number}")
            repository.commit({"a.md": f"The walrus of {number} sleeps at noon.\n",
                               "noise.bin": random.Random(number).randbytes(600_000)})
            resources.append(git_of(f"large{number}", repository.url))
        self.configure(*resources, cache={"max_size": "1MiB"})
        self.kill_all_over(lambda _: self.answer(WHEN, resources=["large0"]),
                           ("ask", "-r", "large1", WHEN),
                           lambda _: self.answer(WHEN, resources=["large0", "large1"]))


@unittest.skipIf(npm_server.MISSING, npm_server.MISSING)
class Npm(Injected, NpmCase):
    def setUp(self):
        super().setUp()
        self.name = self.id().rsplit("test_", 1)[-1].replace("_", "-")
        self.publish("1.0.0", "noon")
        self.configure(self.npm_of(self.name, refresh="always"))

    def publish(self, version, moment):
        self.registry.publish(self.name, version, {
            "README.md": f"The walrus sleeps at {moment}.\n",
            **{f"f{number}.md": f"The walrus counts to {number}.\n" for number in range(40)}})

    def test_while_a_first_version_is_fetched_and_unpacked(self):
        self.kill_all_over(lambda _: self.home.run("clear"), ("ask", WHEN),
                           lambda _: self.says(WHEN, "noon"))

    def test_while_a_newer_version_is_fetched_and_unpacked(self):
        self.says(WHEN, "noon")
        versions = iter(range(1, 1000))

        def change(moment):
            self.moment = moment
            self.publish(f"1.{next(versions)}.0", f"{moment} o'clock")

        self.kill_all_over(change, ("ask", WHEN),
                           lambda _: self.says(WHEN, f"{self.moment} o'clock"))


if __name__ == "__main__":
    unittest.main()
