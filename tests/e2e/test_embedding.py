"""Embedding and rerank providers: the bundled plugins in runners, against a peer (aimock) and servers of the test."""

import contextlib
import http.server
import json
import threading
import unittest

import peers
from harness import BUILD, KEY, KEY_VARIABLE, TestCase

OWN = BUILD / "lib/quarry/plugins"
ISOLATED = "[plugins.isolation]\n" + "".join(
    f'"io.quarry.{name}" = "process"\n' for name in ("embedding-openai", "embedding-ollama", "rerank-cohere"))


@contextlib.contextmanager
def server(*answers):
    """The URL of a server that gives these answers in order, the last one repeatedly, and the list of its requests:
    (path, JSON). An answer is (status, headers, JSON), or bytes after which the connection breaks."""
    requests = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            requests.append((self.path, json.loads(body)))
            answer = answers[min(len(requests), len(answers)) - 1]
            if isinstance(answer, bytes):
                self.wfile.write(answer)
                self.close_connection = True
                return
            status, headers, value = answer
            text = json.dumps(value).encode()
            self.send_response(status)
            for name, header in {**headers, "content-length": str(len(text))}.items():
                self.send_header(name, header)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}", requests
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


class Case(TestCase):
    def configure(self, kind, component, url, more=""):
        key = "embedding" if kind == "embedding" else "rerank"
        self.home.write("quarry.toml", ISOLATED + f'[search]\n{key} = "{component}/small"\n[{key}.{component}]\n'
                        f'base_url = "{url}"\napi_key = {{ env = "{KEY_VARIABLE}" }}\n{more}')

    def run_function(self, plugin, *arguments):
        """The outcome of a call as JSON."""
        result = self.home.run("plugins", "run", "--json", OWN / plugin, *arguments)
        said = json.loads(result.stdout)
        self.assertEqual(said["isolation"], "process")
        self.assertEqual(result.returncode == 0, said["outcome"] == "ok", result.stdout + result.stderr)
        return said

    def value(self, plugin, *arguments):
        said = self.run_function(plugin, *arguments)
        self.assertEqual(said["outcome"], "ok", said)
        return said["value"]

    def failure(self, plugin, *arguments):
        """Outcome and message of a call that fails."""
        said = self.run_function(plugin, *arguments)
        self.assertNotEqual(said["outcome"], "ok", said)
        return said["outcome"], said["error"]["message"]


@unittest.skipIf(peers.MISSING, peers.MISSING)
class WithAimock(Case):
    def setUp(self):
        super().setUp()
        self.peer = peers.Aimock([{"match": {"userMessage": "unused"}, "response": {"content": "x"}}],
                                 self.home.path)
        self.addCleanup(self.peer.stop)

    def test_a_text_becomes_a_vector(self):
        self.configure("embedding", "openai", self.peer.url + "/v1")
        value = self.value("embedding-openai", "encode", "Where are dates parsed?")
        self.assertEqual(value["identity"], "openai/small")
        self.assertEqual(len(value["vector"]), 1536)
        again = self.value("embedding-openai", "encode", "Where are dates parsed?")
        self.assertEqual(again["vector"], value["vector"])
        other = self.value("embedding-openai", "encode", "Who opens the door?")
        self.assertNotEqual(other["vector"], value["vector"])

    def test_a_vector_has_the_dimensions_that_are_configured(self):
        self.configure("embedding", "openai", self.peer.url + "/v1", "dimensions = 8\n")
        value = self.value("embedding-openai", "encode", "text", "--model", "large")
        self.assertEqual(value["identity"], 'openai/large {"dimensions":8}')
        self.assertEqual(len(value["vector"]), 8)

    def test_a_wrong_key_is_named(self):
        self.home.environment["OTHER_KEY"] = "sk-wrong"
        self.home.write("quarry.toml", ISOLATED + f'[search]\nembedding = "openai/small"\n[embedding.openai]\n'
                        f'base_url = "{self.peer.url}/v1"\napi_key = {{ env = "OTHER_KEY" }}\n')
        outcome, message = self.failure("embedding-openai", "encode", "text")
        self.assertEqual(outcome, "unauthenticated")
        self.assertIn("the provider of openai/small: HTTP 401: ", message)

    def test_a_response_without_scores_is_refused(self):
        self.configure("rerank", "cohere", self.peer.url + "/v2")
        outcome, message = self.failure("rerank-cohere", "score", "query", "document")
        self.assertEqual(outcome, "data_loss")
        self.assertEqual(message, "the provider of cohere/small: the response has 0 scores for 1 documents")


