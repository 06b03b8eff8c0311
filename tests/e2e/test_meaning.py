"""Search by meaning and reranking: an embedding and a rerank server of the test, or llama.cpp's real one."""

import contextlib
import hashlib
import http.server
import json
import re
import signal
import threading
import unittest

import llama_server
from collector import Collector
from harness import KEY, KEY_VARIABLE, TIMEOUT, TestCase, wait_until

SYNONYMS = {"automobile": "car", "vehicle": "car", "mend": "repair", "fix": "repair"}
DIMENSION = 256
LATE = "the question was not encoded within"


def encoded(text):
    """A bag of words, in which synonyms are one word."""
    vector = [0.0] * DIMENSION
    for word in re.findall("[a-z]+", text.lower()):
        word = SYNONYMS.get(word, word)
        vector[int(hashlib.sha256(word.encode()).hexdigest(), 16) % DIMENSION] += 1
    return vector


class ModelServer:
    """Serves /v1/embeddings, and /rerank, which prefers short documents. `act`, if set, is called with the handler and the
    texts of a request, and returns True if it has answered."""

    def __init__(self):
        self.passages = []  # of each request that was answered, in order
        self.queries = []
        self.reranked = []
        self.act = None
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                texts = body.get("input", body.get("documents"))
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    if not owner.act or not owner.act(self, texts):
                        owner.answer(self, body, texts)

            def reply(self, status, value, headers=()):
                text = json.dumps(value).encode()
                self.send_response(status)
                for name, header in (*headers, ("content-length", str(len(text)))):
                    self.send_header(name, header)
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.listening.server_port}"
        self.thread = threading.Thread(target=self.listening.serve_forever)
        self.thread.start()

    def answer(self, handler, body, texts):
        if handler.path == "/rerank":
            self.reranked.append(body)
            return handler.reply(200, {"results": [{"index": i, "relevance_score": -len(text)}
                                                   for i, text in enumerate(texts)]})
        (self.queries if texts[0].startswith("query: ") else self.passages).extend(texts)
        return handler.reply(200, {"model": body["model"], "usage": {"prompt_tokens": 1, "total_tokens": 1},
                                   "data": [{"index": i, "embedding": encoded(text)} for i, text in enumerate(texts)]})

    def stop(self):
        self.listening.shutdown()
        self.thread.join()
        self.listening.server_close()


class Case(TestCase):
    files = {"garage.md": "# Garage\n\nThe car is in repair.\n", "garden.md": "# Garden\n\nRoses need water.\n"}

    def setUp(self):
        super().setUp()
        self.models = ModelServer()
        self.addCleanup(self.models.stop)
        for name, text in self.files.items():
            self.home.write(f"docs/{name}", text)
        self.configure()

    def configure(self, model="small", search="", url=None):
        self.home.write("quarry.toml", f"""
[model]
provider = "extractive"
[[resource]]
type = "local"
name = "docs"
path = "{self.home.project}/docs"
[search]
embedding = "openai/{model}"
{search}
[embedding.openai]
base_url = "{url or self.models.url}/v1"
api_key = {{ env = "{KEY_VARIABLE}" }}
query_prefix = "query: "
[rerank.cohere]
base_url = "{self.models.url}"
api_key = {{ env = "{KEY_VARIABLE}" }}
""")

    def sync(self):
        run = self.home.run("sync")
        self.assertEqual(run.returncode, 0, run.stderr)

    def search(self, words, *options):
        """(paths, note) of a search that did not end before the model server, which has 500 ms, could answer."""
        def searched():
            run = self.home.run("search", words, "--json", *options)
            self.assertEqual(run.returncode, 0, run.stderr)
            answer = json.loads(run.stdout)
            found = [hit["path"] for hit in answer["hits"]], answer.get("note", "")
            return None if LATE in found[1] else found
        return wait_until(searched, "the question is encoded in time")


