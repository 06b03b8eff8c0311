"""Every wrong input of wrong_inputs.py is said with its field, its cause and the next step, none of them twice."""

import http.server
import json
import shlex
import threading
import unittest

from harness import KEY_VARIABLE, Home, Server
from wrong_inputs import CALLS, COMMANDS, FILES, MODELS, REQUESTS


class Refusing:
    """A server that gives each request the same response: (status, body, header…)."""

    def __init__(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, body, *headers = outer.response
                self.send_response(status)
                for name, value in (*headers, ("Content-Length", str(len(body)))):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body.encode())

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.response = (404, "nothing here")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class WrongInputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.remove)
        cls.other = Refusing()
        cls.addClassCleanup(cls.other.stop)
        cls.folder = cls.home.path / "work"
        cls.folder.mkdir()
        (cls.folder / "guide.md").write_text("# Guide\n\nDates are parsed by parse_date.\n")
        cls.home.write("quarry.toml", '[model]\nprovider = "extractive"\n[[resource]]\ntype = "local"\nname = "docs"\n'
                                      f'path = "{cls.folder}"\n')

    def given(self, text):
        return text.format(folder=self.folder, server=self.other.url)

    def check(self, said, field, cause, step):
        for words in (field, cause, step):
            self.assertIn(self.given(words), said)
        self.assertEqual(said.count(self.given(cause)), 1, said)

    def test_of_the_command_line(self):
        for command, code, *words in COMMANDS:
            with self.subTest(command):
                result = self.home.run(*shlex.split(self.given(command)))
                self.assertEqual(result.returncode, code, result.stderr)
                self.check(result.stderr, *words)

    def test_of_files(self):
        for text, *words in FILES:
            with self.subTest(text):
                self.home.write("wrong/quarry.toml", text + "\n", trust=False)
                result = self.home.run("config", "check", "-c", "wrong/quarry.toml")
                self.assertEqual(result.returncode, 3, result.stdout)
                self.check(result.stderr, *words)

    def test_of_the_http_interface(self):
        server = Server(self.home)
        self.addCleanup(server.stop)
        for method, path, body, status, *words in REQUESTS:
            with self.subTest(path=path, body=body):
                answered, _, text = server.request(method, path, body)
                self.assertEqual(answered, status, text)
                error = json.loads(text)
                self.check(error["error"] + "\n" + error.get("hint", ""), *words)

    def test_of_mcp(self):
        lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                             "params": {"name": tool, "arguments": arguments}})
                 for number, (tool, arguments, *_) in enumerate(CALLS)]
        result = self.home.run("mcp", input="\n".join(lines) + "\n")
        answers = {answer["id"]: answer for answer in map(json.loads, result.stdout.splitlines())}
        for number, (tool, arguments, *words) in enumerate(CALLS):
            with self.subTest(tool=tool, arguments=arguments):
                answer = answers[number]
                said = answer["error"]["message"] if "error" in answer else answer["result"]["content"][0]["text"]
                self.check(said, *words)

    def test_of_models(self):
        options = ["--set", "model.provider=openai", "--set", "model.name=m", "--set", f"model.base_url={self.other.url}/v1",
                   "--set", f'model.api_key={{env="{KEY_VARIABLE}"}}']
        for response, code, *words in MODELS:
            with self.subTest(response):
                self.other.response = response
                self.addCleanup(setattr, self.other, "response", (404, "nothing here"))
                result = self.home.run("ask", *options, "q")
                self.assertEqual(result.returncode, code, result.stderr)
                self.check(result.stderr, *words)

    def test_there_are_seventy_six(self):
        self.assertGreaterEqual(sum(map(len, (COMMANDS, FILES, REQUESTS, CALLS, MODELS))), 76)


if __name__ == "__main__":
    unittest.main()
