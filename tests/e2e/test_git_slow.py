"""Git resources: what takes long, since it is large, or since a reader is told something every ten seconds."""

import subprocess
import unittest

import git_server
from harness import TIMEOUT
from resource_harness import GitCase, git_of


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Large(GitCase):
    def test_a_hundred_thousand_files(self):
        large = self.new_repository("large")
        large.commit({f"d{i // 500}/f{i}.txt": f"file number {i}\n" for i in range(100_000)}
                     | {"last.txt": "The walrus sleeps at noon.\n"})
        self.configure(git_of("large", large.url))
        with self.serving() as server:
            done = server.ask("When does the walrus sleep?")[-1].data
        self.assertIn("noon", done["text"])


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Progress(GitCase):
    def test_curl_sees_comments_while_a_repository_is_fetched(self):
        self.configure(self.code)
        hold = self.proxy.hold("command=fetch", after=150)
        with self.serving() as server:
            client = subprocess.Popen(
                ["curl", "-sN", "-H", "Content-Type: application/json", "-d", '{"question": "walrus?"}',
                 server.url + "/question/stream"], stdout=subprocess.PIPE, text=True)
            first = next(line for line in client.stdout if line.startswith(": "))
            hold.release()
            rest, _ = client.communicate(timeout=TIMEOUT)
        self.assertIn("code", first)
        self.assertIn("event: done", rest)


if __name__ == "__main__":
    unittest.main()
