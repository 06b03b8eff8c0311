"""`quarry models`: the available models, the chosen one, and changing it."""

import http.server
import json
import threading
import unittest

from harness import KEY_VARIABLE, TestCase

ANSWER = ("data: {\"choices\":[{\"delta\":{\"content\":\"Served here.\"},\"finish_reason\":\"stop\"}]}\n\n"
          "data: [DONE]\n\n")


OLLAMA_ANSWER = '{"message":{"content":"Served here."},"done":true,"done_reason":"stop"}\n'


class ModelServer:
    """A server on this machine with OpenAI's chat completions and Ollama's own interface."""

    def __init__(self, models):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                lists = {"/v1/models": {"data": [{"id": model} for model in models]},
                         "/api/tags": {"models": [{"name": model} for model in models]}}
                found = lists.get(self.path)
                self.reply(200 if found else 404, "application/json", json.dumps(found))

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                is_ollama = self.path == "/api/chat"
                self.reply(200, "application/x-ndjson" if is_ollama else "text/event-stream",
                           OLLAMA_ANSWER if is_ollama else ANSWER)

            def reply(self, status, kind, text):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class ModelVerbs(TestCase):
    def setUp(self):
        super().setUp()
        self.models = ModelServer(["small", "large"])
        self.addCleanup(self.models.stop)
        self.folder = self.home.path / "code"
        self.folder.mkdir()
        (self.folder / "README.md").write_text("# Tools\n")
        self.configure()

    def configure(self, model='provider = "extractive"'):
        self.home.write("quarry.toml", f"""# mine
[model]
{model}

[model.work]
provider = "openai"
base_url = "{self.models.url}"
api_key = {{ env = "{KEY_VARIABLE}" }}

[model.keyless]
provider = "openai"
api_key = {{ env = "NOT_SET_ANYWHERE" }}
""")

    def text(self):
        return (self.home.project / "quarry.toml").read_text()

    def rows(self, *arguments):
        result = self.home.run("models", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.splitlines()

    def test_the_table_says_what_is_asked_and_why_others_cannot_be(self):
        self.configure('provider = "work"\nname = "large"\nfallback = ["extractive"]')
        rows = self.rows()
        self.assertRegex(rows[0], r"^ +provider +model +state$")
        self.assertRegex(rows[1], r"^\* work +large +ready, 2 models$")
        self.assertRegex(rows[2], r"^  extractive +extractive +fallback 1, ready, 1 model$")
        self.assertTrue(any("keyless" in row and "NOT_SET_ANYWHERE is not set" in row
                            for row in rows), rows)
        self.assertTrue(any("anthropic" in row and "ANTHROPIC_API_KEY is not set" in row
                            for row in rows), rows)

    def test_json_is_the_engines_answer(self):
        result = self.home.run("models", "--json")
        answer = json.loads(result.stdout)
        self.assertEqual(answer["chosen"],
                         {"provider": "extractive", "model": "extractive", "priced": True})
        work = next(one for one in answer["providers"] if one["id"] == "work")
        self.assertEqual(work["models"], ["small", "large"])

    def test_use_asks_another_model_from_now_on(self):
        result = self.home.run("models", "use", "work/small")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("using work/small, saved to ", result.stdout)
        self.assertTrue(self.text().startswith("# mine\n[model]\n"), self.text())
        asked = self.home.run("ask", "-r", self.folder, "What is there?")
        self.assertIn("Served here.", asked.stdout, asked.stderr)
        self.assertEqual(self.home.run("models", "use", "auto").returncode, 0)
        self.assertNotIn("small", self.text())

    def test_use_takes_options_and_warns_of_a_model_that_is_not_listed(self):
        result = self.home.run("models", "use", "openai/smal", "--option",
                               f"base_url={self.models.url}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('did you mean "small"?', result.stderr)
        self.assertIn(f'base_url = "{self.models.url}"', self.text())
        self.home.run("models", "use", "extractive")
        self.assertNotIn('name = "smal"', self.text())
        self.assertEqual(self.text().count("base_url"), 1, "the instance keeps its own")

    def test_what_cannot_be_asked_is_refused_with_its_exit_code(self):
        before = self.text()
        for arguments, code, words in (
                (["wrok"], 3, 'did you mean "work"?'),
                (["keyless"], 3, "NOT_SET_ANYWHERE is not set"),
                (["work", "-o", "base_ulr=x"], 3, 'did you mean "base_url"?'),
                (["work", "-o", "api_key=sk-plain"], 3, "must be a reference"),
                ([], 2, "model"),
        ):
            result = self.home.run("models", "use", *arguments)
            self.assertEqual(result.returncode, code, (arguments, result.stderr))
            self.assertIn(words, result.stderr)
            self.assertEqual(result.stdout, "")
        self.assertEqual(self.text(), before)

    def test_a_server_lists_and_switches_too(self):
        server = self.serve()
        listed = self.home.run("models", "--server", server.url)
        self.assertRegex(listed.stdout, r"\* extractive ")
        used = self.home.run("models", "use", "work", "--server", server.url)
        self.assertEqual(used.returncode, 0, used.stderr)
        self.assertEqual(server.json("GET", "/config")[1]["provider"], "work")
        status, body = server.json("PUT", "/config/model", {"provider": "wrok", "model": ""})
        self.assertEqual((status, body["tag"]), (400, "ProviderNotFoundError"))

    def test_a_client_names_no_secret_and_no_address(self):
        server = self.serve()
        before = self.text()
        ran = self.home.path / "ran"
        for options in ({"api_key": {"command": ["touch", str(ran)]}}, {"api_key": {"file": "/etc/passwd"}},
                        {"api_key": {"env": "HOME"}}, {"base_url": self.models.url}):
            status, body = server.json("PUT", "/config/model", {
                "provider": "openai", "model": "m", "providerOptions": options})
            self.assertEqual((status, body["tag"]), (400, "ProviderOptionsError"), body)
            self.assertIn("quarry models use", body["hint"])
        self.assertFalse(ran.exists())
        self.assertEqual(self.text(), before)

    def test_mistakes_are_told_at_their_places(self):
        self.configure('provider = "work"\nbase_ulr = "x"')
        result = self.home.run("ask", "-r", self.folder, "What?")
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r'quarry\.toml:4:1: "base_ulr" is not known; did you mean')
        self.configure('provider = "opnai"')
        result = self.home.run("config", "check")
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r'quarry\.toml:3:1: .*did you mean "openai"')


if __name__ == "__main__":
    unittest.main()
