"""The local interface over real folders, as its clients use it."""

import concurrent.futures
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import time
import unittest
import urllib.request

from harness import SOURCE, TIMEOUT, TestCase, check_stream, parse_events, wait_until

LOCAL = '[[resource]]\ntype = "local"\nname = "{}"\npath = "{}"\n'


def tree(home, name="code"):
    folder = home.path / name
    folder.mkdir()
    (folder / "parser.py").write_text(
        "# Reads dates.\n\n\ndef parse_date(text):\n    \"\"\"Parses an ISO date.\"\"\"\n"
        "    year, month, day = text.split('-')\n    return int(year), int(month), int(day)\n")
    (folder / "README.md").write_text("# Tools\n\nThe zebra feature is off by default.\n")
    return folder


class Metrics(TestCase):
    def test_those_of_two_transports_are_kept_apart(self):
        for command in (("projects", "create", "docs"),
                        ("tokens", "create", "--project", "docs", "--rights", "metrics", "--json")):
            result = self.home.run(*command)
            self.assertEqual(result.returncode, 0, result.stderr)
        token = json.loads(result.stdout)["token"]
        process = self.home.start("serve", "--set", "transport.mcp.enabled=true",
                                  "--set", "transport.mcp.listen=127.0.0.1:0", "--listen", "127.0.0.1:0")
        self.addCleanup(process.communicate)
        self.addCleanup(process.terminate)
        urls = [re.search(r"http://\S+", process.stdout.readline().decode())[0] for _ in range(2)]
        for _ in range(3):  # each transport publishes what it has answered when it is asked again
            texts = [self.metrics(url, token) for url in urls]
        for text in texts:
            for name in ("rest", "mcp"):
                self.assertRegex(text, rf'(?m)^quarry_http_streams_open{{plugin="io.quarry.transport-{name}"}} 0$')
                self.assertRegex(text, rf'(?m)^quarry_http_requests_total{{.*plugin="io.quarry.transport-{name}",.*}} \d')
            kinds = re.findall(r"(?m)^# TYPE (\w+) ", text)
            self.assertEqual(len(kinds), len(set(kinds)), "one type for each name")
            lines = [line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")]
            self.assertEqual(len(lines), len(set(lines)), "each series once")

    def test_promtool_finds_nothing(self):
        folder = tree(self.home)
        self.home.write("quarry.toml", LOCAL.format("code", folder))
        server = self.serve()
        server.ask("How is an ISO date parsed?", ["code"])
        text = server.measured_metrics()
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True,
                                 text=True)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def test_top_shows_what_a_server_does(self):
        folder = tree(self.home)
        self.home.write("quarry.toml", LOCAL.format("code", folder))
        server = self.serve()
        server.ask("How is an ISO date parsed?", ["code"])
        once = self.home.run("top", "--server", server.url, "--once", "--json")
        figures = json.loads(once.stdout)
        self.assertEqual([figures[name] for name in ("ready", "questions", "questionsFailed", "questionsRunning",
                                                     "resources")], [True, 1, 0, 0, 1])
        self.assertGreater(figures["residentBytes"], 1 << 20)
        plain = self.home.run("top", "--server", server.url, "--once")
        self.assertRegex(plain.stdout, r"(?m)^questions +0 of \d+ run, 0 a second; 1 ended$")
        refused = self.home.run("top", "--server", server.url)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("--once", refused.stderr)
        server.stop()
        gone = self.home.run("top", "--server", server.url, "--once")
        self.assertNotEqual(gone.returncode, 0)
        self.assertIn("error: ", gone.stderr)
        self.assertEqual(gone.stdout, "")

    @staticmethod
    def metrics(url, token):
        request = urllib.request.Request(url + "/metrics", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return response.read().decode()


class Answers(TestCase):
    def setUp(self):
        super().setUp()
        self.folder = tree(self.home)
        self.home.write("quarry.toml", LOCAL.format("code", self.folder))
        self.server = self.serve()

    def test_a_question_streams_tools_text_and_verified_citations(self):
        events = self.server.ask("How is an ISO date parsed?", ["code"])
        check_stream(self, events)
        states = [e.data["state"]["status"] for e in events if e.type == "tool.updated"]
        self.assertIn("running", states)
        self.assertIn("completed", states)
        done = events[-1].data
        self.assertTrue(done["citations"])
        for citation in done["citations"]:
            self.assertTrue(citation["verified"], citation)
            lines = (self.folder / citation["path"]).read_text().splitlines()
            self.assertLessEqual(citation["endLine"], len(lines))
        version = events[0].data["snapshots"][0]["version"]
        self.assertEqual({c["version"] for c in done["citations"]}, {version})
        self.assertIn("parser.py", {c["path"] for c in done["citations"]})
        self.assertNotIn("usage", done, "an extractive answer has no tokens to count")

    def test_curl_shows_the_same_stream(self):
        output = subprocess.run(
            ["curl", "-sN", "-H", "Content-Type: application/json", "-d",
             json.dumps({"question": "zebra?"}), self.server.url + "/question/stream"],
            capture_output=True, timeout=TIMEOUT, check=True).stdout
        self.assertIn(b"\nevent: done\ndata: {", output)
        check_stream(self, [e for e in parse_events(output.splitlines(keepends=True)) if e.type])

    def test_a_second_reader_and_a_reader_that_comes_back_see_the_same(self):
        events = self.server.ask("zebra?")
        path = f"/question/{events[0].data['id']}/events"
        with self.server.stream(path) as (_, _, again):
            self.assertEqual([(e.id, e.type, e.text) for e in again if e.type],
                             [(e.id, e.type, e.text) for e in events])
        middle = events[len(events) // 2].id
        rest = [(e.id, e.text) for e in events if e.id > middle]
        with self.server.stream(path, headers={"Last-Event-ID": str(middle)}) as (_, _, later):
            self.assertEqual([(e.id, e.text) for e in later if e.type], rest)
        with self.server.stream(f"{path}?after={middle}") as (_, _, later):
            self.assertEqual([(e.id, e.text) for e in later if e.type], rest)
        status, _, text = self.server.request("GET", f"{path}?after={events[-1].id}")
        self.assertEqual((status, text), (204, ""), "an EventSource would come again after any other")

    def test_a_whole_answer_comes_without_a_stream(self):
        status, answer = self.server.json("POST", "/question", {"question": "zebra?"})
        self.assertEqual(status, 200)
        self.assertIn("zebra", answer["answer"])
        self.assertEqual(answer["resources"], ["code"])
        self.assertEqual(answer["model"]["provider"], "extractive")

    def test_a_change_in_the_folder_is_in_the_next_answer(self):
        self.assertIn("off by default", self.server.ask("zebra feature?")[-1].data["text"])
        for round_number in range(3):
            text = f"# Tools\n\nThe zebra feature is number {round_number}.\n"
            (self.folder / "README.md").write_text(text)
            self.assertIn(f"number {round_number}",
                          self.server.ask("zebra feature?")[-1].data["text"])
        (self.folder / "new").mkdir()
        (self.folder / "new/walrus.md").write_text("The walrus sleeps at noon.\n")
        self.assertIn("sleeps at noon", self.server.ask("When does the walrus sleep?")[-1].data["text"])

    def test_an_unknown_resource_is_an_error_before_the_stream(self):
        status, body = self.server.json("POST", "/question/stream",
                                        {"question": "x", "resources": ["cod"]})
        self.assertEqual((status, body["tag"]), (400, "CollectionError"))
        self.assertIn("cod", body["error"])

    def test_names_match_in_any_case_and_with_an_at_sign(self):
        for name in ("CODE", "@code"):
            self.assertEqual(self.server.ask("zebra?", [name])[-1].type, "done")

    def test_resources_are_added_listed_removed_and_kept(self):
        other = self.home.path / "other"
        other.mkdir()
        body = {"type": "local", "name": "Other", "path": str(other), "specialNotes": None}
        status, created = self.server.json("POST", "/config/resources", body)
        self.assertEqual((status, created["name"], created["path"]), (200, "Other", str(other)))
        self.assertEqual(self.server.json("POST", "/config/resources", body)[0], 400)
        names = [r["name"] for r in self.server.json("GET", "/resources")[1]["resources"]]
        self.assertEqual(names, ["code", "Other"])
        self.assertEqual(self.server.json("DELETE", "/config/resources/other")[0], 200)
        status, body = self.server.json("DELETE", "/config/resources", {"name": "Other"})
        self.assertEqual((status, body["tag"]), (404, "ConfigError"))

    def test_probes_and_description_answer(self):
        self.assertTrue(self.server.json("GET", "/")[1]["ok"])
        for path in ("/livez", "/readyz", "/metrics", "/config", "/providers"):
            self.assertEqual(self.server.request("GET", path)[0], 200, path)
        self.assertIn('\nquarry_http_requests_total{code="200",method="GET",plugin="io.quarry.transport-rest",route="/livez"} ',
                      self.server.request("GET", "/metrics")[2])
        description = self.server.json("GET", "/openapi.json")[1]
        self.assertTrue(description["openapi"].startswith("3.1"))
        self.assertIn("/question/stream", description["paths"])

    def test_sixty_four_questions_at_once_are_all_right(self):
        questions = [f"zebra feature number {i}?" for i in range(64)]
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            answers = list(pool.map(self.server.ask, questions))
        for events in answers:
            check_stream(self, events)
            self.assertIn("zebra", events[-1].data["text"])
        self.assertEqual(len({events[0].data["id"] for events in answers}), 64)


class Validation(TestCase):
    """Every row of the validation table, by its response."""

    @classmethod
    def setUpClass(cls):
        from harness import Home, Server
        cls.home = Home()
        cls.server = Server(cls.home)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.home.remove()

    def setUp(self):
        pass

    def refuse(self, path, body, field, tag="RequestError", status=400):
        got, answer = self.server.json("POST", path, body)
        self.assertEqual((got, answer["tag"]), (status, tag), answer)
        self.assertTrue(answer["error"])
        if field:
            self.assertIn(field, [d["field"].strip("/") for d in answer["details"]], answer)

    def test_questions(self):
        for body, field in (({}, "question"), ({"question": ""}, "question"),
                            ({"question": " \n\t"}, "question"), ({"question": 1}, "question"),
                            ({"question": "x" * 100_001}, "question"),
                            ({"question": "x", "resources": {"a": 1}}, "resources"),
                            ({"question": "x", "resources": ["a"] * 21}, "resources"),
                            ({"question": "x", "resources": [1]}, "resources/0"),
                            ({"question": "x", "quiet": "yes"}, "quiet")):
            for path in ("/question", "/question/stream"):
                self.refuse(path, body, field)

    def test_bodies(self):
        for body in ("[]", "1", "null", "{", '{"question":"a","question":"b"}', '"\udcff"',
                     "[" * 100_000, '{"question":"\\u0000"'):
            raw = body.encode(errors="surrogateescape")
            status, _, text = self.server.request("POST", "/question", raw)
            self.assertEqual((status, json.loads(text)["tag"]), (400, "RequestError"), body[:40])
        status, answer = self.server.json("POST", "/question", '{"question": "a"',
                                          {"Content-Type": "text/plain"})
        self.assertEqual((status, answer["tag"]), (415, "UnsupportedMediaType"))

    def raw(self, head, body=b""):
        """The status of a request with these header lines, sent unchanged."""
        with socket.create_connection(("127.0.0.1", self.server.port), TIMEOUT) as connection:
            connection.sendall("\r\n".join((*head, "", "")).encode() + body)
            with connection.makefile("rb") as answer:
                return int(answer.readline().split()[1])

    def test_what_two_readers_of_one_request_could_take_differently(self):
        post = ("POST /config/resources HTTP/1.1", "Host: localhost",
                "Content-Type: application/json")
        for lengths in (["Content-Length: 2, 2"], ["Content-Length: 2"] * 2,
                        ["Content-Length: 2", "Transfer-Encoding: chunked"],
                        ["Transfer-Encoding: chunked, chunked"], ["Transfer-Encoding: x, chunked"]):
            self.assertEqual(self.raw((*post, *lengths), b"{}"), 400, lengths)
        body = b'{"question":"x"}\0junk'
        self.assertEqual(self.raw(("POST /question HTTP/1.1", *post[1:],
                                   f"Content-Length: {len(body)}"), body), 400)
        for again in ("Host: localhost", "Content-Type: application/json"):
            self.assertEqual(self.raw((*post, again, "Content-Length: 2"), b"{}"), 400, again)

    def test_every_origin_is_judged(self):
        get = ("GET /resources HTTP/1.1", "Host: localhost", "Connection: close")
        self.assertEqual(self.raw(get), 200)
        for origins in (("", "https://evil.example"), ("http://localhost", "https://evil.example"),
                        ("",)):
            self.assertEqual(self.raw((*get, *(f"Origin: {one}" for one in origins))), 403, origins)

    def test_names(self):
        for name in ("", "a" * 65, "../a", "a..b", "-a", "a b", "a/", "/a", "a\n", "é"):
            self.refuse("/config/resources", {"type": "local", "name": name, "path": "/tmp"}, "name",
                        "ConfigError")

    def test_local_paths(self):
        key_folder = self.home.path / ".ssh"
        key_folder.mkdir(exist_ok=True)
        link = self.home.path / "innocent"
        if not link.exists():
            link.symlink_to(key_folder)
        for path in ("relative", "/no/such/folder", "/dev/null", "/", "/proc", "/sys", "/dev", "/etc",
                     "/etc/ssl", str(key_folder), str(link), "/usr/../etc"):
            self.refuse("/config/resources", {"type": "local", "name": "x", "path": path}, "path",
                        "ConfigError")

    def test_other_fields(self):
        folder = str(self.home.project)
        for more, field in (({"type": "nonsense"}, "type"), ({"type": None}, "type"),
                            ({"path": None}, "path"), ({"path": 1}, "path"),
                            ({"specialNotes": "x" * 501}, "specialNotes"),
                            ({"specialNotes": "a\x07b"}, "specialNotes")):
            self.refuse("/config/resources",
                        {"type": "local", "name": "x", "path": folder, **more}, field, "ConfigError")

    def test_unknown_routes_and_methods(self):
        status, answer = self.server.json("GET", "/nowhere")
        self.assertEqual((status, answer["tag"]), (404, "NotFound"))
        status, headers, _ = self.server.request("POST", "/resources", {})
        self.assertEqual(status, 405)
        self.assertIn("GET", headers["Allow"])
        self.assertEqual(self.server.json("POST", "/question/nope/stop")[0], 404)
        self.assertEqual(self.server.json("GET", "/question/nope/events")[0], 404)
        self.assertEqual(self.server.request("POST", "/question", b"x" * (32 << 20))[0], 413)


class Lifetime(TestCase):
    def test_serve_ends_cleanly_on_both_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = self.serve()
            code, errors = server.stop(number)
            self.assertEqual((code, errors), (0, ""))

    def test_no_file_is_left_in_the_temporary_places(self):
        folder = tree(self.home)
        server = self.serve()
        server.ask("zebra?", [str(folder)])
        server.stop()
        building = list((self.home.path / "cache").rglob("building/*"))
        self.assertEqual(building, [])

    def test_a_taken_port_is_said_so(self):
        first = self.serve()
        second = self.home.run("serve", "--listen", f"127.0.0.1:{first.port}")
        self.assertNotEqual(second.returncode, 0)
        self.assertIn("in use", second.stderr.lower())

    def test_as_many_descriptors_are_used_as_the_system_allows(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE,
                        resource.getrlimit(resource.RLIMIT_NOFILE))
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, most))
        server = self.serve()
        self.assertEqual(resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE), (most, most))

    def test_a_token_is_asked_for_when_one_is_configured(self):
        self.home.write("quarry.toml", '[transport.rest]\nauth_token = { env = "REST_TOKEN" }\n')
        self.home.environment["REST_TOKEN"] = "let-me-in"
        server = self.serve()
        self.assertEqual(server.json("GET", "/resources")[0], 401)
        self.assertEqual(server.json("GET", "/resources",
                                     headers={"Authorization": "Bearer wrong"})[0], 401)
        self.assertEqual(server.json("GET", "/resources",
                                     headers={"Authorization": "Bearer let-me-in"})[0], 200)

    def test_listening_wider_than_loopback_is_refused(self):
        result = self.home.run("serve", "--listen", "0.0.0.0:0")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("insecure", result.stderr)


if __name__ == "__main__":
    unittest.main()
