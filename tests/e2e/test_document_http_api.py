"""The samples and tables of docs/http-api.md, compared with a real server."""

import contextlib
import io
import json
import re
import socketserver
import threading
import unittest

from document_harness import DocumentCase
from harness import SOURCE, check_stream, parse_events, wait_until
from played_model import refusal

URL = "http://127.0.0.1:8080"
SAMPLE_ID = "263f6a18bfdea60478c9da55cbab76f1"
HANG = object()


class PlayedGemini(socketserver.ThreadingTCPServer):
    """A model on Gemini's wire. `script(number)` is the response to the request of that number: parts
    to send, and HANG to wait until the test has released it; or the whole response as bytes."""

    daemon_threads = True

    def __init__(self, script):
        super().__init__(("127.0.0.1", 0), GeminiResponse)
        self.script, self.count, self.released = script, 0, threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.released.set()
        self.shutdown()
        self.server_close()

    @property
    def configuration(self):
        """[model] and its prices."""
        return (f'[model]\nprovider = "gemini"\nname = "m"\nbase_url = "{self.url}"\n'
                '[pricing.static."gemini/m"]\ninput = "1.25"\noutput = "10"\n')


class GeminiResponse(socketserver.StreamRequestHandler):
    def handle(self):
        head = b"".join(iter(self.rfile.readline, b"\r\n"))
        self.rfile.read(int(re.search(rb"(?i)content-length: (\d+)", head).group(1)))
        self.server.count += 1
        parts = self.server.script(self.server.count)
        with contextlib.suppress(ConnectionError):
            if isinstance(parts, bytes):
                self.wfile.write(parts)
                return
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                             b"Connection: close\r\n\r\n")
            for part in parts:
                if part is HANG:
                    self.server.released.wait()
                else:
                    self.say({"content": {"parts": [part]}})
            self.say({"finishReason": "STOP"}, usageMetadata={
                "promptTokenCount": 1000, "candidatesTokenCount": 10, "thoughtsTokenCount": 5,
                "totalTokenCount": 1015})

    def say(self, candidate, **more):
        chunk = json.dumps({"candidates": [candidate], **more})
        self.wfile.write(b"data: " + chunk.encode() + b"\n\n")


def searching(number):
    """Searches first, then answers."""
    if number % 2:
        return [{"text": "I search first.", "thought": True},
                {"functionCall": {"name": "search", "args": {"query": "dates"}}}]
    return [{"text": "By parse_date [docs:dates.md#L3]."}]


def waiting(number):
    return [{"text": "half"}, HANG]


