"""The plugins of version 1.0 in a program of today, or of grown headers.

The program is that of QUARRY_BUILD_DIR, and QUARRY_ABI_INCLUDE has the headers that it was built
with."""

import json
import os
import pathlib
import re
import socket
import sys
import unittest

import contract
import frozen_build
from frozen_server import FrozenServer

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from harness import TIMEOUT, TestCase  # pylint: disable=wrong-import-position

MINOR = contract.read(os.environ["QUARRY_ABI_INCLUDE"]).version[1]
TOKEN = "a-frozen-token"
INCOMPLETE = 8  # exit code of an answer that is cut or filtered
OK, NOT_FOUND, REFUSED, CANCELLED, EXPIRED = 0, 2, 3, 7, 8
CONFIGURATION = """
plugin_path = ["{plugins}"]
[plugins.isolation]
"org.example.frozen" = "{isolation}"
"org.example.frozen-transport" = "none"
[network]
private_hosts = ["127.0.0.1"]
[resource_type.frozen-pages]
greeting = "Hello"
[transport.rest]
enabled = false
[transport.frozen-lines]
socket = "{home}/socket"
[model]
provider = "frozen-exchange"
name = "frozen-1"
base_url = "{url}"
api_key = {{ env = "FROZEN_TOKEN" }}
[[resource]]
type = "frozen-pages"
name = "frozen"
base = "{url}"
token = {{ env = "FROZEN_TOKEN" }}
[[resource]]
type = "frozen-folder"
name = "folder"
path = "{home}/folder"
"""


