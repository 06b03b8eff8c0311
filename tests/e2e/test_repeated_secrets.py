"""Servers that repeat the key or token that they get: no client sees it, in whatever form."""

import base64
import html
import http.server
import json
import subprocess
import threading
import unittest
import urllib.parse

from harness import KEY, KEY_VARIABLE, Server
from resource_harness import ResourceCase, git_of

FORMS = {
    "as it is": lambda key: key,
    "in base64": lambda key: base64.b64encode(f"user:{key}".encode()).decode(),
    "in base64 for URLs": lambda key: base64.urlsafe_b64encode(f"x:{key}:y".encode()).decode(),
    "percent-encoded": lambda key: "".join(f"%{byte:02x}" for byte in key.encode()),
    "in a URL": lambda key: "https://api.test/?key=" + urllib.parse.quote(key.replace("-", "%2D")),
    "as JSON in JSON": lambda key: json.dumps({"headers": json.dumps({"x-api-key": key})}),
    "in HTML": lambda key: html.escape(f'<a href="?key={key}">') + "&#45;".join(key.split("-")),
    "folded": lambda key: f"Bearer {key[:20]}\r\n {key[20:]}",
    "cut": lambda key: "x" * 480 + key,
}
# Parts of what the forms write; none of them is in another text of these tests.
TRACES = [KEY[:20], KEY[-12:], "".join(f"%{byte:02x}" for byte in KEY.encode())[:40],
          *(base64.b64encode(b"x" * before + KEY.encode())[4:24].decode() for before in range(3))]


def as_json(said):
    return "application/json", json.dumps({"error": {"message": said, "type": "auth"}}).encode()


def as_event(said):
    return "text/event-stream", b"data: " + as_json(said)[1] + b"\n\n"


def as_text(said):
    return "text/plain", said.encode()


class Repeater(http.server.ThreadingHTTPServer):
    """Answers each request with the key, as `form` writes it."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.form, self.status, self.write = FORMS["as it is"], 401, as_json
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            said = f"invalid key {self.server.form(KEY)}"
            kind, body = self.server.write(said)
            self.send_response(self.server.status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass


class Repeated(ResourceCase):
    def setUp(self):
        super().setUp()
        self.server = Repeater()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        (self.home.project / "docs").mkdir()
        (self.home.project / "docs" / "a.md").write_text("# A\n\nThe zebra grazes.\n")

    def configure_model(self, provider, more=""):
        self.home.write("quarry.toml", f"""
[model]
provider = "{provider}"
name = "m"
base_url = "{self.server.url}"
api_key = {{ env = "{KEY_VARIABLE}" }}
{more}
[[resource]]
type = "local"
name = "docs"
path = "{self.home.project}/docs"
""")

    def check(self, said):
        self.assertIn("[secret ", said)
        for trace in TRACES:
            self.assertNotIn(trace, said)

    def test_by_a_command(self):
        for provider in ("openai", "anthropic", "gemini", "ollama"):
            self.configure_model(provider)
            for how, self.server.form in FORMS.items():
                with self.subTest(provider, how=how):
                    result = self.home.run("ask", "--json", "How?")
                    self.assertNotEqual(result.returncode, 0, result.stdout)
                    self.check(result.stdout + result.stderr)

    def test_within_a_stream(self):
        self.server.status, self.server.write = 200, as_event
        self.configure_model("openai")
        for how, self.server.form in FORMS.items():
            with self.subTest(how):
                result = self.home.run("ask", "How?")
                self.check(result.stdout + result.stderr)

    def test_before_a_fallback(self):
        self.server.status = 402
        self.configure_model("openai", 'fallback = ["extractive"]')
        for how, self.server.form in FORMS.items():
            with self.subTest(how):
                result = self.home.run("ask", "--json", "Does the zebra graze?")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.check(result.stdout + result.stderr)

    def test_by_the_server_of_a_resource(self):
        self.server.status, self.server.write = 403, as_text
        token = {"env": KEY_VARIABLE}
        for how, self.server.form in FORMS.items():
            with self.subTest(how):
                self.configure(git_of("code", f"{self.server.url}/a/b.git", token=token))
                result = self.home.run("ask", "How?")
                self.assertNotEqual(result.returncode, 0)
                self.check(result.stderr)

    def test_over_http(self):
        self.configure_model("openai")
        server = Server(self.home)
        self.addCleanup(server.stop)
        for how, self.server.form in FORMS.items():
            with self.subTest(how):
                for path in ("/question", "/question/stream"):
                    self.check(server.request("POST", path, {"question": "How?"})[2])
        self.check(server.stop()[1])

    def test_over_mcp(self):
        self.configure_model("openai")
        program = self.home.start("mcp", stdin=subprocess.PIPE)
        self.addCleanup(program.communicate)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {},
                 "clientInfo": {"name": "test", "version": "1"}}

        def call(number, method, params):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            program.stdin.write(json.dumps(message).encode() + b"\n")
            program.stdin.flush()
            for line in program.stdout:
                if json.loads(line).get("id") == number:
                    return line.decode()

        self.assertIn("serverInfo", call(0, "initialize", hello))
        for number, (how, self.server.form) in enumerate(FORMS.items(), 1):
            with self.subTest(how):
                asked = {"name": "ask", "arguments": {"question": "How?"}}
                self.check(call(number, "tools/call", asked))


if __name__ == "__main__":
    unittest.main()