def shape(value):
    """The names of all members; of an array, those of its first element."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shape(member) for member in value[:1]]
    return None


def names(cell):
    """The names in backquotes of a cell of a table, and those of them that may be missing."""
    found = re.findall(r"`([A-Za-z][A-Za-z0-9]*)(\??)`", cell)
    return {name for name, _ in found}, {name for name, mark in found if mark}


def rows_of(text, head):
    """The cells of each row of the table that begins with `head`."""
    table = re.search(rf"^{re.escape(head)}.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M).group(1)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


class HttpApi(DocumentCase):
    document = "docs/http-api.md"

    def rows(self, head):
        return rows_of(self.text, head)

    def start(self, *more, script=None):
        """A server over ./docs, and the model it asks, if a script plays one."""
        model = None
        text = "".join(more)
        if script:
            model = PlayedGemini(script)
            self.addCleanup(model.stop)
            text += model.configuration
        self.home.write("quarry.toml", f'{text}\n[[resource]]\ntype = "local"\nname = "docs"\n'
                                       f'path = "{self.home.project}/docs"\n')
        return self.serve(), model

    def curl(self, server, command):
        return self.run_shell(command.replace(URL, server.url) + " -s")

    def openapi(self, server):
        return server.json("GET", "/openapi.json")[1]

    def test_the_server_is_used_as_shown(self):
        serve, curl = self.take("sh", "quarry serve").commands()
        self.assertEqual(serve, "quarry serve --listen 127.0.0.1:8080")
        server, _ = self.start()
        self.assertIn("event: done", self.curl(server, curl))

    def test_the_routes_are_those_of_the_server(self):
        server, _ = self.start()
        listed = {(cells[0], cells[1].strip("`")) for cells in self.rows("| method | path |")}
        description = self.openapi(server)
        served = {(method.upper(), path) for path, methods in description["paths"].items()
                  for method in methods}
        self.assertEqual(listed, served)
        self.assertIn(f"`{description['info']['version']}`", self.text)

    def test_the_members_of_responses_are_those_of_the_table(self):
        server, _ = self.start()
        number = server.ask("q", thread="t")[0].data["id"]
        bodies = {"PUT /threads": {"id": "t", "title": "q"}, "PUT /config/model": {"provider": "extractive", "model": ""},
                  "DELETE /config/resources": {"name": "docs"},
                  "POST /recognise": {"reference": "."}}
        skipped = ("POST /question", "GET /openapi.json", "GET /metrics", "POST /config/resources",
                   "GET /question", "DELETE /config/resources/", "POST /tools/", "GET /ui")
        for method, path, _, response, _ in self.rows("| method | path |"):
            path = path.strip("`")
            route = f"{method} {path}"
            if route.startswith(skipped) and not path.endswith("/stop"):
                continue
            with self.subTest(route):
                real = (path.replace("/question/{id}", f"/question/{number}").replace("{id}", "t")
                        .replace("{name}", "docs").replace("{path}", "dates.md"))
                status, body = server.json(method, real, bodies.get(route))
                self.assertEqual(status, 200, body)
                told, optional = names(response.split(":")[0])
                if "{id}" in path and method == "GET":
                    told = {"id", "title", "created", "updated", "turns"}
                self.assertLessEqual(set(body), told)
                self.assertLessEqual(told - optional, set(body))

    def test_values_and_bodies_are_described_with_the_schemas_of_the_engine(self):
        server, _ = self.start()
        paths = self.openapi(server)["paths"]

        def schema(part):
            return part["content"]["application/json"]["schema"]

        for path in ("/config", "/resources", "/providers", "/threads", "/usage"):
            described = schema(paths[path]["get"]["responses"]["200"])
            status, body = server.json("GET", path)
            self.assertEqual((status, set(body)), (200, set(described["required"])), path)
            self.assertEqual(set(described["properties"]) - set(body),
                             {"maxCostUsd", "monthlyBudgetUsd"} if path == "/config" else set(), path)
        body = schema(paths["/config/model"]["put"]["requestBody"])
        longest = body["properties"]["provider"]["maxLength"]
        for length, refused in ((longest, False), (longest + 1, True)):
            _, answer = server.json("PUT", "/config/model", {"provider": "x" * length, "model": ""})
            fields = [row["field"] for row in answer.get("details", [])]
            self.assertEqual("/provider" in fields, refused, answer)

    def test_the_command_line_uses_routes_of_the_server(self):
        used = set(re.findall(r'\{"([a-z.]+)", "([A-Z]+)", "(/[^"]*)"\}',
                              (SOURCE / "host/cli/remote_connection.cpp").read_text()))
        routes = (SOURCE / "plugins/transport-rest/routes.cpp").read_text()
        served = {(engine, method, path) for method, path, engine in re.findall(
            r'\{\s*"([A-Z]+)",\s*"(/[^"]*)",\s*Action::kCall,\s*"([a-z.]+)"', routes)}
        self.assertGreater(len(used), 10)
        tools = {(f"tools.{name}", "POST", f"/tools/{name}") for name in self.retrieval_tools()}
        self.assertEqual(used - served - tools, set())

    def retrieval_tools(self):
        return [cells[0].strip("`") for cells in self.rows("| tool | arguments |")]

    def test_the_retrieval_tools_are_used_as_listed(self):
        (search,) = self.take("sh", "/tools/search").commands()
        server, _ = self.start()
        found = json.loads(self.curl(server, search))
        self.assertIn("parse_date", found["hits"][0]["text"])
        self.assertLessEqual(set(found["hits"][0]), names(self.text)[0])
        tools = server.json("GET", "/tools")[1]["tools"]
        self.assertEqual([tool["name"] for tool in tools], self.retrieval_tools())
        shared = {"resources", "maxTokens", "cursor", "form"}
        for tool, (_, arguments, _) in zip(tools, self.rows("| tool | arguments |")):
            told, optional = names(arguments)
            self.assertEqual(told, set(tool["params"]["properties"]) - shared)
            self.assertEqual(told - optional, set(tool["params"].get("required", [])))

    def test_rows_have_the_members_that_are_named(self):
        server, _ = self.start()
        server.ask("q", thread="t")
        thread = server.json("GET", "/threads")[1]["threads"][0]
        self.assertLessEqual(set(thread), names(self.row("GET", "/threads"))[0])
        turn = server.json("GET", "/threads/t")[1]["turns"][0]
        self.assertLessEqual(set(turn), names(self.row("GET", "/threads/{id}"))[0])
        self.assertEqual(set(server.json("POST", "/sync")[1]["resources"][0]),
                         {"name", "version", "display", "changed", "fetchedAt"})
        sums = server.json("GET", "/usage?by=day&since=7d")[1]["rows"][0]
        self.assertEqual({name for name in sums if name.endswith("Tokens")} | {
            "key", "questions", "calls", "costUsd"}, set(sums))
        self.assertEqual(sum(name.endswith("Tokens") for name in sums), 5)

    def test_what_an_answer_cites_is_read_as_described(self):
        server, _ = self.start(script=searching)
        events = server.ask("How are dates parsed?")
        meta, done = events[0].data, events[-1].data
        self.assertEqual(meta["question"], "How are dates parsed?")
        path = f"/question/{meta['id']}/sources/"
        status, source = server.json("GET", path + "1")
        self.assertEqual(status, 200, source)
        lines = (self.home.project / "docs/dates.md").read_text().splitlines()
        self.assertEqual(source, {**done["citations"][0], "firstLine": 1, "lines": lines})
        for number, status in (("2", 404), ("0", 400), ("x", 400)):
            self.assertEqual(server.json("GET", path + number)[0], status, number)
        (self.home.project / "docs/dates.md").write_text("changed\n")
        self.assertEqual(server.json("GET", path + "1")[1], source)

    def test_files_are_read_as_described(self):
        server, _ = self.start()
        lines = (self.home.project / "docs/dates.md").read_text().splitlines()
        status, file = server.json("GET", "/resources/docs/files/dates.md?startLine=2")
        self.assertEqual((status, file["lines"], file["startLine"], file["total"]),
                         (200, lines[1:], 2, len(lines)))
        for path, status in (("docs/files/none.md", 404), ("none/files/dates.md", 404),
                             ("docs/files/../dates.md", 404), ("docs/files/dates.md?startLine=99", 400),
                             ("docs/files/dates.md?startLine=x", 400)):
            self.assertEqual(server.json("GET", f"/resources/{path}")[0], status, path)

    def row(self, method, path):
        return next(cells[3] for cells in self.rows("| method | path |")
                    if cells[:2] == [method, f"`{path}`"])

    def test_resources_are_added_and_removed_as_shown(self):
        add, remove = self.take("sh", "/home/me/docs").commands()
        server = self.serve()
        added = json.loads(self.curl(server, add.replace("/home/me/docs",
                                                         f"{self.home.project}/docs")))
        self.assertEqual(server.json("GET", "/resources")[1], {"resources": [added]})
        told, _ = names(self.row("DELETE", "/config/resources/{name}"))
        self.assertEqual(set(json.loads(self.curl(server, remove))), told)

    def test_the_members_of_resources_are_those_of_their_types(self):
        server, _ = self.start()
        rows = {cells[0].strip("`"): cells[1:] for cells in self.rows("| type | required |")}
        shared = rows.pop("all")
        schemas = self.openapi(server)["components"]["schemas"]["resource"]["oneOf"]
        self.assertEqual(set(rows), {schema["properties"]["type"]["const"] for schema in schemas})
        for schema in schemas:
            required, optional = rows[schema["properties"]["type"]["const"]]
            self.assertEqual(names(shared[0] + required)[0], set(schema["required"]))
            self.assertEqual(names("".join(shared) + required + optional)[0],
                             set(schema["properties"]))

    def test_what_a_resource_must_not_have_is_refused(self):
        server, _ = self.start()
        resource = {"type": "local", "name": "more", "path": f"{self.home.project}/docs"}
        for more in ({"name": "@DOCS"}, {"other": 1}, {"path": "/nowhere"},
                     {"type": "git", "url": "https://example.com/a", "path": None, "token": "x"}):
            status, body = server.json("POST", "/config/resources", {**resource, **more})
            self.assertEqual((status, body["tag"]), (400, "ConfigError"), more)

    def test_the_question_is_accepted_as_shown(self):
        body = json.loads(self.take("json", '"history"').text.replace("npm:zod@^3", "./docs"))
        server, _ = self.start()
        status, answer = server.json("POST", "/question", body)
        self.assertEqual(status, 200, answer)
        listed = set().union(*(names(cells[0])[0] for cells in self.rows("| member | rule |")))
        schema = self.openapi(server)["components"]["schemas"]["question"]["properties"]
        self.assertEqual(listed, set(schema))
        for text in ("maxLength", "maxItems"):
            for name, rule in schema.items():
                if limit := rule.get(text):
                    row = next(row[1] for row in self.rows("| member | rule |") if name in row[0])
                    self.assertIn(f"{limit:,}", row)

    def test_a_whole_answer_has_the_members_that_are_named(self):
        server, _ = self.start(script=searching)
        _, answer = server.json("POST", "/question", {"question": "q", "thread": "t"})
        paragraph = re.search(r"`POST /question` waits.*?\n\n", self.text, re.S).group()
        always, _, sometimes = paragraph.partition("where they exist")
        self.assertLessEqual(set(answer), names(paragraph)[0])
        self.assertLessEqual(names(always)[0], set(answer))
        self.assertLessEqual({"usage", "thread"}, names(sometimes)[0] & set(answer))

    def test_events_have_the_members_of_the_table(self):
        server, _ = self.start(script=lambda number: searching(number - 1) if number > 1 else refusal(1))
        table = {cells[0].strip("`"): names(cells[1]) for cells in self.rows("| event | members")}
        with self.stream(server, "?events=extended") as lines:
            extended = [event for event in lines if event.type]
        with self.stream(server) as lines:
            plain = list(lines)
        self.assertEqual({event.type for event in extended} | {"error"}, set(table))
        self.assertLessEqual({event.type for event in plain} - {None},
                             set(table) - {"resource.progress", "model.waiting", "citation"})
        check_stream(self, [event for event in plain if event.type])
        for event in extended:
            told, optional = table[event.type]
            self.assertLessEqual(set(event.data) - {"type"}, told)
            self.assertLessEqual(told - optional, set(event.data), event.type)

    @contextlib.contextmanager
    def stream(self, server, query="", body=None):
        with server.stream(f"/question/stream{query}", body or {"question": "q"}) as (status, _, events):
            self.assertEqual(status, 200)
            yield events

    def test_the_stream_looks_as_shown(self):
        server, _ = self.start(script=searching)
        sample = re.search(r"^```text\n(retry:.*?)^```$", self.text, re.M | re.S).group(1)
        raw = server.request("POST", "/question/stream", {"question": "q"})[2]
        self.assertEqual(raw.splitlines()[0], sample.splitlines()[0])
        real = {event.type: event for event in parse_events(io.BytesIO(raw.encode()))}
        shown = list(parse_events(io.BytesIO((sample + "\n").encode())))
        self.assertEqual([event.type for event in shown], [None, "meta", "text.delta"])
        for event in shown:
            self.assertEqual(shape(event.data), shape(real[event.type].data), event.type)

    def test_done_looks_as_shown(self):
        server, _ = self.start(script=searching)
        shown = json.loads(self.take("json", '"type": "done"').text)
        done = server.ask("q")[-1].data
        self.assertEqual(shape(shown), shape(done))
        self.assertEqual(list(shown), list(done), "in this order")

    def test_the_tools_are_those_of_the_engine(self):
        tools = re.findall(r'^    \{"(\w+)", "tools\.(?!sync)',
                           (SOURCE / "host/engine/tool_table.cpp").read_text(), re.M)
        self.assertGreater(len(tools), 4)
        told = re.search(r"^- `tool` is (.*?), as the model", self.text, re.M).group(1)
        self.assertEqual(re.findall(r"`(\w+)`", told), tools)
        self.assertIn(f"may call: {', '.join(tools)} |",
                      (SOURCE / "docs/glossary.md").read_text())

    def test_states_of_tools_have_the_members_that_are_named(self):
        server, _ = self.start(script=searching)
        told = {event.data["state"]["status"]: event.data["state"] for event in server.ask("q")
                if event.type == "tool.updated"}
        self.assertEqual(set(told["pending"]), {"status", "input", "raw"})
        self.assertEqual(set(told["running"]), {"status", "input", "time"})
        self.assertEqual(set(told["completed"]),
                         {"status", "input", "output", "title", "metadata", "time"})

    def test_a_question_is_stopped_and_read_again_as_shown(self):
        events, stop = self.take("sh", "Last-Event-ID").commands()
        server, model = self.start(script=waiting)
        with self.stream(server) as lines:
            number = next(event for event in lines if event.type).data["id"]
            self.assertEqual(len(number), len(SAMPLE_ID))
            wait_until(lambda: model.count == 1, "the model is asked")
            self.assertEqual(json.loads(self.curl(server, stop.replace(SAMPLE_ID, number))),
                             {"id": number, "stopped": True})
            last = [event for event in lines if event.type][-1]
            self.assertEqual((last.type, last.data["finishReason"]), ("done", "cancelled"))
        again = self.curl(server, events.replace(SAMPLE_ID, number).replace("-N", "--no-buffer"))
        self.assertIn("event: done", again)
        self.assertTrue(all(int(each) > 4 for each in re.findall(r"^id: (\d+)", again, re.M)))
        status, body = server.json("GET", f"/question/{number}/events?after=x")
        self.assertEqual((status, body["tag"]), (400, "RequestError"))

    def test_a_full_log_ends_the_question(self):
        server, _ = self.start("[server]\nmax_event_bytes = 65536\n",
                               script=lambda number: [{"text": "word " * 4000}] * 5)
        last = server.ask("q")[-1]
        self.assertEqual((last.type, last.data["tag"]), ("error", "AgentError"))
        self.assertLessEqual(set(last.data) - {"type"}, {"tag", "code", "message", "hint"})

    def test_an_invalid_question_is_answered_as_shown(self):
        server, _ = self.start()
        shown = json.loads(self.take("json", '"details"').text)
        status, body = server.json("POST", "/question", {})
        self.assertEqual((status, body), (400, shown))
        names_of_codes = re.findall(
            r'"([a-z_]+)"', re.search(r"kNames = \{(.*?)\}", (
                SOURCE / "host/base/code_names.cpp").read_text(), re.S).group(1))
        for code in names_of_codes[1:]:
            self.assertIn(f"`{code}`", self.text)

    def test_the_tags_are_those_of_the_program(self):
        table = {cells[0].strip("`"): int(cells[1]) for cells in self.rows("| tag | status |")}
        source = (SOURCE / "plugins/transport-rest/failure.cpp").read_text()
        known = {tag: int(status) for tag, status in re.findall(r'\{"(\w+)", (\d{3})\}', source)}
        self.assertTrue(known)
        self.assertLessEqual(known.items(), table.items())
        self.assertLessEqual(set(table) - set(known), {"MethodNotAllowed", "DataLoss",
                                                        "HistoryError", "InternalError"})

    def test_refusals_are_those_of_the_table(self):
        server, model = self.start("[server]\nmax_questions = 1\nshutdown_grace_ms = 3600000\n",
                                   script=waiting)
        table = {cells[0].strip("`"): cells[1:] for cells in self.rows("| tag | status |")}
        with self.stream(server) as lines:
            wait_until(lambda: model.count == 1, "the model is asked")
            number = next(event.data["id"] for event in lines if event.type == "meta")
            for tag, arguments in {
                    "Forbidden": ("GET", "/", None, {"Host": "other.example"}),
                    "NotFound": ("GET", "/nothing"),
                    "MethodNotAllowed": ("DELETE", "/resources"),
                    "PayloadTooLarge": ("POST", "/question", " " * (1 << 20) + "{}"),
                    "UnsupportedMediaType": ("POST", "/question", "{}", {"Content-Type": "text/plain"}),
                    "RateLimitError": ("POST", "/question", {"question": "q"}),
                    "CollectionError": ("POST", "/question", {"question": "q", "resources": ["x"]}),
                    "ProviderNotFoundError": ("PUT", "/config/model", {"provider": "x", "model": ""}),
                    "ProviderOptionsError": ("PUT", "/config/model", {
                        "provider": "gemini", "model": "m",
                        "providerOptions": {"base_url": "http://x"}})}.items():
                status, body = server.json(*arguments)
                self.assertEqual((tag, status), (body["tag"], int(table[tag][0])), body)
                self.assertIsNone(server.request(*arguments)[1]["Retry-After"])
            server.process.terminate()
            answers = []

            def is_ending():
                answers.append(server.json("POST", "/question", {"question": "q"}))
                return answers[-1][1]["tag"] == "Unavailable"

            wait_until(is_ending, "the server ends")
            self.assertEqual(answers[-1][0], int(table["Unavailable"][0]))
            self.assertEqual(server.json("POST", f"/question/{number}/stop")[0], 200)
            self.assertEqual([event for event in lines if event.type][-1].data["finishReason"],
                             "cancelled")

    def test_without_a_resource_a_question_is_refused(self):
        server = self.serve()
        status, body = server.json("POST", "/question", {"question": "q"})
        self.assertEqual((status, body["tag"]), (404, "ConfigError"))
        self.assertIn("404 for an unknown name, or a question when no resource", self.text)

    def test_the_token_is_sent_as_shown(self):
        curl, = self.take("sh", "QUARRY_TOKEN").commands()
        self.home.environment["QUARRY_TOKEN"] = "a-token"
        server, _ = self.start('[transport.rest]\nauth_token = { env = "QUARRY_TOKEN" }\n')
        self.assertIn('"docs"', self.curl(server, curl))
        status, headers, _ = server.request("GET", "/resources")
        self.assertEqual((status, headers["WWW-Authenticate"]), (401, "Bearer"))
        self.assertEqual(server.request("GET", "/livez")[0], 200)
        _, headers, _ = server.request("GET", "/livez", headers={"X-Request-Id": "mine"})
        self.assertEqual(headers["X-Request-Id"], "mine")

    def test_the_limits_are_the_keys_of_the_transport(self):
        schema = json.loads((SOURCE / "plugins/transport-rest/schema.json").read_text())
        keys = {key for key in schema["properties"] if re.match(r"max_|.*_ms$", key)}
        self.assertEqual({cells[0].strip("`") for cells in self.rows("| key | default |")}, keys)


if __name__ == "__main__":
    unittest.main()