class Frozen(TestCase):
    """Each test has the server, a home and the plugins."""

    isolation = "process"

    def setUp(self):
        super().setUp()
        self.plugins = frozen_build.built()
        self.server = FrozenServer()
        self.addCleanup(self.server.stop)
        self.home.environment["FROZEN_TOKEN"] = TOKEN
        self.folder = self.home.path / "folder"
        self.folder.mkdir()
        (self.folder / "README.md").write_text("The frozen zebra is striped by default.\n")
        self.configure()

    def configure(self, **more):
        values = {"plugins": self.plugins, "isolation": self.isolation, "home": self.home.path,
                  "url": self.server.url, **more}
        self.home.write("quarry.toml", CONFIGURATION.format(**values))

    def call(self, component, *arguments, code=0):
        """The JSON object of `quarry plugins run`."""
        result = self.home.run("plugins", "run", "--json", self.plugins / "frozen", "--component",
                               component, *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return {**json.loads(result.stdout), "log": result.stderr}

    def run_ask(self, question, *arguments, model="exchange", resource="frozen"):
        result = self.home.run("ask", "--json", "--set", f"model.provider=frozen-{model}", "-r",
                               resource, *arguments, question)
        self.assertTrue(result.stdout, result.stderr)
        return result

    def ask(self, question, *arguments, **options):
        """(the last event, the status) of a question."""
        result = self.run_ask(question, *arguments, **options)
        return json.loads(result.stdout.splitlines()[-1]), result.returncode

    def sync(self):
        """Asks about the state of the source now; an older one is no success."""
        result = self.run_ask("zebra?", "--sync")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn('"stale"', result.stdout)

    def report(self):
        """The lines of report.md in the newest snapshot, joined."""
        self.ask("report?")
        text = self.server.requests[-1][0]["messages"][-1]["text"]
        return [json.loads(line) for line in re.findall(r"^(?:.*:)?\d+: (\{.*)$", text, re.M)]


class Resources(Frozen):
    def test_a_fetch_uses_the_whole_tree(self):
        to = self.home.path / "to"
        said = self.call("frozen-pages", "fetch", "frozen", "--to", to)
        files = {file.pop("path"): file for file in said["value"]["files"]}
        self.assertEqual(sorted(files), [
            "README.md", "described.md", "from-scratch.md", "job-1.md", "job-2.md", "job-3.md",
            "job-4.md", "kept.md", "large.bin", "link", "report.md"])
        self.assertEqual(files["described.md"], {
            "bytes": 12, "mediaType": "text/markdown", "title": "The described file",
            "permalink": "https://frozen.example/described#{start}-{end}"})
        self.assertEqual((files["large.bin"]["leftOut"], files["link"]["leftOut"]),
                         ("too large", "a link"))
        self.assertTrue((to / "README.md").read_text().startswith("Hello\n"), "its configuration")
        self.assertEqual(said["value"]["metadata"], {
            "generated": ["report.md"], "notes": ["The frozen pages are not complete."],
            "permalink": "https://frozen.example/{version}/{path}#L{start}-L{end}",
            "state": {"etag": '"edition-1"'}})
        self.assertEqual(said["value"]["version"], {
            "display": "the first edition", "id": "edition-1", "immutable": True,
            "integrity": "sha256-frozen", "resource": {"edition": "first"}})
        self.assertEqual(said["progress"], [{"done": 1, "message": "resolving", "total": 2}])
        lines = (to / "report.md").read_text().splitlines()
        self.check_report([json.loads(line) for line in lines])
        self.check_log(said["log"])

    def check_report(self, lines):
        report = {name: line for line in lines for name in [next(iter(line))]}
        secrets = [line for line in lines if "secrets.get" in line]
        programs = [line for line in lines if "process.run" in line]
        permits = [line for line in lines if "http.permit" in line]
        self.assertEqual(report["keep_file"], {"keep_file": NOT_FOUND})
        self.assertEqual(report["log.enabled"]["log.enabled"], 1)
        self.assertTrue(report["metrics"]["metrics"])
        self.assertEqual(report["paths.cache"], {"paths.cache": 1, "paths.data": 1})
        self.assertEqual(report["clock.sleep"], {"clock.sleep": OK, "steady": 1, "wall": 1})
        self.assertEqual(report["call.deadline"],
                         {"call.deadline": EXPIRED, "remaining": 1, "cancelled": CANCELLED})
        self.assertIsNone(report["call.forged"]["call.forged"])
        self.assertEqual(secrets, [{"secrets.get": OK, "size": len(TOKEN)},
                                   {"secrets.get": REFUSED, "size": 0}])
        self.assertEqual(programs, [
            {"process.run": OK, "value": {"exit": 3}, "output": "some inputice\n/\n",
             "error": "error\n"},
            {"process.run": OK, "value": {"signal": 9}, "output": "", "error": ""},
            {"process.run": REFUSED, "value": None, "output": "", "error": ""}])
        self.assertEqual(report["work.jobs"],
                         {"work.jobs": 4, "status": OK, "loop": 1, "concurrency": 1})
        self.assertEqual(report["http.send"], {"http.send": OK, "redirected": 1})
        self.assertEqual(report["http.post"],
                         {"http.post": OK, "status": 200, "headers": True, "body": "a body"})
        first, second, third = report["http.send_all"]["value"]["responses"]
        self.assertEqual((first["status"], third["status"]), (200, 200))
        self.assertEqual(second["failure"]["details"]["host"], "forbidden.example")
        self.assertEqual(permits[0]["value"]["addresses"], ["127.0.0.1"])
        self.assertEqual((permits[1]["http.permit"], permits[1]["value"]["refusedBy"]),
                         (REFUSED, "manifest"))

    def check_log(self, text):
        for line in ("debug {}: opened by", "debug {}: closed", "info {}: frozen information",
                     "warning {}: frozen warning", "error {}: frozen error"):
            self.assertIn(line.format("org.example.frozen"), text)
        self.assertIn(f"contract 1.{MINOR}", text)
        self.assertNotIn("hidden-by-the-frozen-plugin", text)

    def test_failures_keep_their_words_and_fields(self):
        def pages(edition):
            return json.dumps({"base": self.server.url, "edition": edition})
        lost = self.call("frozen-pages", "normalise", pages("lost"), code=1)
        self.assertEqual(lost["outcome"], "invalid_argument")
        self.assertIn("the edition was lost", lost["error"]["message"])
        self.assertEqual(lost["error"]["hint"], "name another edition")
        self.assertEqual(lost["error"]["fields"], [{"field": "/edition", "message": "was lost"}])
        outside = self.call("frozen-pages", "fetch", pages("outside"), code=1)
        self.assertIn("../outside", outside["error"]["message"])
        self.server.version = ""
        damaged = self.call("frozen-pages", "resolve", pages("first"), code=1)
        self.assertEqual(damaged["outcome"], "data_loss")

    def test_create_refuses_its_configuration(self):
        table = self.home.path / "table.json"
        table.write_text('{"greeting": "none"}')
        refused = self.call("frozen-pages", "describe", "--configuration", table, code=3)
        self.assertIn("\"greeting\" is none", refused["error"]["message"])
        self.assertEqual(refused["error"]["hint"], "set another one")

    def test_an_unchanged_source_costs_one_conditional_request(self):
        self.sync()
        self.server.seen.clear()
        self.sync()
        asked = [headers for path, headers in self.server.seen if path != "/step"]
        self.assertEqual([headers.get("If-None-Match") for headers in asked], ['"edition-1"'])
        self.assertEqual(asked[0]["Authorization"], f"Bearer {TOKEN}")

    def test_the_next_version_keeps_a_file_of_the_last(self):
        self.sync()
        self.server.version = "edition-2"
        self.sync()
        report = self.report()
        self.assertIn({"last": True}, report)
        self.assertIn({"keep_file": OK}, report)

    def test_a_reference_is_recognised(self):
        done, code = self.ask("zebra?", resource=f"frozen-pages:{self.server.url}")
        self.assertEqual((done["type"], code), ("done", 0), done)

    def test_a_folder_is_read_in_place(self):
        value = self.call("frozen-folder", "fetch", "folder")["value"]
        self.assertEqual(value["inPlace"], str(self.folder))

    def test_values_of_the_guaranteed_sizes_are_accepted(self):
        resource = json.dumps({"base": self.server.url})
        said = self.call("frozen-limits", "fetch", resource, "--to", self.home.path / "to")
        self.assertEqual(said["progress"][0]["message"], "the largest progress")
        files = [file["path"] for file in said["value"]["files"]]
        self.assertEqual((max(map(len, files)), max(path.count("/") for path in files)), (1024, 63))
        self.assertGreater(len(files), 6000)
        self.assertEqual([len(note) for note in said["value"]["metadata"]["notes"]], [300] * 20)
        self.assertEqual(len(said["value"]["metadata"]["state"]), (64 << 10) - 2)
        report = (self.home.path / "to/report.md").read_text().splitlines()
        self.assertEqual([json.loads(line) for line in report],
                         [{"version": 1, "last": 0}, {"headers": 256, "status": OK},
                          {"requests": OK}])

    def test_a_failure_of_the_guaranteed_sizes_is_complete(self):
        error = self.call("frozen-limits", "normalise", '{"refused": true}', code=1)["error"]
        self.assertIn("s" * 4096, error["message"])
        self.assertEqual((len(error["hint"]), len(error["fields"])), (4096, 100))


class Models(Frozen):
    def check_answer(self, model, resource="frozen"):
        done, code = self.ask("zebra?", model=model, resource=resource)
        self.assertEqual((done["type"], code), ("done", 0), done)
        self.assertEqual(done["text"], "The zebra is striped.")
        self.assertEqual(done["reasoning"], "The README may tell.")
        usage = done["usage"]
        self.assertEqual((usage["inputTokens"], usage["outputTokens"], usage["reasoningTokens"]),
                         (3000, 150, 20))
        # 2,700 of input, 200 read from a cache, 100 written to it, 150 of output
        self.assertAlmostEqual(done["metrics"]["pricing"]["costUsd"]["total"],
                               (2700 * 1 + 200 * .5 + 100 * 2 + 150 * 10) / 1e6)
        self.assertIn("the frozen catalogue", json.dumps(done["metrics"]["pricing"]))

    def test_a_generator_answers_with_tools_kept_values_usage_and_price(self):
        self.check_answer("generate")

    def test_an_exchange_does_the_same(self):
        self.check_answer("exchange")
        headers = [headers for path, headers in self.server.seen if path == "/step"]
        self.assertEqual({each["Authorization"] for each in headers}, {f"Bearer {TOKEN}"})

    def test_a_generator_finishes_or_fails_in_each_way(self):
        for question, text in (("too long?", "This is too"), ("filtered?", "This is")):
            done, code = self.ask(question, model="generate")
            self.assertEqual((done["text"], code), (text, INCOMPLETE), done)
        for question, message in (("out of ice?", "the frozen model is out of ice"),
                                  ("longest message?", "m" * (16 << 10))):
            failed, code = self.ask(question, model="generate")
            self.assertNotEqual(code, 0)
            self.assertIn(message, failed["message"])

    def test_the_most_tool_calls_of_a_step(self):
        done, code = self.ask("largest step?", model="generate")
        self.assertEqual((done["type"], code), ("done", 0), done)
        self.assertEqual(len(done["tools"]), 128)

    def test_an_exchange_is_retried_and_fails_in_each_way(self):
        done, code = self.ask("limited?")
        self.assertEqual((done["type"], code), ("done", 0), done)
        self.assertEqual(self.server.counts["limited"], 3)
        for question, message in (("refused?", "HTTP 403: not for you"),
                                  ("cut?", "the response was cut"),
                                  ("not begun?", "this question is not begun")):
            failed, code = self.ask(question)
            self.assertEqual((failed["type"], code == 0), ("error", False), failed)
            self.assertIn(message, failed["message"])

    def test_the_most_headers_of_a_request(self):
        done, _ = self.ask("most headers?")
        self.assertEqual(done["type"], "done", done)
        self.assertGreaterEqual(self.server.requests[-1][1], 100)

    def test_lists_and_rates(self):
        self.assertEqual(self.call("frozen-generate", "models")["value"],
                         [{"id": "frozen-1", "contextTokens": 128000}])
        described = self.call("frozen-generate", "describe")["value"]
        self.assertEqual(described["vendor"], "frozen-vendor")
        rates = self.call("frozen-prices", "rates", "frozen-vendor", "frozen-1")["value"]
        self.assertEqual(rates["tiers"], [{"above": 200000, "input": "3"}])
        self.assertIsNone(self.call("frozen-prices", "rates", "frozen-vendor", "other")["value"])
        self.assertEqual(self.call("frozen-prices", "refresh")["value"],
                         {"changed": True, "nextMs": 86400000})


class ResourcesInProcess(Resources):
    isolation = "none"
    test_values_of_the_guaranteed_sizes_are_accepted = None  # a runner has all of these and more


class ModelsInProcess(Models):
    isolation = "none"


class LaterKind(Frozen):
    """The plugin with a component of a kind that this program does not know."""

    def setUp(self):
        super().setUp()
        self.later = frozen_build.build_later(self.home.path / "later").parent
        self.configure(plugins=self.later)

    def test_its_other_components_are_used(self):
        answer, code = self.ask("zebra?")
        self.assertEqual((answer["type"], code), ("done", 0), answer)
        shown = self.home.run("plugins", "show", "org.example.frozen")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn('"frozen-later" (a kind that this host does not know)', shown.stdout)
        validated = self.home.run("plugins", "validate", self.later / "frozen")
        self.assertNotIn("frozen-later", validated.stderr)


class LaterKindInProcess(LaterKind):
    isolation = "none"


class Transport(Frozen):
    def setUp(self):
        super().setUp()
        self.process = self.home.start("serve")
        self.addCleanup(self.stop)
        self.assertIn(b"unix:", self.process.stdout.readline())
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.settimeout(TIMEOUT)
        client.connect(f"{self.home.path}/socket")
        self.lines = client.makefile("rw")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.communicate(timeout=TIMEOUT)

    def send(self, line):
        self.lines.write(line + "\n")
        self.lines.flush()

    def call(self, line):
        self.send(line)
        kind, _, rest = self.lines.readline().partition(" ")
        return kind, rest

    def events(self, question, after=0):
        self.send(f"events {question} {after}")
        found = []
        while (line := self.lines.readline().strip()) != "end":
            _, number, kind, text = line.split(" ", 3)
            found.append((int(number), kind, json.loads(text)))
        return found

    def test_methods_events_and_cancellation(self):
        kind, value = self.call("call health {}")
        self.assertEqual((kind, json.loads(value)["ready"]), ("value", True))
        self.assertEqual(self.call("call nothing {}")[1].split()[0], str(NOT_FOUND))
        kind, value = self.call('call question.ask {"question": "zebra?", "resources": ["frozen"]}')
        self.assertEqual(kind, "value", value)
        question = json.loads(value)["id"]
        events = self.events(question)
        self.assertEqual([number for number, _, _ in events], list(range(1, len(events) + 1)))
        kinds = [kind for _, kind, _ in events]
        self.assertEqual((kinds.count("meta"), kinds[-1]), (1, "done"))
        self.assertEqual(events[-1][2]["text"], "The zebra is striped.")
        self.assertEqual(self.events(question, after=2), events[2:])
        self.assertEqual(self.call("events nothing 0")[1].split()[0], str(NOT_FOUND))
        self.server.answers.clear()
        kind, value = self.call("cancel resources.sync {}")
        self.server.answers.set()
        # Late enough, the value has a row for each resource, which was cancelled.
        told = f"{CANCELLED} " if kind == "failure" else '"code":"cancelled"'
        self.assertIn(told, value)

    def test_a_stop_ends_a_stream_and_the_program(self):
        _, value = self.call('call question.ask {"question": "endless?", "resources": ["folder"]}')
        self.send(f"events {json.loads(value)['id']} 0")
        self.assertIn("event 1 ", self.lines.readline())
        self.process.terminate()
        self.stop()
        self.assertEqual(self.process.returncode, 0)
        self.assertFalse((self.home.path / "socket").exists())


class Refused(TestCase):
    """Plugins that this program must not load."""

    def refuse(self, include=frozen_build.INCLUDE, options=(), change=lambda text: text):
        folder = self.home.path / "plugins"
        frozen_build.build_plugin("transport", folder, include, options, change)
        self.home.write("quarry.toml", f'plugin_path = ["{folder}"]\n[plugins.isolation]\n'
                                       '"org.example.frozen-transport" = "none"\n')
        listed = json.loads(self.home.run("plugins", "list", "--json").stdout)
        self.assertEqual(len(listed["problems"]), 1, listed["problems"])
        return json.dumps(listed["problems"])

    def test_a_later_minor_is_needed(self):
        options = [f"-DQUARRY_MINIMUM_HOST_MINOR={MINOR + 1}u"]
        said = self.refuse(options=options, change=lambda text: text.replace(
            'minimum = "1.0"', f'minimum = "1.{MINOR + 1}"'))
        self.assertIn(f"needs version 1.{MINOR + 1} of the plugin contract, "
                      f"this host offers 1.{MINOR}", said)
        self.assertIn("update quarry", said)

    def test_the_code_needs_a_later_minor_than_its_manifest_tells(self):
        said = self.refuse(options=[f"-DQUARRY_MINIMUM_HOST_MINOR={MINOR + 1}u"])
        self.assertIn(f"needs version 1.{MINOR + 1} of the plugin contract", said)

    def test_another_major(self):
        include = frozen_build.include_with(self.home.path / "include", QUARRY_ABI_MAJOR="2u")
        said = self.refuse(include, change=lambda text: text.replace('"1.0"', '"2.0"'))
        self.assertIn("is built for version 2.0 of the plugin contract", said)

    def test_the_code_has_another_major_than_its_manifest_tells(self):
        include = frozen_build.include_with(self.home.path / "include", QUARRY_ABI_MAJOR="2u")
        self.assertIn("is built for version 2.0 of the plugin contract", self.refuse(include))


if __name__ == "__main__":
    unittest.main()
