"""The cache's limit, and a full disk."""

import contextlib
import pathlib
import random
import subprocess
import unittest

import git_server
from harness import QUARRY
from resource_harness import GitCase, git_of, leftovers

WHEN = "When does the walrus sleep?"


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Space(GitCase):
    def test_the_cache_keeps_within_its_size(self):
        resources, noise = [], random.Random(1)
        for number in range(4):
            repository = self.new_repository(f"r{number}")
            words = " ".join(f"{noise.getrandbits(64):x}" for _ in range(30_000))
            repository.commit({"a.md": f"The walrus of {number} sleeps.\n", "b.txt": words})
            resources.append(git_of(f"r{number}", repository.url))
        self.configure(*resources, cache={"max_size": "2MiB"})
        for number in range(4):
            self.says(f"walrus of {number} sleeps?", f"walrus of {number}", resources=[f"r{number}"])
        size = sum(path.stat().st_size for path in self.cache.rglob("*") if path.is_file())
        self.assertLess(size, 3 << 20)
        self.proxy.requests.clear()
        self.says("walrus of 3 sleeps?", "walrus of 3", resources=["r3"])
        self.assertEqual(self.proxy.requests, [], "the newest is kept")
        self.says("walrus of 0 sleeps?", "walrus of 0", resources=["r0"])
        self.nothing_left()

    def test_what_does_not_fit_is_refused_and_the_others_stay(self):
        large, noise = self.new_repository("large"), random.Random(3)
        large.commit({f"{number}.txt": " ".join(f"{noise.getrandbits(64):x}" for _ in range(60_000))
                      for number in range(16)})
        self.configure(self.code, git_of("large", large.url), cache={"max_size": "12MiB"})
        server = self.serve()
        self.assertIn("noon", server.ask(WHEN, ["code"])[-1].data["text"])
        status, told = server.json("POST", "/question", {"question": "zebra?", "resources": ["large"]})
        self.assertEqual((status, told["tag"]), (400, "CollectionError"))
        self.assertIn("does not fit", told["error"])
        self.assertIn("cache.max_size", told["error"])
        self.proxy.requests.clear()
        self.assertIn("noon", server.ask(WHEN, ["code"])[-1].data["text"])
        self.assertEqual(self.proxy.requests, [], "its snapshot is there")
        self.assertEqual(leftovers(self.cache), [])

    def test_a_full_disk_is_an_error_and_the_old_snapshot_answers(self):
        other = self.new_repository("other")
        other.commit({"a.md": "The zebra grazes.\n", "noise": random.Random(2).randbytes(200_000)})
        self.configure({**self.code, "refresh": "always"}, git_of("other", other.url))
        server = self.serve_on_a_small_disk()
        self.assertIn("noon", server.ask(WHEN, ["code"])[-1].data["text"])
        disk = pathlib.Path(f"/proc/{server.process.pid}/root{self.cache}")
        with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
            while filler.write(bytes(4096)):
                pass
        self.repository.commit({"README.md": "The walrus sleeps at night.\n",
                                "noise": random.Random(1).randbytes(200_000)})
        events = server.ask(WHEN, ["code"])
        self.assertIn("noon", events[-1].data["text"])
        self.assertIn("space", events[0].data["snapshots"][0]["stale"].lower())
        status, told = server.json("POST", "/question", {"question": "zebra?", "resources": ["other"]})
        self.assertEqual((status, told["tag"]), (400, "CollectionError"))
        self.assertIn("space", told["error"].lower())
        (disk / "filler").unlink()
        self.assertIn("night", server.ask(WHEN, ["code"])[-1].data["text"])
        self.assertIn("grazes", server.ask("What does the zebra do?", ["other"])[-1].data["text"])
        self.assertEqual(leftovers(disk), [])

    def serve_on_a_small_disk(self):
        self.cache.mkdir()
        confine = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=64m tmpfs "$0" && exec "$@"',
                   self.cache]
        if subprocess.run([*confine, "true"], capture_output=True).returncode:
            self.skipTest("no file system can be mounted here")
        self.home.start = lambda *arguments: subprocess.Popen(
            [*confine, QUARRY, *arguments], cwd=self.home.project, env=self.home.environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return self.serve()


if __name__ == "__main__":
    unittest.main()
