"""llama.cpp's real server with a model whose output the test knows (small_model)."""

import http.client
import json
import os
import re
import subprocess

import small_model
from harness import KEY, SOURCE, TIMEOUT, wait_until

PROGRAM = SOURCE / "build/llama/llama-server"
MISSING = None if PROGRAM.exists() else f"{PROGRAM} is missing: scripts/build-llama-server"


class LlamaServer:
    """On a free port; accepts only the key KEY, unless it is keyless."""

    def __init__(self, folder, keyless=False, more=()):
        small_model.write(folder / "small.gguf")
        self.log = folder / "llama-server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "-m", folder / "small.gguf", "--alias", "small", "--host", "127.0.0.1",
                 "--port", "0", "-np", "2", "-c", str(2 * small_model.CONTEXT), "-t", "2",
                 "--no-warmup", "--context-shift", "--slots", "--metrics", *more],
                env={"PATH": os.environ["PATH"], "HOME": str(folder),
                     **({} if keyless else {"LLAMA_API_KEY": KEY})},
                stdout=log, stderr=log)
        self.port = int(wait_until(self.listening, "llama-server listens").group(1))
        wait_until(lambda: self.request("/health")[0] == 200, "llama-server has read its model")
        self.url = f"http://127.0.0.1:{self.port}"

    def listening(self):
        assert self.process.poll() is None, self.log.read_text()
        return re.search(r"listening on http://127\.0\.0\.1:(\d+)", self.log.read_text())

    def request(self, path, body=None):
        """(status, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.request("GET" if body is None else "POST", path,
                           None if body is None else json.dumps(body),
                           {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def busy(self):
        """The number of questions in progress."""
        return sum(slot["is_processing"] for slot in json.loads(self.request("/slots")[1]))

    def said(self):
        """The number of tokens generated so far."""
        return int(re.search(r"^llamacpp:tokens_predicted_total (\d+)", self.request("/metrics")[1],
                             re.M).group(1))

    def stop(self):
        self.process.terminate()
        self.process.wait(TIMEOUT)