class WithServers(Case):
    def test_ollama_encodes(self):
        answer = {"embeddings": [[0.5, -1]], "prompt_eval_count": 3}
        with server((200, {}, answer)) as (url, requests):
            self.configure("embedding", "ollama", url, 'query_prefix = "search_query: "\n')
            value = self.value("embedding-ollama", "encode", "text")
        self.assertEqual(value["vector"], [0.5, -1])
        self.assertEqual(requests, [("/api/embed", {"model": "small", "input": ["search_query: text"]})])

    def test_cohere_scores(self):
        with server((200, {}, {"results": [{"index": 0, "relevance_score": 0.25}]})) as (url, requests):
            self.configure("rerank", "cohere", url)
            self.assertEqual(self.value("rerank-cohere", "score", "query", "document"), {"score": 0.25})
        self.assertEqual(requests, [("/rerank", {"model": "small", "query": "query", "documents": ["document"],
                                                 "top_n": 1})])

    def test_a_busy_server_is_asked_again(self):
        busy = (429, {"retry-after-ms": "20"}, {"error": "slow down"})
        for first in (busy, b""):
            with self.subTest(first), server(first, (200, {}, {"embeddings": [[1]]})) as (url, requests):
                self.configure("embedding", "ollama", url)
                self.assertEqual(self.value("embedding-ollama", "encode", "text")["vector"], [1])
                self.assertEqual(len(requests), 2)

    def test_a_quota_that_stays_used_up_is_named(self):
        with server((429, {"retry-after": "3600"}, {"error": "out of quota"})) as (url, requests):
            self.configure("embedding", "ollama", url)
            outcome, message = self.failure("embedding-ollama", "encode", "text")
        self.assertEqual(outcome, "resource_exhausted")
        self.assertEqual(message, "the provider of ollama/small: HTTP 429: out of quota")
        self.assertEqual(len(requests), 1)

    def test_a_server_that_is_killed_within_a_response_is_named(self):
        cut = b'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"embeddings":[[1'
        with server(cut) as (url, _):
            self.configure("embedding", "ollama", url)
            outcome, message = self.failure("embedding-ollama", "encode", "text")
        self.assertEqual(outcome, "unavailable")
        self.assertIn("the response broke off", message)

    def test_a_response_of_another_kind_is_named(self):
        with server((200, {}, {"embeddings": [[1], [2]]})) as (url, _):
            self.configure("embedding", "ollama", url)
            self.assertIn("has a vector with the index 1, and the request 1 texts",
                          self.failure("embedding-ollama", "encode", "text")[1])

    def test_the_key_is_in_no_output(self):
        with server((401, {}, {"error": f"unknown key {KEY}"})) as (url, _):
            self.configure("embedding", "ollama", url)
            result = self.home.run("plugins", "run", OWN / "embedding-ollama", "encode", "text")
        self.assertNotEqual(result.returncode, 0)
        self.assertNotIn(KEY, result.stdout + result.stderr)


class Configuration(Case):
    def test_mistakes_are_named_with_their_place(self):
        self.home.write("quarry.toml", '[search]\nembedding = "opnai/m"\n[embedding.openai]\ndimension = 8\n')
        result = self.home.run("config", "check")
        self.assertEqual(result.returncode, 3)
        said = result.stdout + result.stderr
        for words in ('quarry.toml:2:1', 'no plugin offers the embedding provider "opnai"; did you mean "openai"?',
                      "quarry.toml:4:1", 'did you mean "dimensions"?'):
            self.assertIn(words, said)
        self.home.write("quarry.toml", '[search]\nrerank = "cohere"\n')
        result = self.home.run("config", "check")
        self.assertIn('must be "<provider>/<model>"', result.stdout + result.stderr)

    def test_a_project_file_needs_trust_for_them(self):
        (self.home.project / "quarry.toml").write_text(
            '[search]\nembedding = "openai/m"\n[rerank.cohere]\nbase_url = "http://127.0.0.1:1"\n')
        result = self.home.run("config", "check")
        said = result.stdout + result.stderr
        self.assertNotEqual(result.returncode, 0)
        for key in ("search.embedding", "rerank.cohere.base_url"):
            self.assertIn(key, said)


if __name__ == "__main__":
    unittest.main()