class Meaning(Case):
    def test_a_passage_is_found_whose_words_differ(self):
        self.sync()
        paths, note = self.search("mend an automobile")
        self.assertEqual(paths[0], "docs/garage.md")
        self.assertEqual(note, "")
        self.assertEqual(self.search("mend an automobile", "--words-only")[0], [])
        self.assertEqual(set(self.models.queries), {"query: mend an automobile"})

    def test_nothing_is_encoded_twice(self):
        self.sync()
        self.assertEqual(len(self.models.passages), 2)
        self.sync()
        self.search("mend an automobile")
        self.assertEqual(len(self.models.passages), 2)
        self.home.write("docs/copy.md", self.files["garage.md"])
        self.home.write("docs/new.md", "# Sea\n\nShips sail.\n")
        self.sync()
        self.assertEqual(self.models.passages[2:], ["# Sea\n\nShips sail."])

    def test_what_was_encoded_before_a_kill_is_kept(self):
        for i in range(200):
            self.home.write(f"docs/part{i}.md", f"# Part {i}\n\nabout thing{i}\n")
        held = threading.Event()
        release = threading.Event()

        def hold(handler, texts):
            if len(self.models.passages) >= 100:
                held.set()
                release.wait(TIMEOUT)
                return True
            return False

        self.models.act = hold
        run = self.home.start("sync")
        self.assertTrue(held.wait(TIMEOUT))
        run.kill()
        run.wait(TIMEOUT)
        release.set()
        self.models.act = None
        before = set(self.models.passages)
        self.sync()
        self.assertEqual(len(set(self.models.passages)), 202)
        again = [text for text in self.models.passages[len(before):] if text in before]
        self.assertLessEqual(len(again), 64, "more than was not yet stored")
        self.assertEqual(self.search("mend an automobile")[0][0], "docs/garage.md")

    def test_another_model_has_vectors_of_its_own(self):
        self.sync()
        self.configure("large")
        paths, note = self.search("mend an automobile")
        self.assertEqual(paths, [])
        self.assertIn("Vectors: 0 of 2 passages", note)
        self.sync()
        self.assertEqual(len(self.models.passages), 4)
        self.assertEqual(self.search("mend an automobile")[0][0], "docs/garage.md")
        self.configure("small")
        self.sync()
        self.assertEqual(self.search("mend an automobile")[0][0], "docs/garage.md")
        self.assertEqual(len(self.models.passages), 4, "those of the first model were kept")


class Failures(Case):
    def fail(self, status, message, headers=()):
        def act(handler, _):
            handler.reply(status, {"error": {"message": message}}, headers)
            return True
        self.models.act = act

    def test_a_slow_server_does_not_delay_an_answer(self):
        self.sync()
        release = threading.Event()
        self.addCleanup(release.set)
        self.models.act = lambda *_: release.wait()
        server = self.serve()
        status, answer = server.json("POST", "/tools/search", {"query": "the roses of a car"})
        self.assertEqual((status, answer["hits"][0]["path"]), (200, "docs/garden.md"))
        self.assertEqual(answer["note"], "Ranked by words alone: the question was not encoded within 500 ms.")
        release.set()

    def test_a_quota_that_is_used_up_pauses(self):
        self.fail(429, "out of quota", [("retry-after", "3600")])
        self.sync()
        paths, note = self.search("roses")
        self.assertEqual(paths, ["docs/garden.md"])
        self.assertIn("Vectors: 0 of 2 passages", note)
        server = self.serve()
        self.assertIn("paused: ", wait_until(lambda: self.note(server, "paused"), "the pause is told"))
        self.assertIn("out of quota", self.note(server, "paused"))
        self.assertNotIn(KEY, self.note(server, "paused"))

    def note(self, server, part):
        note = server.json("POST", "/tools/search", {"query": "roses"})[1].get("note", "")
        return note if part in note else None

    def test_a_changed_dimension_is_refused(self):
        self.sync()

        def shorter(handler, texts):
            handler.reply(200, {"data": [{"index": i, "embedding": [1.0, 2.0]} for i in range(len(texts))]})
            return True

        self.models.act = shorter
        paths, note = self.search("the roses of a car")
        self.assertEqual(paths[0], "docs/garden.md")
        self.models.act = None
        self.assertEqual(self.search("mend an automobile")[0][0], "docs/garage.md")

    def test_a_server_that_is_gone_is_named(self):
        self.sync()
        self.models.act = lambda handler, _: handler.connection.shutdown(2) or True
        paths, note = self.search("the roses of a car")
        self.assertEqual(paths[0], "docs/garden.md")
        self.assertIn("Ranked by words alone: ", note)

    def test_an_interrupt_ends_a_sync_that_waits(self):
        held = threading.Event()
        release = threading.Event()
        self.addCleanup(release.set)

        def hold(*_):
            held.set()
            return release.wait(TIMEOUT)

        self.models.act = hold
        run = self.home.start("sync")
        self.assertTrue(held.wait(TIMEOUT))
        run.send_signal(signal.SIGINT)
        self.assertIsNotNone(run.wait(TIMEOUT))


