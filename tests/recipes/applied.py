"""The changes of all recipes at once: they are built, guarded by the tests that CONTRIBUTING.md
names, and used. This changes the tree; test_recipes.py runs it in a copy (scratch.py)."""

import contextlib
import http.server
import json
import shlex
import subprocess
import sys
import threading
import time
import unittest

import recipe
import scratch

sys.path.insert(0, str(recipe.FOLDER.parent / "e2e"))
from harness import BUILD, KEY, QUARRY, SOURCE, TestCase  # noqa: E402

PROGRAMS = ("product", "cli_tests", "config_tests", "engine_tests",
            "rest_tests", "model_example_tests", "resource_example_tests")
DOCUMENTS = (
    "test_document_http_api.HttpApi.test_the_routes_are_those_of_the_server",
    "test_document_http_api.HttpApi.test_the_members_of_responses_are_those_of_the_table",
    "test_document_http_api.HttpApi.test_the_members_of_resources_are_those_of_their_types",
    "test_document_http_api.HttpApi.test_the_command_line_uses_routes_of_the_server",
    "test_document_http_api.HttpApi.test_the_tools_are_those_of_the_engine",
    "test_document_configuration.Configuration.test_the_tables_of_keys_are_those_of_the_program",
    "test_document_configuration.Configuration.test_the_table_of_keys_without_trust_is_right",
    "test_document_configuration.Configuration.test_the_table_of_providers_is_right",
    "test_document_configuration.Configuration.test_the_order_of_auto_is_right")
LOCAL = '[[resource]]\ntype = "local"\nname = "docs"\npath = "{}/docs"\n'


def run(*command, **more):
    """Runs a program that has to succeed; its output is shown when it does not."""
    result = subprocess.run(command, capture_output=True, text=True, **more)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


@contextlib.contextmanager
def timed(what):
    began = time.monotonic()
    yield
    print(f"{what}: {time.monotonic() - began:.0f} s", file=sys.stderr)


def setUpModule():
    assert (SOURCE / scratch.MARK).exists(), "this would change the tree itself: see scratch.py"
    for task in recipe.recipes():
        task.apply(SOURCE)
    with timed("built"):
        run("cmake", "--build", BUILD, "--target", *PROGRAMS, "--", "--quiet")
    run(sys.executable, SOURCE / "tests/documents/reference_tables.py", SOURCE, QUARRY, "--write")


class Guards(unittest.TestCase):
    """The tests that watch over the files of the tables."""

    def test_units(self):
        for program, only in (("cli_tests", "Verbs.*:ManPage.*:CommandLine.*:Completion*"),
                              ("config_tests", "Keys.*:TrustRules.*"),
                              ("engine_tests", "ModelTools.*"), ("rest_tests", "Routes.*"),
                              ("model_example_tests", "*"), ("resource_example_tests", "*")):
            with self.subTest(program):
                out = run(BUILD / "tests" / program, f"--gtest_filter={only}")
                self.assertNotIn("Running 0 tests", out)

    def test_documents(self):
        run(sys.executable, "-m", "unittest", *DOCUMENTS, cwd=SOURCE / "tests/e2e")
        page = (SOURCE / "docs/configuration.md").read_text()
        for row in ("| `max_question_bytes` | integer, 1 to 100,000 | `100000` |",
                    "| `style` | text | — |", "| `text` | text, at most 4,096 characters |"):
            self.assertIn(row, page)

    def test_layers(self):
        run(sys.executable, SOURCE / "tests/layers/check_layers.py", SOURCE)

    def test_manifests(self):
        for name in ("model-example", "resource-example"):
            run(BUILD / "bin/quarry-validate", BUILD / "lib/quarry/plugins" / name / "plugin.toml")

    def test_the_fuzz_target_compiles(self):
        """With the compiler of this build, which need not have libFuzzer."""
        listed = json.loads((BUILD / "compile_commands.json").read_text())
        command = shlex.split(next(one["command"] for one in listed
                                   if "/quarry_example.dir/" in one["command"]))
        command = command[:command.index("-o")] + [
            f"-I{SOURCE / 'tests'}", "-fsyntax-only", SOURCE / "tests/fuzz/model_example.cpp"]
        run(*command, cwd=BUILD)
        registered = (SOURCE / "tests/fuzz/CMakeLists.txt").read_text()
        self.assertIn("quarry_fuzz(model_example LINK quarry_example)", registered)


