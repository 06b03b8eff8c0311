"""`quarry models setup`: servers of this machine at addresses of their own, and keys of the environment."""

import json
import unittest

from harness import KEY, TestCase
from test_model_verbs import ModelServer

NOBODY = "http://127.0.0.1:1"
SERVERS = ("llamacpp", "lmstudio", "vllm")


class ModelSetup(TestCase):
    def setUp(self):
        super().setUp()
        self.home.environment["OLLAMA_HOST"] = NOBODY
        self.file = self.home.project / "quarry.toml"
        self.configure()

    def configure(self, **urls):
        """The addresses of SERVERS; nobody listens at those of the others."""
        self.home.write("quarry.toml", "# mine\n" + "".join(
            f'[model.{name}]\nprovider = "{name}"\nbase_url = "{urls.get(name, NOBODY)}"\n' for name in SERVERS))

    def server(self, *models):
        server = ModelServer(list(models))
        self.addCleanup(server.stop)
        return server

    def setup_models(self, *arguments, code=0):
        result = self.home.run("models", "setup", *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def chosen(self):
        return json.loads(self.home.run("models", "--json").stdout)["chosen"]

    def test_servers_and_keys_are_found_and_the_first_that_costs_nothing_is_written(self):
        ollama, studio, empty = self.server("qwen3:8b"), self.server("small", "large"), self.server()
        self.home.environment["OLLAMA_HOST"] = ollama.url.removesuffix("/v1")
        self.home.environment["OPENAI_API_KEY"] = KEY
        self.home.environment["OPENAI_BASE_URL"] = self.server("gpt-x").url
        self.configure(lmstudio=studio.url, vllm=empty.url)
        before = self.file.read_text()
        shown = self.setup_models()
        for row in (r"(?m)^lmstudio +small +at \S+, 2 models, costs nothing$",
                    r"(?m)^ollama +qwen3:8b +at \S+, costs nothing$",
                    r"(?m)^openai +\S+ +OPENAI_API_KEY is set$",
                    r"(?m)^vllm +at \S+, but it has no model$"):
            self.assertRegex(shown.stdout, row)
        self.assertNotRegex(shown.stdout, "(?m)^(llamacpp|extractive)")
        self.assertIn(f'\n{self.file}:\n[model]\nprovider = "lmstudio"\nname = "small"\n', shown.stdout)
        self.assertIn("Nothing was written", shown.stderr)
        self.assertEqual(self.file.read_text(), before)
        self.setup_models("--write")
        self.assertTrue(self.file.read_text().startswith("# mine\n"))
        self.assertEqual([self.chosen()[part] for part in ("provider", "model")], ["lmstudio", "small"])
        asked = self.home.run("ask", "-r", ".", "What is there?")
        self.assertIn("Served here.", asked.stdout, asked.stderr)

    def test_another_one_can_be_named(self):
        self.configure(llamacpp=self.server("small", "large").url)
        self.setup_models("llamacpp/large", "--write")
        self.assertEqual([self.chosen()[part] for part in ("provider", "model")], ["llamacpp", "large"])

    def test_a_key_that_is_refused_is_named_and_not_chosen(self):
        self.home.environment["OPENAI_API_KEY"] = KEY
        self.home.environment["OPENAI_BASE_URL"] = self.server("gpt-x").url + "/refuses"
        shown = self.setup_models(code=3)
        self.assertRegex(shown.stdout, r"(?m)^openai .*OPENAI_API_KEY is set, but: .*HTTP 404")
        self.assertIn("no model was found", shown.stderr)

    def test_where_nothing_is_found_it_says_where_it_looked(self):
        before = self.file.read_text()
        for named in ([], ["ollama"]):
            result = self.setup_models(*named, "--write", code=3)
            for place in (NOBODY, "ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
                self.assertIn(place, result.stderr)
        self.assertEqual(self.file.read_text(), before)


if __name__ == "__main__":
    unittest.main()
