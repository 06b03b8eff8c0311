"""The retrieval tools over REST, MCP (HTTP and stdio) and the command line."""

import json
import signal
import socket
import sqlite3
import subprocess
import unittest

from cloud_harness import Host, folder, tool
from harness import QUARRY, TIMEOUT, TestCase, wait_until
from test_slow_sources import DrippingServer

NAMES = ["search", "grep", "symbols", "list", "read", "sync"]
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": {"name": "e2e", "version": "1"}}
CALLS = {"search": {"query": "what reads tokens"}, "grep": {"pattern": "one at a time"},
         "list": {"path": "docs"}, "read": {"path": "docs/parser.md"}, "sync": {}}


class OfTheOwner(TestCase):
    """Over REST and the command line."""

    def setUp(self):
        super().setUp()
        folder(self.home)
        self.write()

    def write(self, more=""):
        self.home.write("quarry.toml", '[model]\nprovider = "extractive"\n'
                        f'[[resource]]\ntype = "local"\nname = "docs"\npath = "{self.home.path}/docs"\n'
                        + more)

    def many_files(self, count=60):
        for i in range(count):
            (self.home.path / f"docs/file{i}.md").write_text(f"# File {i}\n\nneedle {i}\n" * 3)

    def call(self, server, name, status=200, **arguments):
        found, answer = server.json("POST", f"/tools/{name}", arguments)
        self.assertEqual(found, status, answer)
        return answer

    def test_each_is_described_and_called(self):
        server = self.serve()
        self.assertEqual([one["name"] for one in server.json("GET", "/tools")[1]["tools"]], NAMES)
        hit = self.call(server, "search", **CALLS["search"])["hits"][0]
        self.assertEqual(hit["path"], "docs/parser.md")
        self.assertRegex(hit["citation"], r"^\[docs:parser\.md#L1-L\d\]$")
        self.assertIn("one at a time", hit["text"])
        line = self.call(server, "grep", **CALLS["grep"])["hits"][0]
        self.assertEqual((line["startLine"], line["endLine"]), (3, 3))
        self.assertEqual(line["version"], hit["version"])
        self.assertEqual(self.call(server, "list", path="docs")["entries"],
                         [{"path": "docs/parser.md", "kind": "file", "lines": 3}])
        self.assertEqual(self.call(server, "read", path="docs/parser.md", startLine=3)["hits"][0]["text"],
                         line["text"])
        self.assertEqual(self.call(server, "sync")["resources"][0]["version"], hit["version"])

    def indexes(self):
        return sorted(self.home.path.glob("cache/quarry/snapshots/*/segment-*/words"))

    def test_the_first_question_leaves_the_indexes_to_the_next(self):
        for call in (["search", "parser"], ["ask", "What does the parser read?"], ["sync"]):
            with self.subTest(call[0]):
                run = self.home.run(*call)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(len(self.indexes()), 1)
                built = self.indexes()[0].stat().st_ino
                self.assertEqual(self.home.run("search", "tokens").returncode, 0)
                self.assertEqual(self.indexes()[0].stat().st_ino, built, "it was built again")
                self.home.run("clear")
                self.assertEqual(self.indexes(), [])

    def test_an_interrupt_leaves_the_indexes_to_the_next_question(self):
        line = "".join(f"word{i} " for i in range(4000)) + "\n"
        for i in range(400):
            (self.home.path / f"docs/large{i}.md").write_text(f"{i}\n" + line * 3)
        asked = self.home.start("search", "what reads tokens", "--json")
        self.assertIn("hits", json.loads(asked.stdout.readline()))
        asked.send_signal(signal.SIGINT)
        self.assertEqual(asked.wait(TIMEOUT), 0)
        asked.communicate()
        self.assertEqual(self.home.run("search", "what reads tokens").returncode, 0)
        self.assertGreaterEqual(len(self.indexes()), 1)

    def test_a_long_question_does_not_end_an_evaluation(self):
        self.many_files(3)
        file = self.home.path / "questions.jsonl"
        report = "What does the parser read?\n\n" + "It printed this line of a log.\n" * 10_000
        file.write_text(json.dumps({"question": report, "files": ["parser.md"]}) + "\n")
        for place in ((), ("--server", self.serve().url)):
            run = self.home.run("search", "--evaluate", file, "--json", *place)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(json.loads(run.stdout)["ranks"][0]["rank"], 1)

    def test_search_is_evaluated_on_questions_of_the_user(self):
        self.many_files(3)
        file = self.home.path / "questions.jsonl"
        file.write_text('{"question": "What does the parser read?", "files": ["parser.md"]}\n'
                        '{"question": "needle 2", "files": ["no.md"]}\n')
        run = self.home.run("search", "--evaluate", file, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        evaluation = json.loads(run.stdout)
        self.assertEqual(evaluation["ranks"], [{"question": "What does the parser read?", "rank": 1},
                                               {"question": "needle 2", "rank": 0}])
        self.assertEqual(evaluation["groups"][0]["hit1"]["value"], 0.5)
        table = self.home.run("search", "--evaluate", file, "-r", "docs").stdout
        self.assertRegex(table, r"all +2  0\.50 \[")
        server = self.serve()
        self.assertEqual(self.home.run("search", "--evaluate", file, "--server", server.url).stdout, table)
        for text, words in (("{", "line 1"), ('{"question": "a"}', '"files" must be a list of paths')):
            file.write_text(text)
            failed = self.home.run("search", "--evaluate", file)
            self.assertEqual(failed.returncode, 1)
            self.assertIn(words, failed.stderr)
            self.assertIn("questions.jsonl", failed.stderr)
        self.assertIn("absent.jsonl", self.home.run("search", "--evaluate", "absent.jsonl").stderr)
        missing = self.home.run("search")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("query is required", missing.stderr)

    def test_search_explains_its_scores(self):
        run = self.home.run("search", "What does the parser read?", "--explain")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"(?m)^  score [0-9.]+ = \(.*words [0-9.]+")
        self.assertRegex(run.stdout, r"(?m)^    words: .*pars [0-9.]+")
        hit = json.loads(self.home.run("search", "What does the parser read?", "--explain",
                                       "--json").stdout)["hits"][0]["explain"]
        score = sum(part["value"] for part in hit["parts"])
        for factor in hit["factors"]:
            score *= factor["value"]
        self.assertAlmostEqual(score, hit["score"], delta=0.01)
        self.assertNotIn("score", self.home.run("search", "What does the parser read?").stdout)
        server = self.serve()
        told = self.call(server, "search", query="What does the parser read?", explain=True)
        self.assertEqual(told["hits"][0]["explain"], hit)

    def test_a_citation_is_one_that_answers_use(self):
        server = self.serve()
        done = server.ask("What does the parser read?")[-1].data
        hit = self.call(server, "search", query="What does the parser read?")["hits"][0]
        self.assertIn(hit["citation"].rstrip("]").split("#")[0], done["text"])
        self.assertEqual(hit["version"], done["citations"][0]["version"])

    def test_the_least_budget_and_its_cursors_give_everything_once(self):
        self.many_files()
        server = self.serve()
        for name, arguments, member in (("grep", {"pattern": "^needle"}, "hits"),
                                        ("list", {"glob": "**/file*.md"}, "entries")):
            found, cursor = [], None
            while True:
                answer = self.call(server, name, maxTokens=200, cursor=cursor, **arguments)
                self.assertLessEqual(len(json.dumps(answer, separators=(",", ":"),
                                                    ensure_ascii=False)) / 4, 201)
                found += [(one["path"], one.get("startLine")) for one in answer[member]]
                cursor = answer.get("cursor")
                if not answer["more"]:
                    break
            self.assertEqual(len(found), 180 if name == "grep" else 60)
            self.assertEqual(len(set(found)), len(found))

    def test_a_cursor_survives_a_restart_and_not_a_change(self):
        self.many_files()
        server = self.serve()
        first = self.call(server, "grep", pattern="needle", limit=2)
        server.stop()
        server = self.serve()
        again = {"pattern": "needle", "limit": 2, "cursor": first["cursor"]}
        self.assertNotEqual(self.call(server, "grep", **again)["hits"], first["hits"])
        (self.home.path / "docs/file1.md").write_text("changed\n")
        refused = self.call(server, "grep", 400, **again)
        self.assertEqual(refused["details"][0]["field"], "/cursor")
        self.assertIn("have changed since", refused["error"])

    def test_mistakes_name_the_field_and_unknown_tools_are_404(self):
        server = self.serve()
        for name, arguments, field in (("search", {}, ""), ("search", {"query": 1}, "/query"),
                                       ("search", {"query": "x", "maxTokens": 199}, "/maxTokens"),
                                       ("search", {"query": "x", "limit": 51}, "/limit"),
                                       ("grep", {"pattern": "("}, "/pattern"),
                                       ("grep", {"pattern": "x", "cursor": "c1.0"}, "/cursor"),
                                       ("grep", {"pattern": "x", "patern": "x"}, "/patern"),
                                       ("read", {"path": "docs/parsr.md"}, "/path"),
                                       ("list", {"resources": 7}, "/resources")):
            answer = self.call(server, name, 400, **arguments)
            self.assertEqual(answer["tag"], "RequestError", answer)
            self.assertTrue(answer["details"][0]["field"].startswith(field), answer)
        self.assertIn("search, grep", self.call(server, "write", 404)["hint"])
        self.assertEqual(server.json("GET", "/tools/search")[0], 405)
        self.assertEqual(server.request("POST", "/tools/search", b"{}",
                                        {"Content-Type": "text/plain"})[0], 415)

    def test_a_broken_resource_is_named_and_the_others_answer(self):
        self.write('[[resource]]\ntype = "local"\nname = "gone"\npath = "/nowhere"\n'
                   f'[[resource]]\ntype = "local"\nname = "home"\npath = "{self.home.path}/project"\n')
        server = self.serve()
        answer = self.call(server, "grep", pattern="one at a time")
        self.assertEqual(answer["hits"][0]["path"], "docs/parser.md")
        self.assertEqual([row["name"] for row in answer["failed"]], ["gone"])
        alone = self.call(server, "grep", 400, pattern="x", resources=["gone"])
        self.assertEqual(alone["tag"], "CollectionError")
        self.assertIn("/nowhere", alone["error"])

    def test_a_reference_is_read_like_a_name(self):
        server = self.serve()
        (self.home.path / "more").mkdir()
        (self.home.path / "more/b.md").write_text("elsewhere\n")
        answer = self.call(server, "grep", pattern="elsewhere", resources=[f"{self.home.path}/more"])
        self.assertEqual(answer["hits"][0]["path"], "more/b.md")
        self.assertEqual(len(server.json("GET", "/resources")[1]["resources"]), 1)

    def test_pages_of_other_origins_may_not_call(self):
        server = self.serve()
        status, _, _ = server.request("POST", "/tools/read", {"path": "docs/parser.md"},
                                      {"Origin": "https://evil.example"})
        self.assertEqual(status, 403)

    def test_the_commands_print_what_the_tools_find(self):
        found = self.home.run("grep", "one at a time")
        self.assertEqual(found.stdout, "[docs:parser.md#L3]  The parser\n"
                         "The parser reads tokens one at a time.\n\n")
        self.assertIn("[docs:parser.md#L1-L", self.home.run("search", "what reads tokens").stdout)
        (self.home.path / "docs/lines.md").write_text("first\n\tsecond \x1b[31m\n\nlast\n")
        self.assertEqual(self.home.run("read", "docs/lines.md").stdout,
                         "[docs:lines.md#L1-L4]\nfirst\n\tsecond \\u{1b}[31m\n\nlast\n\n")
        (self.home.path / "docs/lines.md").write_text("one\n")
        self.assertEqual(self.home.run("list", "docs").stdout, "docs/lines.md  1 line\ndocs/parser.md  3 lines\n")
        (self.home.path / "docs/lines.md").unlink()
        read = self.home.run("read", "docs/parser.md", "--start", "3", "-r", "docs")
        self.assertIn("one at a time", read.stdout)
        for arguments in (("grep", "one at a time"), ("search", "tokens"), ("list",),
                          ("read", "docs/parser.md")):
            answer = json.loads(self.home.run(*arguments, "--json", "-r", "docs").stdout)
            self.assertTrue(answer.get("hits") or answer.get("entries"), answer)
        wrong = self.home.run("grep", "(")
        self.assertEqual(wrong.returncode, 2, wrong)
        self.assertIn("pattern", wrong.stderr)

    def test_the_commands_use_a_server(self):
        server = self.serve()
        for arguments in (("grep", "one at a time"), ("search", "tokens"), ("list", "docs"),
                          ("read", "docs/parser.md")):
            local = self.home.run(*arguments)
            self.assertEqual(self.home.run(*arguments, "--server", server.url).stdout, local.stdout)
            self.assertTrue(local.stdout)

    def test_the_command_tells_how_to_continue(self):
        self.many_files()
        first = self.home.run("grep", "needle", "--max-tokens", "200")
        cursor = first.stderr.strip().split("--cursor ")[1]
        more = self.home.run("grep", "needle", "--max-tokens", "200", "--cursor", cursor)
        self.assertEqual(more.returncode, 0, more.stderr)
        self.assertNotEqual(more.stdout, first.stdout)


