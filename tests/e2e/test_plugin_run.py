"""`quarry plugins run`: one function of a plugin that is not installed, of each kind."""

import http.server
import json
import os
import pathlib
import signal
import threading
import unittest

from harness import BUILD, TIMEOUT, runners, wait_until
from plugin_harness import BUILT, PluginCase

OWN = BUILD / "lib/quarry/plugins"


class RunCase(PluginCase):
    def run_function(self, plugin, *arguments, code=0, **more):
        """The JSON object of a call, which ends with `code`."""
        result = self.home.run("plugins", "run", "--json", plugin, *arguments, **more)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        said = json.loads(result.stdout)
        said["stderr"] = result.stderr
        return said

    def nobody_is_left(self):
        wait_until(lambda: not self.processes(), "every process of this home ends")

    def processes(self):
        """Those that the program started, and itself."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if f"HOME={self.home.path}".encode() in path.read_bytes():
                    found.append(path.parent.name)
            except OSError:
                continue
        return found


class ResourceTypes(RunCase):
    def test_each_function_of_a_type_can_be_called(self):
        described = self.run_function(self.folder, "describe")
        self.assertEqual((described["plugin"], described["component"], described["isolation"]),
                         ("org.example.hello", "hello", "process"))
        self.assertEqual(described["value"]["type"], "hello")
        self.assertEqual(self.run_function(self.manifest, "normalise", "{}")["value"]["name"], "hello")
        self.assertIn("id", self.run_function(self.folder, "resolve", "{}")["value"])
        fetched = self.run_function(self.folder, "fetch", "{}")
        self.assertEqual([file["path"] for file in fetched["value"]["files"]], ["hello.md"])
        self.assertEqual(fetched["outcome"], "ok")
        self.assertGreaterEqual(fetched["milliseconds"], 0)
        self.assertGreater(fetched["memoryBytes"], 1 << 20)
        self.assertIsNone(self.run_function(self.folder, "parse_reference", "x")["value"])

    def test_files_are_written_where_it_is_said(self):
        to = self.home.path / "to"
        text = self.plugins("run", self.folder, "fetch", "{}", "--to", to)
        self.assertIn("hello.md", text)
        self.assertIn("1 file, ", text)
        self.assertIn("# Hello", (to / "hello.md").read_text())
        message = self.plugins("run", self.folder, "fetch", "{}", "--to", to, code=2)
        self.assertIn("is not an empty directory", message)

    def test_a_person_reads_outcome_time_and_memory(self):
        result = self.home.run("plugins", "run", self.folder, "resolve", "{}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"outcome: ok, after [\d,]+ ms, [\d,]+ MiB at most in its process")
        self.assertIn('"id"', result.stdout)

    def test_nothing_is_installed_and_nothing_stays_behind(self):
        self.run_function(self.folder, "fetch", "{}")
        self.assertFalse(self.installed.exists())
        self.nobody_is_left()
        trials = self.home.path / "cache/quarry/plugin-trials"
        self.assertEqual([path for path in trials.rglob("plugin.toml")], [])

    def test_a_resource_is_json_a_configured_name_or_a_reference(self):
        docs = self.home.path / "docs"
        docs.mkdir()
        (docs / "a.md").write_text("text")
        self.home.write("quarry.toml", f'[[resource]]\ntype = "local"\nname = "mine"\npath = "{docs}"\n')
        local = OWN / "resource-local"
        for resource in (json.dumps({"path": str(docs)}), "mine", str(docs)):
            value = self.run_function(local, "fetch", resource)["value"]
            self.assertEqual(value["inPlace"], str(docs), resource)
        failed = self.run_function(local, "fetch", "npm:react", code=1)
        self.assertIn("no reference that local recognises", failed["error"]["message"])

    def test_mistakes_in_a_resource_are_named_by_their_field(self):
        failed = self.run_function(OWN / "resource-local", "normalise", '{"pth": "/tmp"}', code=1)
        self.assertEqual(failed["outcome"], "invalid_argument")
        self.assertIn("/pth", [field["field"] for field in failed["error"]["fields"]])
        failed = self.run_function(OWN / "resource-local", "resolve", '{"path": "/nowhere"}', code=1)
        self.assertIn("/nowhere", failed["error"]["message"])
        failed = self.run_function(self.folder, "resolve", "{", code=2)
        self.assertIn("JSON", failed["error"]["message"])

    def test_the_configuration_of_the_component_is_passed(self):
        file = self.home.path / "table.json"
        file.write_text('{"unknown": 1}')
        failed = self.run_function(OWN / "resource-git", "describe", "--configuration", file, code=3)
        self.assertIn(f'{file}: "unknown" is not known', str(failed["error"]))
        file.write_text("[]")
        self.assertIn("it is no object",
                      self.plugins("run", self.folder, "describe", "--configuration", file, code=2))
        self.home.write("quarry.toml", '[resource_type.git]\nunknown = 1\n')
        result = self.home.run("plugins", "run", OWN / "resource-git", "describe")
        self.assertEqual(result.returncode, 3)
        self.assertIn("unknown", result.stderr)

    def test_progress_is_told(self):
        said = self.run_function(BUILT / "faulty", "resolve", "{}")
        self.assertEqual(said["progress"], [{"message": "resolving"}])
        result = self.home.run("plugins", "run", BUILT / "faulty", "resolve", "{}")
        self.assertIn("resolving", result.stderr)

    def test_without_isolation_it_runs_here_if_the_configuration_says_so(self):
        self.home.write("quarry.toml", '[plugins.isolation]\n"org.example.hello" = "none"\n')
        said = self.run_function(self.folder, "resolve", "{}")
        self.assertEqual(said["isolation"], "none")
        self.assertGreater(said["memoryBytes"], 1 << 20)


class Failures(RunCase):
    def test_a_failed_check_comes_first_with_the_words_of_validate(self):
        (self.folder / "hello.so").write_bytes(b"garbage")
        message = self.plugins("run", self.folder, "describe", code=1)
        validated = self.plugins("validate", self.folder, code=1)
        for line in ("FAIL  digest-matches: the file has the manifest's digest", "its manifest says"):
            self.assertIn(line, validated)
            self.assertIn(line, message)
        said = json.loads(self.home.run("plugins", "run", "--json", self.folder, "describe").stdout)
        self.assertFalse(said["passed"])
        self.assertIn("FAIL  manifest-complete", self.plugins("run", "/nowhere", "describe", code=1))
        self.assertIn("FAIL  loads-and-agrees", self.plugins("run", BUILT / "exits", "describe", code=1))

    def test_an_unknown_function_is_answered_with_those_that_there_are(self):
        message = self.plugins("run", self.folder, "fetsch", code=2)
        self.assertIn("there are: describe, parse_reference TEXT", message)
        self.assertIn("write resolve RESOURCE", self.plugins("run", self.folder, "resolve", code=2))
        self.assertIn("not valid JSON", self.plugins("run", self.folder, "resolve", "{bad", code=2))
        self.assertIn("plugin_path", self.plugins("run", OWN / "transport-rest", "start", code=1))

    def test_a_crash_is_an_outcome_that_names_the_plugin_and_is_no_strike_for_it(self):
        for _ in range(4):
            failed = self.run_function(BUILT / "faulty", "parse_reference", "parse_reference:illegal", code=5)
            self.assertEqual(failed["outcome"], "unavailable")
            self.assertIn("killed by signal 4", failed["error"]["message"])
            self.assertIn("while it ran parse_reference", failed["error"]["message"])
        self.assertFalse((self.home.path / "state/quarry/quarantined-plugins").exists())
        self.nobody_is_left()

    def test_an_interrupt_cancels_the_call(self):
        process = self.home.start("plugins", "run", BUILT / "faulty", "resolve", '{"name": "patient"}')
        self.wait_for_runner(process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn(b"cancelling the call", said)
        self.nobody_is_left()

    def test_a_second_interrupt_ends_a_plugin_that_ignores_the_first(self):
        table = self.home.path / "table.json"
        table.write_text('{"fault": "create:hang"}')
        process = self.home.start("plugins", "run", BUILT / "faulty", "describe", "--configuration", table)
        self.wait_for_runner(process)
        process.send_signal(signal.SIGINT)
        os.set_blocking(process.stderr.fileno(), False)
        wait_until(lambda: b"cancelling" in (process.stderr.read() or b""), "the first interrupt")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130)
        self.nobody_is_left()

    def wait_for_runner(self, process):
        wait_until(lambda: runners(process.pid), "a runner")


class Models(RunCase):
    def test_the_answer_is_streamed_with_its_usage(self):
        result = self.home.run("plugins", "run", BUILT / "models", "generate", "Hello there", "--component", "echo")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('"text":"Hello there"', result.stdout)
        self.assertIn('"output": 2', result.stdout)
        self.assertIn("reasoning: thought", result.stderr)

    def test_the_outcome_has_text_usage_and_tool_calls(self):
        value = self.run_function(BUILT / "models", "generate", "Hello", "--component", "echo",
                                  "--model", "small")["value"]
        request = json.loads(value["text"])
        self.assertEqual((request["model"], request["messages"][0]["text"]), ("small", "Hello"))
        self.assertEqual(value["finish"], "length")
        self.assertEqual(value["toolCalls"], ["grep"])
        self.assertEqual(value["usage"]["input"], 1)

    def test_models_are_listed(self):
        value = self.run_function(BUILT / "models", "models", "--component", "echo")["value"]
        self.assertEqual(value, [{"id": "m", "contextTokens": 9}])
        message = self.plugins("run", BUILT / "models", "models", code=2)
        self.assertIn("--component: echo, exchange", message)

    def test_a_refusal_and_a_crash_are_outcomes(self):
        failed = self.run_function(BUILT / "models", "generate", "refused", "--component", "exchange", code=1)
        self.assertIn("refused on purpose", failed["error"]["message"])
        failed = self.run_function(BUILT / "models", "generate", "crash", "--component", "echo", code=5)
        self.assertIn("signal 4", failed["error"]["message"])

    def test_a_provider_over_http_sends_its_key_to_its_server(self):
        asked = []

        class Model(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked.append((self.headers["Authorization"],
                              json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
                chunks = [{"choices": [{"delta": {"content": word}}]} for word in ("Good ", "day")]
                chunks.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
                chunks.append({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}})
                body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Model)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.home.write("quarry.toml", f"""
