"""The cloud interface of the real program: tokens, projects, limits, money, audit, restarts."""

import concurrent.futures
import contextlib
import http.client
import itertools
import json
import unittest

from cloud_harness import PLAYED, Host, folder, tool
from harness import TestCase, wait_until
from played_model import PlayedModel

PRICED = '[pricing.static."fixture/m1"]\ninput = "1"\noutput = "2"\n'
COST = 0.00102  # USD of one answer of the scripted model


class CloudCase(TestCase):
    def host(self, **more):
        host = Host(self.home, **more)
        host.project("docs")
        host.start()
        self.addCleanup(self.end, host)
        return host

    def end(self, host):
        code, errors = host.stop()
        self.assertEqual(code, 0, errors)

    def played(self, script=lambda number: ["Hello."], **more):
        model = PlayedModel(script)
        self.addCleanup(model.stop)
        host = self.host(model=PLAYED.format(url=model.url), **more)
        return model, host

    def ready(self, host, *limits):
        """A token whose project has a folder."""
        made = host.token("docs", *limits)
        added = host.call(made["token"], "addResource", folder(self.home))
        self.assertFalse(added["isError"], added)
        return made


class Interface(CloudCase):
    def test_a_bare_call_is_answered_as_the_interface_says(self):
        host = self.host()
        token = self.ready(host)["token"]
        result = host.call(token, "listResources", project="docs")
        self.assertIs(result["isError"], False)
        self.assertEqual([part["type"] for part in result["content"]], ["text"])
        self.assertEqual(json.loads(result["content"][0]["text"])["resources"][0]["name"], "docs")
        answer = host.call(token, "ask", {"question": "What does the parser read?"})
        self.assertIn("reads tokens one at a time", answer["content"][0]["text"])

    def test_without_a_good_token_nothing_is_told(self):
        host = self.host()
        bodies = set()
        revoked = host.token("docs")
        host.manage("tokens", "revoke", revoked["id"])
        for token in ("qry_" + "0" * 64, revoked["token"]):
            status, headers, body = host.post(token, tool("listResources", {}))
            self.assertEqual(status, 401)
            self.assertIn('error="invalid_token"', headers["WWW-Authenticate"])
            bodies.add(json.dumps(body))
        self.assertEqual(len(bodies), 1)
        status, headers, body = host.post(None, tool("listResources", {}))
        self.assertEqual((status, set(body)), (401, {"error", "message"}))
        self.assertNotIn("error=", headers["WWW-Authenticate"])

    def test_two_tenants_with_equal_names(self):
        host = self.host()
        host.project("other")
        one, other = self.ready(host)["token"], host.token("other")["token"]
        self.assertEqual(host.call(other, "listResources")["structuredContent"]["resources"], [])
        for arguments in ({}, {"project": "docs"}):
            foreign = host.call(other, "ask", {"question": "q", "resources": ["docs"], **arguments})
            self.assertTrue(foreign["isError"])
        unknown = host.call(other, "listResources", {"project": "nowhere"})
        foreign = host.call(other, "listResources", {"project": "docs"})
        self.assertEqual(foreign["content"][0]["text"].replace("docs", "nowhere"),
                         unknown["content"][0]["text"])
        added = host.call(other, "addResource", folder(self.home))
        self.assertFalse(added["isError"], added)
        self.assertEqual(len(host.call(one, "listResources")["structuredContent"]["resources"]), 1)

    def test_a_project_can_be_named_where_clients_can_name_it(self):
        host = self.host()
        host.project("api")
        token = host.token("docs", "--project", "api")["token"]
        self.assertFalse(host.call(token, "addResource", {**folder(self.home), "project": "api"})
                         ["isError"])

        def names(headers=None, path="/api/mcp", **params):
            _, _, body = host.post(token, tool("listResources", {}, **params), headers, path)
            return [r["name"] for r in body["result"]["structuredContent"]["resources"]]

        self.assertEqual(names(), [])
        self.assertEqual(names(project="api"), ["docs"])
        self.assertEqual(names(headers={"X-Project": "api"}), ["docs"])
        self.assertEqual(names(path="/api/mcp?project=api"), ["docs"])
        _, _, body = host.post(token, tool("listResources", {}, project="api"), {"X-Project": "docs"})
        self.assertEqual(body["error"]["code"], -32602)
        _, _, body = host.post(token, tool("listResources", {}), None,
                               "/api/mcp?project=api&project=docs")
        self.assertEqual(body["error"]["code"], -32602)

    def test_folders_are_only_those_beneath_the_roots(self):
        host = self.host(root=self.home.path / "shared")
        token = host.token("docs")["token"]
        refused = host.call(token, "addResource", folder(self.home))
        self.assertTrue(refused["isError"])
        self.assertIn("local_roots", json.dumps(refused))

    def test_a_type_of_another_plugin_is_offered_and_added(self):
        host = self.host()
        token = host.token("docs")["token"]
        _, _, body = host.post(token, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        add = next(t for t in body["result"]["tools"] if t["name"] == "addResource")
        members = add["inputSchema"]["properties"]
        self.assertIn("fixture", members["type"]["enum"])
        self.assertTrue(members["source"]["description"].startswith("fixture: "), members)
        added = host.call(token, "addResource", {"type": "fixture", "name": "played",
                                                 "source": str(self.home.path / "played")})
        self.assertFalse(added["isError"], added)
        listed = host.call(token, "listResources")
        self.assertIn("played", [one["name"] for one in
                                 listed["structuredContent"]["resources"]], listed)

    def test_what_a_token_may_not_do_it_does_not_see(self):
        host = self.host()
        reader = host.token("docs", rights="list")["token"]
        status, _, body = host.post(reader, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        self.assertEqual(status, 200)
        self.assertNotIn("addResource", [t["name"] for t in body["result"]["tools"]])
        _, _, forbidden = host.post(reader, tool("ask", {"question": "q"}))
        _, _, unknown = host.post(reader, tool("fly", {"question": "q"}))
        self.assertEqual(forbidden["error"]["code"], -32602)
        self.assertEqual(forbidden["error"]["message"].replace("ask", "fly"),
                         unknown["error"]["message"])


class Limits(CloudCase):
    def test_requests_a_minute(self):
        host = self.host()
        token = host.token("docs", "--requests-per-minute", "3")["token"]
        answers = [host.post(token, tool("listResources", {})) for _ in range(5)]
        refused = [answer for answer in answers if answer[0] == 429]
        # A new minute may begin in between, once.
        self.assertTrue(refused)
        status, headers, body = refused[0]
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)
        self.assertIn("q=3", headers["RateLimit-Policy"])
        self.assertIn("r=0", headers["RateLimit"])
        self.assertEqual(set(body), {"error", "message"})
        self.assertIn("r=2", answers[0][1]["RateLimit"])

    def test_questions_at_once(self):
        model, host = self.played(lambda number: ["half", PlayedModel.HANG, "whole"])
        token = self.ready(host, "--streams", "1")["token"]
        with host.stream(token, tool("ask", {"question": "q"})) as (status, messages):
            self.assertEqual(status, 200)
            wait_until(lambda: model.count == 1, "the model is asked")
            status, headers, _ = host.post(token, tool("ask", {"question": "q"}))
            self.assertEqual(status, 429)
            self.assertTrue(headers["Retry-After"])
            model.release()
            last = list(messages)[-1]
            self.assertFalse(last["result"]["isError"])
        wait_until(lambda: host.post(token, tool("ask", {"question": "q"}))[0] == 200,
                   "the place is free again")

    def test_a_days_money_of_a_token_and_of_a_project(self):
        _, host = self.played(more=PRICED)
        host.project("poor", "--usd-per-day", f"{3 * COST:.5f}")
        rich = host.token("poor")["token"]
        host.call(rich, "addResource", folder(self.home))
        frugal = self.ready(host, "--usd-per-day", f"{3 * COST:.5f}")["token"]
        for token in (rich, frugal):
            answers = [host.call(token, "ask", {"question": "q"}) for _ in range(6)]
            good = [answer for answer in answers if not answer["isError"]]
            self.assertGreaterEqual(len(good), 1)
            self.assertLessEqual(len(good), 3)
            self.assertEqual(answers[-1]["structuredContent"]["tag"], "BudgetError")

    def test_a_token_that_is_revoked_in_mid_stream(self):
        model, host = self.played(lambda number: ["half", PlayedModel.HANG])
        made = self.ready(host)
        with host.stream(made["token"], tool("ask", {"question": "q"})) as (status, messages):
            self.assertEqual(status, 200)
            wait_until(lambda: model.count == 1, "the model is asked")
            host.manage("tokens", "revoke", made["id"])
            last = list(messages)[-1]
        self.assertTrue(last["result"]["isError"])
        self.assertIn("revoked", last["result"]["content"][0]["text"])
        self.assertEqual(host.post(made["token"], tool("listResources", {}))[0], 401)


class Books(CloudCase):
    def test_each_call_is_one_line_of_the_audit(self):
        audit = self.home.path / "audit.jsonl"
        _, host = self.played(more=f'{PRICED}[access]\naudit_file = "{audit}"\n')
        made = self.ready(host)
        host.call(made["token"], "ask", {"question": "a secret question"})
        host.call(made["token"], "listResources")
        for _ in range(3):
            host.post("qry_wrong", tool("listResources", {}))

        def lines():
            text = audit.read_text() if audit.exists() else ""
            return [json.loads(line) for line in text.splitlines()]

        wait_until(lambda: len(lines()) == 4, "a line each, and one for the first that was refused")
        # A question's line waits for its cost, so a later call may precede it.
        line_of = {line["tool"]: line for line in lines()}
        self.assertEqual(set(line_of), {"addResource", "ask", "listResources", ""})
        refused = line_of[""]
        self.assertEqual((refused["token"], refused["status"], refused["peer"]),
                         ("", 401, "127.0.0.1"))
        asked = line_of["ask"]
        self.assertEqual((asked["token"], asked["project"], asked["method"]),
                         (made["id"], "docs", "tools/call"))
        self.assertEqual((asked["status"], asked["cancelled"]), (200, False))
        self.assertEqual((asked["inputTokens"], asked["outputTokens"]), (1000, 10))
        self.assertEqual(float(asked["usd"]), COST)
        self.assertNotIn("secret", audit.read_text())
        self.assertNotIn(made["token"], audit.read_text())
        self.assertEqual(audit.stat().st_mode & 0o777, 0o600)
        host.stop()
        self.assertEqual([line["count"] for line in lines()[4:]], [2])

    def test_the_token_stands_nowhere_but_with_its_bearer(self):
        host = self.host()
        token = self.ready(host)["token"]
        host.call(token, "ask", {"question": "What does the parser read?"})
        code, errors = host.stop()
        self.assertEqual(code, 0)
        self.assertNotIn(token, errors)
        for path in self.home.path.rglob("*"):
            if path.is_file():
                self.assertNotIn(token.encode(), path.read_bytes(), path)


class Restarts(CloudCase):
    def test_what_was_accepted_is_there_after_a_kill(self):
        host = self.host(more="[access]\nmax_resources = 100000\n")
        token = host.token("docs")["token"]
        arguments, numbers = folder(self.home), itertools.count()
        accepted = []

        def add_until_the_kill():
            with contextlib.suppress(OSError, http.client.HTTPException):  # what had no answer is not confirmed
                while True:
                    name = f"r{next(numbers)}"
                    added = host.call(token, "addResource", {**arguments, "name": name})
                    self.assertFalse(added["isError"], added)
                    accepted.append(name)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            running = [pool.submit(add_until_the_kill) for _ in range(8)]
            wait_until(lambda: len(accepted) > 40, "some are accepted")
            host.kill()
            for one in running:
                one.result()
        host.start()
        names = set(host.resources(token))
        self.assertEqual(set(accepted) - names, set())

    def test_a_session_outlives_its_host(self):
        host = self.host(transport="sessions = true")
        token, other = host.token("docs")["token"], host.token("docs")["token"]
        status, headers, _ = host.post(token, {
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                       "clientInfo": {"name": "test", "version": "1"}}})
        self.assertEqual(status, 200)
        session = {"Mcp-Session-Id": headers["Mcp-Session-Id"],
                   "MCP-Protocol-Version": "2025-06-18"}
        host.stop()
        host.start()
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        self.assertEqual(host.post(token, ping, session)[0], 200)
        self.assertEqual(host.post(other, ping, session)[0], 404)


if __name__ == "__main__":
    unittest.main()