class Reranked(Case):
    def setUp(self):
        super().setUp()
        self.home.write("docs/shed.md", "Roses.\n")
        self.configure(search='rerank = "cohere/judge"')
        self.sync()

    def test_the_best_passages_are_in_the_order_of_the_scores(self):
        paths, note = self.search("why roses need water")
        self.assertEqual(paths[:2], ["docs/shed.md", "docs/garden.md"])
        self.assertEqual(note, "")
        self.assertEqual(self.search("why roses need water", "--words-only")[0][0], "docs/garden.md")
        self.assertEqual([(body["model"], body["query"]) for body in self.models.reranked],
                         [("judge", "why roses need water")])

    def test_pages_are_parts_of_one_list_and_scored_once(self):
        server = self.serve()
        first = server.json("POST", "/tools/search", {"query": "why roses need water", "limit": 1})[1]
        second = server.json("POST", "/tools/search", {"query": "why roses need water", "limit": 1,
                                                       "cursor": first["cursor"]})[1]
        self.assertEqual([one["hits"][0]["path"] for one in (first, second)], ["docs/shed.md", "docs/garden.md"])
        self.assertEqual(len(self.models.reranked), 1)

    def test_the_order_stays_if_the_server_fails(self):
        def fail(handler, _):
            if handler.path != "/rerank":
                return False
            handler.reply(401, {"message": f"unknown key {KEY}"})
            return True

        self.models.act = fail
        paths, note = self.search("why roses need water")
        self.assertEqual(paths[0], "docs/garden.md")
        self.assertIn("Not reranked: the provider of cohere/judge: HTTP 401", note)
        self.assertNotIn(KEY, note)


class Traced(Case):
    def spans_of_a_search(self):
        """None if the search ended before the model server, which has 500 ms, could answer."""
        collector = Collector()
        self.addCleanup(collector.stop)
        self.configure(search=f'rerank = "cohere/small"\n[traces]\nendpoint = "{collector.url}"\n')
        server = self.serve()
        status, answer = server.json("POST", "/tools/search", {"query": "mend an automobile"})
        server.stop()
        if LATE in answer.get("note", ""):
            return None
        self.assertEqual((status, answer["hits"][0]["path"]), (200, "docs/garage.md"))
        return collector.spans()

    def test_the_requests_of_a_search_belong_to_it(self):
        self.sync()
        spans = wait_until(self.spans_of_a_search, "the question is encoded in time")
        request = spans["tools.search"]
        for name in ("embeddings small", "rerank small"):
            self.assertEqual((spans[name].trace, spans[name].parent), (request.trace, request.id), name)


@unittest.skipIf(llama_server.MISSING, llama_server.MISSING)
class Llama(Case):
    def start_llama(self):
        llama = llama_server.LlamaServer(self.home.path, more=["--embeddings", "--pooling", "mean"])
        self.addCleanup(llama.stop)
        self.configure(url=llama.url)
        return llama

    def test_llama_cpp_encodes(self):
        self.start_llama()
        self.sync()
        paths, note = self.search("the roses of a car")
        self.assertEqual(sorted(paths), ["docs/garage.md", "docs/garden.md"])
        self.assertEqual(note, "")

    def test_a_server_that_is_killed_is_named_and_another_one_continues(self):
        llama = self.start_llama()
        self.sync()
        llama.process.kill()
        llama.process.wait(TIMEOUT)
        self.home.write("docs/new.md", "# Sea\n\nShips sail.\n")
        self.sync()
        paths, note = self.search("the roses of a car")
        self.assertEqual(len(paths), 2)
        self.assertIn("Ranked by words alone: the provider of openai/small: ", note)
        self.assertIn("Vectors: 2 of 3 passages", note)
        self.start_llama()
        self.sync()
        self.assertEqual(self.search("the roses of a car")[1], "")


if __name__ == "__main__":
    unittest.main()