class OfTokens(TestCase):
    """Over MCP, for callers with tokens."""

    def setUp(self):
        super().setUp()
        self.host = Host(self.home)
        self.host.project("one")
        self.host.project("two")
        self.host.start()
        self.addCleanup(self.host.stop)
        writer = self.host.token("one")["token"]
        self.assertFalse(self.host.call(writer, "addResource", folder(self.home))["isError"])
        self.reader = self.host.token("one", rights="read")["token"]

    def names(self, token):
        _, _, body = self.host.post(token, {"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                                            "params": {}})
        return [one["name"] for one in body["result"]["tools"]]

    def test_each_is_called_in_every_form_of_the_protocol(self):
        for name, arguments in CALLS.items():
            plain = self.host.call(self.reader, name, arguments)
            self.assertFalse(plain["isError"], plain)
            self.assertNotIn("text", plain["structuredContent"])
            asking = {"quarry/structured": True}
            _, _, legacy = self.host.post(self.reader, tool(name, arguments),
                                          {"MCP-Protocol-Version": "2025-06-18",
                                           "Accept": "application/json, text/event-stream"})
            _, _, modern = self.host.post(self.reader, tool(name, arguments, _meta=MODERN),
                                          {"MCP-Protocol-Version": "2026-07-28",
                                           "Mcp-Method": "tools/call", "Mcp-Name": name,
                                           "Accept": "application/json, text/event-stream"})
            for other in (legacy, modern):
                self.assertNotIn("structuredContent", other["result"])
                self.assertEqual(other["result"]["content"], plain["content"])
            _, _, asked = self.host.post(self.reader, tool(name, arguments, _meta=asking),
                                         {"MCP-Protocol-Version": "2025-06-18",
                                          "Accept": "application/json, text/event-stream"})
            self.assertEqual(asked["result"]["structuredContent"].keys(),
                             plain["structuredContent"].keys(), asked)

    def test_only_the_right_to_read_shows_them(self):
        self.assertEqual(self.names(self.reader), NAMES)
        asker = self.host.token("one", rights="ask,list,add")["token"]
        self.assertEqual(self.names(asker), ["listResources", "ask", "addResource"])
        for name, arguments in CALLS.items():
            _, _, body = self.host.post(asker, tool(name, arguments))
            self.assertEqual(body["error"]["code"], -32602, body)
        self.assertIn("error", self.host.post(self.reader, tool("ask", {"question": "q"}))[2])

    def test_a_tenant_sees_nothing_of_another(self):
        other = self.host.token("two", rights="read")["token"]
        for resources in ([], ["docs"], [f"{self.home.path}/docs"]):
            for name, arguments in CALLS.items():
                result = self.host.call(other, name, {**arguments, "resources": resources})
                self.assertTrue(result["isError"], result)
                self.assertNotIn("one at a time", json.dumps(result))
        named = self.host.call(other, "list", {"project": "one"})
        self.assertTrue(named["isError"])

    def test_a_call_has_a_line_in_the_audit_without_its_words(self):
        self.host.call(self.reader, "search", {"query": "zxcvbn"})
        self.host.stop()
        with sqlite3.connect(self.home.path / "store.db") as store:
            dump = "\n".join(store.iterdump())
        self.assertIn("search", dump)
        self.assertNotIn("zxcvbn", dump)

    def test_mistakes_are_results_that_name_the_field(self):
        for name, arguments, word in (("search", {"query": ""}, "query"),
                                      ("grep", {"pattern": "("}, "pattern"),
                                      ("read", {"path": "docs/no.md"}, "path"),
                                      ("grep", {"pattern": "x", "cursor": "no"}, "cursor")):
            result = self.host.call(self.reader, name, arguments)
            self.assertTrue(result["isError"], result)
            self.assertIn(word, result["content"][0]["text"])
            self.assertEqual(result["structuredContent"]["tag"], "RequestError")

    def test_standard_input_has_the_same_tools(self):
        home = self.home
        home.write("quarry.toml", f'[[resource]]\ntype = "local"\nname = "docs"\n'
                   f'path = "{home.path}/docs"\n')
        requests = [tool(name, arguments, number) for number, (name, arguments)
                    in enumerate(CALLS.items(), 1)]
        done = subprocess.run([QUARRY, "mcp"], cwd=home.project, env=home.environment, text=True,
                              input="".join(json.dumps(one) + "\n" for one in requests),
                              capture_output=True, timeout=TIMEOUT)
        answers = {one["id"]: one for one in map(json.loads, done.stdout.splitlines()) if "id" in one}
        self.assertEqual(set(answers), set(range(1, len(CALLS) + 1)), done.stderr)
        for answer in answers.values():
            self.assertFalse(answer["result"]["isError"], answer)

    def test_arguments_are_taken_as_models_write_them(self):
        # anthropics/claude-code#73137, homeassistant-ai/ha-mcp#218, can1357/oh-my-pi#2981
        for name, arguments in (("search", {"query": "tokens", "limit": "5", "resources": '["docs"]'}),
                                ("grep", {"pattern": "ONE", "ignoreCase": "True", "context": 1.0}),
                                ("read", {"path": "docs/parser.md", "startLine": "1", "endLine": ""}),
                                ("list", {"resources": "docs", "cursor": "", "limit": None})):
            result = self.host.call(self.reader, name, arguments)
            self.assertFalse(result["isError"], result)


class Cancelled(TestCase):
    """Calls that wait for a source which never ends its answer: its connection is closed."""

    def setUp(self):
        super().setUp()
        folder(self.home)
        self.source = DrippingServer("127.0.0.1")
        self.addCleanup(self.source.stop)
        self.home.write("quarry.toml", 'network.private_hosts = ["127.0.0.1"]\n'
                        '[model]\nprovider = "extractive"\n'
                        f'[[resource]]\ntype = "local"\nname = "docs"\npath = "{self.home.path}/docs"\n'
                        f'[[resource]]\ntype = "git"\nname = "slow"\nurl = "{self.source.url}/slow.git"\n')

    def wait_for_clients(self, count):
        wait_until(lambda: self.source.clients == count, f"{count} requests to the source")

    def calls(self):
        """Each tool with arguments that need the slow source."""
        for name, arguments in {**CALLS, "symbols": {"name": "parse"}}.items():
            path = {"path": "slow/README.md"} if "path" in arguments else {}
            yield name, {**arguments, **path, "resources": ["slow"]}

    def test_over_rest_when_the_client_leaves(self):
        server = self.serve()
        for name, arguments in self.calls():
            with self.subTest(name), socket.create_connection(("127.0.0.1", server.port)) as client:
                body = json.dumps(arguments).encode()
                client.sendall(f"POST /tools/{name} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
                               f"application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
                self.wait_for_clients(1)
                client.close()
                self.wait_for_clients(0)
        status, answer = server.json("POST", "/tools/list", {"path": "docs", "resources": ["docs"]})
        self.assertEqual((status, len(answer["entries"])), (200, 1), answer)

    def test_over_standard_input_when_the_client_says_so(self):
        with subprocess.Popen([QUARRY, "mcp"], cwd=self.home.project, env=self.home.environment,
                              text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            def send(message):
                process.stdin.write(json.dumps(message) + "\n")
                process.stdin.flush()
            for number, (name, arguments) in enumerate(self.calls(), 1):
                with self.subTest(name):
                    send(tool(name, arguments, number))
                    self.wait_for_clients(1)
                    send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                          "params": {"requestId": number}})
                    self.wait_for_clients(0)
            send(tool("list", {"path": "docs", "resources": ["docs"]}, 100))
            answers = []
            while not answers or answers[-1].get("id") != 100:
                answers.append(json.loads(process.stdout.readline()))
            process.stdin.close()
        self.assertFalse(answers[-1]["result"]["isError"], answers[-1])
        self.assertEqual([one["id"] for one in answers if "id" in one], [100],
                         "a request that is cancelled has no answer")

    def test_over_standard_input_when_the_client_is_gone(self):
        # cyanheads/mcp-ts-core#321, codefuturist/email-mcp#60, likec4/likec4#3092
        process = subprocess.Popen([QUARRY, "mcp"], cwd=self.home.project, text=True,
                                   env=self.home.environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        self.addCleanup(process.kill)
        request = tool("grep", {"pattern": "x", "resources": ["slow"]}, 1)
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        self.wait_for_clients(1)
        process.stdin.close()
        process.stdout.close()
        self.assertEqual(process.wait(TIMEOUT), 0)
        self.wait_for_clients(0)

    def test_over_a_server_when_the_client_is_gone(self):
        process = subprocess.Popen([QUARRY, "mcp", "--server", f"{self.source.url}/api/mcp"], text=True,
                                   cwd=self.home.project, env=self.home.environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.kill)
        process.stdin.write(json.dumps(tool("list", {}, 1)) + "\n")
        process.stdin.flush()
        self.wait_for_clients(1)
        process.stdin.close()
        process.stdout.close()
        self.assertEqual(process.wait(TIMEOUT), 0)

    def test_on_the_command_line_by_an_interrupt(self):
        process = subprocess.Popen([QUARRY, "grep", "-r", "slow", "needle"], cwd=self.home.project,
                                   env=self.home.environment, stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        self.wait_for_clients(1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130)
        self.wait_for_clients(0)


if __name__ == "__main__":
    unittest.main()