[model]
provider = "openai"
name = "small"
base_url = "http://127.0.0.1:{server.server_port}/v1"
api_key = {{ env = "QUARRY_TEST_KEY" }}
[plugins.isolation]
"io.quarry.model-openai" = "process"
""")
        for form in ("process", "none"):
            self.home.write("quarry.toml", (self.home.project / "quarry.toml").read_text().replace(
                '= "process"', f'= "{form}"'))
            said = self.run_function(OWN / "model-openai", "generate", "Hello", "--component", "openai")
            self.assertEqual(said["value"]["text"], "Good day")
            self.assertEqual(said["value"]["usage"]["input"], 7)
            self.assertEqual(said["isolation"], form)
        self.assertTrue(asked[0][0].startswith("Bearer sk-canary-"))
        self.assertEqual(asked[0][1]["model"], "small")


class Prices(RunCase):
    def test_a_catalogue_is_refreshed_and_asked(self):
        value = self.run_function(BUILT / "models", "refresh")["value"]
        self.assertEqual(value, {"changed": True, "nextMs": 1000})
        value = self.run_function(BUILT / "models", "rates", "known", "any")["value"]
        self.assertEqual((value["source"], value["input"]), ("here", "1.5"))
        self.assertIsNone(self.run_function(BUILT / "models", "rates", "other", "any")["value"])


if __name__ == "__main__":
    unittest.main()
