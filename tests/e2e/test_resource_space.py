"""What a cache may take, and what happens when there is no more."""

import json
import random
import subprocess
import unittest

import git_server
from harness import QUARRY, TIMEOUT, wait_until
from resource_harness import GitCase, git_of

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

    def test_a_full_disk_is_an_error_and_the_old_snapshot_answers(self):
        script = 'mount -t tmpfs -o size=3m tmpfs "$0" && "$@"'
        self.configure({**self.code, "refresh": "always"})
        self.cache.mkdir(exist_ok=True)
        if subprocess.run(["unshare", "-rm", "sh", "-c", script, self.cache, "true"],
                          capture_output=True).returncode:
            self.skipTest("no file system can be mounted here")
        update = self.outside / "update"
        words = random.Random(1).randbytes(4_000_000).hex()
        update.write_text(f'"{QUARRY}" ask --json "{WHEN}" && touch "{self.outside}/first"\n'
                          f'while ! [ -e "{self.outside}/pushed" ]; do sleep 0.01; done\n'
                          f'"{QUARRY}" ask --json "{WHEN}"\n')
        asking = subprocess.Popen(["unshare", "-rm", "sh", "-c", script, self.cache, "sh", update],
                                  cwd=self.home.project, env=self.home.environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until((self.outside / "first").exists, "the first answer")
        self.repository.commit({"big.txt": words})
        (self.outside / "pushed").touch()
        said, complaints = asking.communicate(timeout=TIMEOUT)
        self.assertEqual(asking.returncode, 0, complaints)
        events = [json.loads(line) for line in said.splitlines()]
        self.assertIn("noon", events[-1]["text"])
        stale = [event["snapshots"][0].get("stale", "") for event in events if event["type"] == "meta"]
        self.assertEqual(stale[0], "")
        self.assertIn("space", stale[1].lower())

if __name__ == "__main__":
    unittest.main()
