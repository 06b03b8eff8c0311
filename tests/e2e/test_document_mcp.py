"""The samples and tables of docs/mcp.md, compared with a real server."""

import http.client
import json
import re
import time
import unittest

import test_document_http_api
from cloud_harness import Host, folder, tool
from document_harness import DocumentCase
from harness import SOURCE, TIMEOUT, wait_until
from test_document_http_api import PlayedGemini, names, searching, shape, waiting

URL = "http://127.0.0.1:8081"
SERVE = ("transport.mcp.enabled=true", "transport.mcp.listen=127.0.0.1:0",
         "transport.rest.enabled=false")
LEGACY = {"MCP-Protocol-Version": "2025-06-18"}
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}}


def source(name):
    return (SOURCE / name).read_text()


def request(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def members_of_resources():
    """The members of all types, by the table of docs/http-api.md."""
    table = test_document_http_api.rows_of(source("docs/http-api.md"), "| type | required |")
    return set().union(*(names("".join(cells[1:]))[0] for cells in table))


# Of the types that only tests have.
MEMBERS_OF_FIXTURES = {"source", "place", "distance", "season", "backAgain", "trails"}


class Mcp(DocumentCase):
    document = "docs/mcp.md"
    rows = test_document_http_api.HttpApi.rows

    def host(self, script=None, **more):
        """A host with a project "docs", which a token with all rights has given a folder."""
        if script:
            self.model = PlayedGemini(script)
            self.addCleanup(self.model.stop)
            more["model"] = ""
            more["more"] = self.model.configuration + more.get("more", "")
        host = Host(self.home, **more)
        host.project("docs")
        host.start()
        self.addCleanup(host.stop)
        self.made = host.token("docs", rights="ask,list,add,read")
        self.token = self.made["token"]
        arguments = folder(self.home)
        (self.home.path / "docs/dates.md").write_text("# Dates\n\nDates are parsed by parse_date.\n")
        added = host.call(self.token, "addResource", arguments)
        self.assertFalse(added["isError"], added)
        return host

    def send(self, host, method, path, headers, body=None):
        """(status, headers, text) of any request."""
        connection = http.client.HTTPConnection("127.0.0.1", host.port, timeout=TIMEOUT)
        self.addCleanup(connection.close)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode()

    def status_of(self, host, method, path="/api/mcp", token=None, body=None, **headers):
        """The status and the body of a refusal, whose name has to be that of the table."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        status, _, text = self.send(host, method, path, headers, body)
        named = {int(cells[0]): cells[1].strip("`") for cells in self.rows("| status | name |")}
        if status >= 400:
            body = json.loads(text)
            self.assertEqual(set(body), {"error", "message"})
            self.assertEqual(body["error"], named[status])
        return status

    def http_sample(self, word):
        """(first line, headers, body) of an http sample."""
        head, _, body = self.take("http", word).text.partition("\n\n")
        first, *fields = head.splitlines()
        return first, dict(field.split(": ", 1) for field in fields), body

    def test_it_is_used_by_editors_as_shown(self):
        setup, speak, carry = self.take("sh", "quarry mcp setup").commands()
        self.assertIn("--write", self.shell(setup).stderr)
        ping = json.dumps(request("ping"))
        self.assertEqual(json.loads(self.run_shell(f"echo '{ping}' | {speak}")),
                         {"jsonrpc": "2.0", "id": 1, "result": {}})
        host = self.host()
        self.home.environment["QUARRY_TOKEN"] = self.token
        carry = carry.replace("https://ask.example.org", f"http://127.0.0.1:{host.port}")
        call = json.dumps(tool("listResources", {}))
        self.assertIn('"docs"', self.run_shell(f"echo '{call}' | {carry}"))
        self.home.environment["QUARRY_TOKEN"] = "wrong"
        failed = json.loads(self.run_shell(f"echo '{call}' | {carry}"))
        self.assertEqual(failed["error"]["code"], -32000)

    def test_the_clients_are_those_that_setup_knows(self):
        listed = re.search(r"`mcp setup` knows (.*?), and changes", self.text, re.S).group(1)
        known = re.findall(r'^      \{"([a-z-]+)", "', source("host/cli/mcp/mcp_clients.cpp"), re.M)
        self.assertEqual(sorted(re.findall(r"`([a-z-]+)`", listed)), sorted(known))

    def test_the_server_is_used_as_shown(self):
        project, token, serve, curl = self.take("sh", "quarry projects create").commands()
        self.assertEqual(serve, f"quarry serve --set {SERVE[0]}")
        for command in (project, token):
            self.run_shell(command)
        options = [word for value in SERVE for word in ("--set", value)]
        server = self.home.start("serve", *options)
        self.addCleanup(server.communicate)
        self.addCleanup(server.terminate)
        url = re.search(r"http://\S+", server.stdout.readline().decode()).group()
        self.assertIn('"isError":false', self.run_shell("curl -s" + curl[4:].replace(URL, url)))

    def test_the_routes_are_those_of_the_server(self):
        listed = {(cells[0], cells[1].strip("`")) for cells in self.rows("| method | path |")}
        surface = source("plugins/mcp_server/surface.cpp")
        paths = set(re.findall(r'path == "(/\w+)"', surface)) | {"/api/mcp"}
        self.assertEqual({path for _, path in listed}, paths)
        allowed = re.search(r'"Allow: (POST, [^\\]*)', surface).group(1)
        self.assertEqual({method for method, path in listed if path == "/api/mcp"},
                         set(allowed.split(", ")))
        host = self.host()
        metrics = host.token("docs", rights="metrics")["token"]
        for path, token, status in (("/livez", None, 200), ("/readyz", None, 200),
                                    ("/metrics", metrics, 200), ("/metrics", self.token, 403),
                                    ("/metrics", None, 401)):
            self.assertEqual(self.status_of(host, "GET", path, token), status, path)
        for method, status in (("GET", 405), ("DELETE", 405), ("OPTIONS", 204)):
            self.assertEqual(self.status_of(host, method, token=self.token), status, method)

    def test_the_tools_are_those_that_are_listed(self):
        host = self.host()
        _, _, body = host.post(self.token, request("tools/list"))
        listed = self.rows("| tool | right |")
        self.assertEqual([cells[0].strip("`") for cells in listed],
                         [one["name"] for one in body["result"]["tools"]])
        for (name, right, arguments, structured), real in zip(listed, body["result"]["tools"]):
            told, optional = names(arguments)
            for member, rule in real["inputSchema"]["properties"].items():
                self.assertIn("type", rule, f"{name} {member}")
                self.assertEqual(rule["type"] == "object", "properties" in rule, f"{name} {member}")
            if name == "`addResource`":
                others = members_of_resources() - told
                told, optional = told | others, optional | others
            taken = set(real["inputSchema"]["properties"])
            self.assertEqual(told, taken - MEMBERS_OF_FIXTURES)
            self.assertEqual(told - optional, set(real["inputSchema"]["required"])
                             if "required" in real["inputSchema"] else set())
            if name != "`addResource`":
                told, _ = names(structured)
                self.assertEqual(told, set(real["outputSchema"]["properties"]) -
                                 {"tag", "message", "hint"})
            seen = host.post(host.token("docs", rights=right.strip("`"))["token"],
                             request("tools/list"))[2]["result"]["tools"]
            self.assertEqual([one["name"] for one in seen],
                             [cells[0].strip("`") for cells in listed if cells[1] == right])

    def test_the_rights_are_those_of_the_program(self):
        listed = {cells[0].strip("`") for cells in self.rows("| right | permits |")}
        schema = source("host/engine/access_requests.cpp")
        known = re.search(r'"rights".*?"enum": \[(.*?)\]', schema, re.S).group(1)
        self.assertEqual(listed, set(re.findall(r'"(\w+)"', known)))
        self.assertRegex(self.host().token("docs")["token"], r"^qry_[0-9a-f]{64}$")

    def test_the_methods_are_those_of_the_program(self):
        rows = re.findall(r'\{"([A-Za-z/]+)", Eras::k(\w+), &Methods::\w+\}',
                          source("plugins/mcp_server/methods.cpp"))
        listed = {cells[1]: set(re.findall(r"`([^`]+)`", cells[0]))
                  for cells in self.rows("| JSON-RPC method |")}
        for callers, eras in (("all", "Both"), ("not 2026-07-28", "Legacy"),
                              ("2026-07-28 only", "Modern")):
            self.assertEqual(listed[callers], {name for name, each in rows if each == eras})
        versions = re.findall(r'"(\d{4}-\d\d-\d\d)"', source("plugins/mcp_server/era.h"))
        self.assertEqual(sorted(set(versions)),
                         sorted(set(re.findall(r"(?<!\")\d{4}-\d\d-\d\d(?!T)", self.text))))

    def test_a_request_of_the_newest_revision_is_sent_as_shown(self):
        first, headers, body = self.http_sample("Mcp-Method")
        method, path, _ = first.split()
        host = self.host(searching)
        headers["Authorization"] = headers["Authorization"].replace("TOKEN", self.token)
        host.call(self.token, "ask", {"question": "q"})  # reads the folder, which is progress too
        status, answered, text = self.send(host, method, path, headers, body)
        self.assertEqual((status, answered["Content-Type"]), (200, "text/event-stream"), text)
        events = re.search(r"^```text\n(: open.*?)^```$", self.text, re.M | re.S).group(1)
        self.assertTrue(text.startswith(events.split("event:")[0]))
        shown = [json.loads(line[6:]) for line in events.splitlines() if line.startswith("data: ")]
        real = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
        for message in shown:
            number = int(message["params"]["progress"])
            self.assertEqual(message, real[number - 1])
        result = real[-1]["result"]
        self.assertEqual(set(re.findall(r"`(\w+)`", re.search(
            r"Responses to 2026-07-28 also have (.*?) in `result`", self.text).group(1))),
            set(result) - {"content", "structuredContent", "isError"})
        for missing in ("Mcp-Method", "Mcp-Name", "MCP-Protocol-Version"):
            fewer = {name: value for name, value in headers.items() if name != missing}
            _, _, text = self.send(host, method, path, fewer, body)
            self.assertEqual(json.loads(text)["error"]["code"], -32020, missing)

    def test_a_result_looks_as_shown(self):
        shown = json.loads(self.take("json", '"structuredContent"').text)
        host = self.host(searching)
        _, _, real = host.post(self.token, tool("ask", {"question": "q"}, 7))
        real["result"]["structuredContent"]["metrics"].pop("pricing")
        self.assertEqual(shape(shown), shape(real))
        for answer in (shown, real):
            rest = json.loads(answer["result"]["content"][1]["text"])
            self.assertEqual(set(rest), set(shown["result"]["structuredContent"]) - {"answer"})

    def test_names_and_statuses_are_those_of_the_program(self):
        known = dict(re.findall(r'case (\d{3}):\n +return "(\w+)";',
                                source("plugins/mcp_server/surface.cpp")))
        listed = {cells[0]: cells[1].strip("`") for cells in self.rows("| status | name |")}
        self.assertEqual(listed, {**known, "500": "internal_error"})
        host = self.host()
        json_type = {"Content_Type": "application/json"}
        for status, arguments, headers in (
                (400, ("POST", "/api/mcp", self.token, "{"), json_type),
                (401, ("POST", "/api/mcp", None, "{}"), json_type),
                (401, ("POST", "/api/mcp", "wrong", "{}"), json_type),
                (403, ("POST", "/api/mcp", self.token, "{}"), {"Host": "a.example", **json_type}),
                (404, ("POST", "/other", self.token, "{}"), json_type),
                (405, ("PUT", "/api/mcp", self.token, "{}"), json_type),
                (406, ("POST", "/api/mcp", self.token, "{}"), {"Accept": "text/html", **json_type}),
                (413, ("POST", "/api/mcp", self.token, " " * (1 << 20) + "{}"), json_type),
                (415, ("POST", "/api/mcp", self.token, "{}"), {"Content_Type": "text/plain"}),
                (431, ("POST", "/api/mcp", self.token, "{}"), {"X_Long": "x" * 20000})):
            self.assertEqual(self.status_of(host, *arguments, **headers), status)

    def test_codes_are_those_of_the_table(self):
        header = source("plugins/mcp_server/message.h")
        known = set(re.findall(r"constexpr int k\w+ = (-\d+);", header)) - {"-32021"}
        listed = {cells[0] for cells in self.rows("| code | cause |")}
        self.assertEqual(listed, known | {"-32002"})
        host = self.host()
        modern = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "ping"}
        old = {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}
        for code, status, message, headers in (
                (-32700, 400, None, LEGACY), (-32600, 400, [], LEGACY),
                (-32600, 400, request("ping", 1.5), LEGACY),
                (-32600, 400, [request("ping")], LEGACY),
                (-32601, 200, request("nothing"), LEGACY),
                (-32601, 404, request("ping", _meta=MODERN), modern),
                (-32602, 200, tool("nothing", {}), {}),
                (-32602, 200, tool("listResources", {"project": "docs"}, project="b"), {}),
                (-32002, 200, request("resources/read", uri="quarry://resources/x"), LEGACY),
                (-32020, 400, request("tools/list", _meta=MODERN), {}),
                (-32022, 400, request("tools/list", _meta=old), {
                    "MCP-Protocol-Version": "2027-01-01", "Mcp-Method": "tools/list"})):
            body = "{" if message is None else json.dumps(message)
            answered, _, text = self.send(host, "POST", "/api/mcp", {
                "Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                **headers}, body)
            self.assertEqual((json.loads(text)["error"]["code"], answered), (code, status), text)

    def test_tool_errors_have_a_tag_a_message_and_a_hint(self):
        host = self.host()
        for arguments, tag in (({}, "RequestError"), ({"question": "q", "resources": ["x"]},
                                                      "CollectionError"),
                               ({"question": "q", "project": "x"}, "ProjectError")):
            result = host.call(self.token, "ask", arguments)
            self.assertIs(result["isError"], True)
            self.assertEqual(set(result["structuredContent"]), {"tag", "message", "hint"})
            self.assertIn(result["structuredContent"]["message"], result["content"][0]["text"])
            self.assertEqual(result["structuredContent"]["tag"], tag)

    def test_a_limit_is_told_as_shown(self):
        first, headers, body = self.http_sample("RateLimit")
        host = self.host()
        token = host.token("docs", "--requests-per-minute", "1")["token"]
        refused = next(answer for _ in range(5)
                       if (answer := host.post(token, tool("listResources", {})))[0] == 429)
        self.assertEqual(first.split()[1], "429")
        self.assertEqual(json.loads(body)["error"], refused[2]["error"])
        self.assertIn(json.loads(body)["message"], source("plugins/mcp_server/admission.cpp"))
        for name, value in headers.items():
            digits = re.compile(r"\d+")
            self.assertEqual(digits.sub("0", value), digits.sub("0", refused[1][name]), name)

    def test_questions_at_once_are_limited_and_cancelled_as_told(self):
        host = self.host(waiting)
        token = host.token("docs", "--streams", "1")["token"]
        with host.stream(token, tool("ask", {"question": "q"}, 5)) as (status, messages):
            wait_until(lambda: self.model.count == 1, "the model is asked")
            status, headers, _ = host.post(token, tool("ask", {"question": "q"}))
            self.assertEqual((status, headers["Retry-After"]), (429, "5"))
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled",
                      "params": {"requestId": 5}}
            self.assertEqual(host.post(token, cancel)[0], 202)
            self.assertEqual([one for one in messages if "id" in one], [])

    def test_wrong_tokens_of_one_address_wait(self):
        host = self.host()
        free = re.search(r"\| wrong tokens of an address \| (\d+),", self.text).group(1)
        guesses = 0
        began = time.monotonic()
        while (status := host.post(f"wrong-{guesses}", tool("listResources", {}))[0]) == 401:
            guesses += 1
        self.assertEqual(status, 429)
        late = guesses - int(free) - 1  # each permitted after twice the wait of the one before, the first after 1 s
        self.assertGreaterEqual(late, 0)
        self.assertLessEqual(2 ** late - 1, time.monotonic() - began)
        self.assertEqual(host.post(self.token, tool("listResources", {}))[0], 200)

    def test_a_session_is_given_and_ended_as_told(self):
        host = self.host(transport="sessions = true")
        _, headers, body = host.post(self.token, request(
            "initialize", protocolVersion="1999-01-01", capabilities={},
            clientInfo={"name": "test", "version": "1"}))
        self.assertEqual(body["result"]["protocolVersion"], "2025-11-25")
        session = {"Mcp-Session-Id": headers["Mcp-Session-Id"],
                   "Authorization": f"Bearer {self.token}"}
        days = (int(session["Mcp-Session-Id"].split(".")[1]) - time.time()) / 86400
        self.assertIn(f"valid for {round(days)} days", self.text)
        self.assertEqual([self.send(host, "DELETE", "/api/mcp", session)[0] for _ in range(2)],
                         [200, 404])

    def test_proxies_are_configured_as_shown(self):
        text = self.take("toml", "[transport.mcp]").text
        self.home.write("quarry.toml", text)
        self.run_shell("quarry config check")
        keys = re.findall(r"^(?:# )?(\w+) =", text, re.M)
        schema = json.loads(source("plugins/transport-mcp/schema.json"))["properties"]
        self.assertLessEqual(set(keys) - {"enabled"}, set(schema))
        others = (SOURCE / "docs/http-api.md").read_text()
        for key in schema:
            self.assertTrue(key == "threads" or f"`{key}" in self.text + others or key in keys, key)
        host = self.host(transport='trusted_proxies = ["127.0.0.1"]')
        self.assertEqual(self.status_of(host, "POST", token=self.token, body="{}",
                                        X_Forwarded_Proto="http"), 403)
        self.assertEqual(host.post(self.token, tool("listResources", {}),
                                   {"X-Forwarded-Proto": "https"})[0], 200)

    def test_the_keys_of_the_local_transport_are_named(self):
        schema = json.loads(source("plugins/transport-mcp/stdio_schema.json"))["properties"]
        for key in schema:
            self.assertIn(f"`{key}`", self.text)

    def test_an_audit_line_looks_as_shown(self):
        shown = json.loads(self.take("json", '"at"').text)
        audit = self.home.path / "audit.jsonl"
        host = self.host(searching, more=f'[access]\naudit_file = "{audit}"\n')
        host.call(self.token, "ask", {"question": "q"})
        host.post("wrong", tool("listResources", {}))

        def lines():
            text = audit.read_text() if audit.exists() else ""
            return [json.loads(line) for line in text.splitlines()]

        wait_until(lambda: len(lines()) == 3, "a line each")
        line = next(line for line in lines() if line["tool"] == "ask")
        self.assertEqual({name: type(value) for name, value in shown.items()},
                         {name: type(value) for name, value in line.items()})
        refused = next(line for line in lines() if line["status"] == 401)
        self.assertEqual((refused["token"], refused["peer"]), ("", "127.0.0.1"))
        written = re.findall(r'(?:\{|line\[)"(\w+)"', source("host/access/audit_trail.cpp"))
        for name in written:
            self.assertTrue(name in shown or f"`{name}`" in self.text, name)


if __name__ == "__main__":
    unittest.main()