class Used(TestCase):
    """Each change as its user sees it."""

    def setUp(self):
        super().setUp()
        self.home.write("docs/dates.md", "# Dates\n\n## Parsing\n\nBy parse_date.\n")

    def configure(self, more="", trust=True):
        self.home.write("quarry.toml", more + LOCAL.format(self.home.project), trust=trust)

    def right(self, *arguments, **more):
        result = self.home.run(*arguments, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout


class RestRoute(Used):
    def test_answers_and_is_described(self):
        self.configure()
        server = self.serve()
        for thread in ("a", "a", "b"):
            server.ask("How are dates parsed?", thread=thread)
        self.assertEqual(server.json("GET", "/turns"), (200, {"turns": 3}))
        self.assertEqual(server.json("GET", "/turns?id=a"), (200, {"turns": 2}))
        described = server.json("GET", "/openapi.json")[1]["paths"]["/turns"]["get"]
        self.assertEqual([one["name"] for one in described["parameters"]], ["id"])
        schema = described["responses"]["200"]["content"]["application/json"]["schema"]
        self.assertEqual(schema["required"], ["turns"])


class Command(Used):
    def test_is_listed_and_runs_here_and_with_a_server(self):
        self.configure()
        self.assertRegex(self.right("--help"), r"\n  turns +Count the turns of stored")
        self.assertIn("turns", self.right("completion", "bash"))
        for thread in ("a", "a", "b"):
            self.right("ask", "--thread", thread, "How are dates parsed?")
        self.assertEqual(self.right("turns"), "3\n")
        self.assertEqual(self.right("turns", "b"), "1\n")
        self.assertEqual(json.loads(self.right("turns", "a", "--json")), {"turns": 2})
        server = self.serve()
        self.assertEqual(self.right("turns", "--server", server.url), "3\n")
        self.assertEqual(self.right("turns", "a", "--server", server.url), "2\n")


class ConfigurationKey(Used):
    def test_is_explained_and_has_its_effect(self):
        # Without trust, since the key may be lowered by a project's file.
        self.configure("[server]\nmax_question_bytes = 20\n", trust=False)
        shown = self.right("config", "explain", "server.max_question_bytes")
        self.assertIn(f"20  # {self.home.project}/quarry.toml:2:1", shown)
        self.assertIn("dates.md", self.right("ask", "Who parses dates?"))
        refused = self.home.run("ask", "Which function parses dates?")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("longer than server.max_question_bytes", refused.stderr)
        self.right("config", "check")


class ResourceType(Used):
    def test_is_added_and_asked_about(self):
        server = self.serve()
        note = {"type": "example", "name": "note", "text": "The zebra ships on Monday."}
        status, added = server.json("POST", "/config/resources", note)
        self.assertEqual((status, {name: added[name] for name in note}), (200, note))
        answer = server.ask("When does the zebra ship?")[-1].data
        self.assertIn("on Monday", answer["text"])
        self.assertEqual(answer["citations"][0]["path"], "text.md")
        for wrong in (" ", None, 7):
            body = {**note, "name": "wrong", "text": wrong}
            status, refused = server.json("POST", "/config/resources", body)
            self.assertEqual((status, refused["tag"]), (400, "ConfigError"), refused)

    def test_may_be_in_a_project_that_is_not_trusted(self):
        self.home.write("quarry.toml", '[[resource]]\ntype = "example"\nname = "note"\n'
                        'text = "The zebra ships on Monday."\n', trust=False)
        self.assertIn("on Monday", self.right("ask", "When does the zebra ship?"))


class Service(http.server.ThreadingHTTPServer):
    """The service of the provider: it calls the tool `headings`, and answers from its result."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Exchange)
        self.requests = []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Exchange(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.reply({"models": ["tiny"]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers["Authorization"], body))
        result = body["messages"][-1].get("result")
        if result is None:
            self.reply({"call": {"name": "headings", "arguments": {"path": "docs/dates.md"}}},
                       {"tokens": {"input": 9, "output": 1}})
        else:
            self.reply({"text": "Under "}, {"text": result.splitlines()[1].partition(": ")[2]},
                       {"tokens": {"input": 20, "output": 2}})

    def reply(self, *lines):
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class ModelProviderAndTool(Used):
    def setUp(self):
        super().setUp()
        self.service = Service()
        self.addCleanup(self.service.close)

    def done(self, **more):
        lines = self.right("ask", "--json", "Where is parsing?", **more).splitlines()
        return json.loads(lines[-1])

    def test_answers_with_the_result_of_the_tool(self):
        self.configure(f'[model]\nprovider = "example"\nbase_url = "{self.service.url}"\n'
                       'style = "brief"\napi_key = { env = "QUARRY_TEST_KEY" }\n')
        done = self.done()
        self.assertEqual(done["text"], "Under ## Parsing")
        self.assertEqual(done["model"], {"provider": "example", "model": "tiny"})
        self.assertEqual((done["usage"]["inputTokens"], done["usage"]["outputTokens"]), (29, 3))
        tool = done["tools"][0]
        self.assertEqual((tool["tool"], tool["state"]["status"]), ("headings", "completed"))
        self.assertEqual(tool["state"]["output"], "docs/dates.md:1: # Dates\n3: ## Parsing")
        self.assertEqual({path for path, _, _ in self.service.requests}, {"/answer"})
        self.assertEqual({key for _, key, _ in self.service.requests}, {f"Bearer {KEY}"})
        first = self.service.requests[0][2]
        self.assertIn("headings", [tool["name"] for tool in first["tools"]])
        self.assertEqual((first["model"], first["style"]), ("tiny", "brief"))

    def test_is_chosen_by_its_key_before_a_later_one(self):
        self.configure(f'[model.deepseek]\nprovider = "deepseek"\nbase_url = "{self.service.url}"\n'
                       'api_key = { env = "QUARRY_TEST_KEY" }\n')
        own = {"EXAMPLE_API_KEY": KEY, "EXAMPLE_BASE_URL": self.service.url}
        self.assertEqual(self.done(env=own)["model"]["provider"], "example")
        listed = json.loads(self.right("models", "--json", env=own))
        self.assertEqual(listed["chosen"],
                         {"provider": "example", "model": "tiny", "priced": False})
        self.assertIn("example", listed["connected"])


if __name__ == "__main__":
    unittest.main()
