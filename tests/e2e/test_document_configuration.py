"""docs/configuration.md: its samples, and its tables of keys against the program."""

import json
import re
import shutil
import subprocess
import sys
import unittest

from document_harness import DocumentCase
from harness import BUILD, QUARRY, SOURCE

TABLES = SOURCE / "tests/documents/reference_tables.py"


def source(*paths):
    return "\n".join((SOURCE / path).read_text() for path in paths)


class Configuration(DocumentCase):
    document = "docs/configuration.md"

    def compare(self, tree):
        return subprocess.run([sys.executable, TABLES, tree, QUARRY], capture_output=True, text=True)

    def test_the_tables_of_keys_are_those_of_the_program(self):
        result = self.compare(SOURCE)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_table_that_differs_is_reported_and_written(self):
        page = self.home.path / "tree/docs/configuration.md"
        page.parent.mkdir(parents=True)
        row = re.search(r"^\| `max_steps` .*\n", self.text, re.M).group(0)
        for text in (self.text.replace(row, ""), self.text.replace(row, row.replace("40", "41")),
                     self.text.replace(row, row + "| `max_stairs` | text | — | Up. |\n")):
            page.write_text(text)
            result = self.compare(page.parents[1])
            self.assertEqual(result.returncode, 1)
            self.assertIn("--write", result.stderr)
            subprocess.run([sys.executable, TABLES, page.parents[1], QUARRY, "--write"], check=True)
            self.assertEqual(self.compare(page.parents[1]).returncode, 0)
        page.write_text(self.text.replace("### `[log]`", "### `[logs]`"))
        self.assertIn("[log]", self.compare(page.parents[1]).stderr)

    def test_every_key_is_explained(self):
        listed = json.loads(self.run_shell("quarry config explain --json"))["keys"]
        self.assertGreater(len(listed), 150)
        table = self.run_shell("quarry config explain")
        for key in listed:
            self.assertIn(key["key"], table)
        for name in ("model.max_steps", "transport.rest.listen", "transport.mcp.tls",
                     "resource_type.git.ssh", "pricing.models-dev.url", "store.file"):
            with self.subTest(key=name):
                shown = self.run_shell(f"quarry config explain {name}")
                self.assertTrue(shown.startswith(f"{name}: "), shown)

    def test_a_key_is_explained_with_its_present_value(self):
        file = self.home.write("quarry.toml", "[transport.rest]\nthreads = 2\n"
                               "auth_token = { env = \"CANARY\" }\n")
        shown = self.run_shell("CANARY=canary-value quarry config explain transport.rest.threads")
        self.assertIn(f"2  # {file}:2:1", shown)
        shown = self.run_shell("CANARY=canary-value quarry config explain transport.rest.auth_token")
        self.assertIn('{ env = "CANARY" }', shown)
        self.assertNotIn("canary-value", shown)
        shown = self.run_shell("QUARRY_LOG_LEVEL=error quarry config explain log.level")
        self.assertIn("environment QUARRY_LOG_LEVEL", shown)
        shown = self.run_shell("quarry config explain log.level --set log.level=debug")
        self.assertIn("flag log.level", shown)
        wrong = self.shell("quarry config explain log.levl")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn('did you mean "log.level"?', wrong.stderr)

    def test_every_sample_of_a_file_is_right(self):
        shutil.copytree(BUILD / "tests/fixtures/resource-walk-fixture",
                        self.home.path / "quarry-plugins/walk")
        docs = self.home.path / "work/docs"  # beneath the local_roots of the sample
        docs.mkdir(parents=True)
        for word in ("plugin_path", "permalinks", "sha256", "suite = ", "index.example.org"):
            sample = self.take("toml", word).text.replace("/home/me/docs", str(docs))
            self.home.write("quarry.toml", sample)
            result = self.home.run("config", "check")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_commands_show_what_they_say(self):
        check, show, put, path, explain = self.take("sh", "config check").commands()
        file = self.home.write("quarry.toml", "[model]\nmax_steps = 7\n")
        self.assertIn(str(file), self.run_shell(check))
        self.assertIn("max_steps = 7  # ", self.run_shell(show))
        self.assertEqual(self.run_shell(path).splitlines()[0], str(file))
        self.assertIn(f"7  # {file}:2:1", self.run_shell(explain))
        self.assertIn(str(file), self.run_shell(put))
        self.assertIn('level = "debug"', file.read_text())

    def test_layers_override_those_below(self):
        self.home.write("quarry.toml", '[model]\nprovider = "openai"\nname = "m"\n')
        shown = self.run_shell("QUARRY_MODEL_PROVIDER=extractive quarry config show")
        self.assertIn('provider = "extractive"', shown)
        self.assertNotIn("name", shown)
        shown = self.run_shell("QUARRY_MODEL_MAX_STEPS=3 quarry config show --set model.max_steps=4")
        self.assertIn("max_steps = 4", shown)

    def test_a_project_is_trusted_as_shown(self):
        trust, listed, revoke = self.take("sh", "quarry trust").commands()
        file = self.home.write("quarry.toml", '[log]\nlevel = "error"\n', trust=False)
        result = self.shell(trust)
        self.assertEqual(result.returncode, 3, "no terminal can confirm")
        self.assertIn("log.level", result.stdout)
        self.run_shell("quarry trust --yes")
        self.assertEqual(self.run_shell(listed), f"{file}\n")
        self.run_shell(revoke)
        self.assertEqual(self.shell("quarry resources").returncode, 3)

    def test_the_table_of_keys_without_trust_is_right(self):
        table = re.search(r"\| key \| without trust \|\n(.*?)\n\n", self.text, re.S).group(1)
        described = set()
        for row in table.splitlines()[1:-2]:
            section, *keys = re.findall(r"`([^`]+)`", row.split("|")[1])
            described.update(section.strip("[]") + "." + key for key in keys)
        listed = json.loads(self.run_shell("quarry config explain --json"))["keys"]
        existing = {key["key"].split(".")[0] + "." + key["key"].split(".")[-1]
                    for key in listed if "untrusted" in key}
        self.assertEqual(described, existing)

    def test_the_table_of_providers_is_right(self):
        table = self.text.partition("| provider | key | address | default model |")[2]
        rows = {row.split("`")[1]: row for row in table.partition("\n\n")[0].splitlines()[2:]}
        vendors = re.findall(r"inline constexpr Vendor .*?;", source("plugins/model-openai/vendor.h"),
                             re.S)
        self.assertEqual(len(vendors), 8)
        for vendor in vendors:
            facts = dict(re.findall(r'\.(\w+) = "([^"]*)"', vendor))
            for fact in ("base_url", "key_variable", "base_url_variable", "default_model"):
                self.assertIn(f"`{facts[fact]}`" if fact in facts else "", rows[facts["name"]])
        for name in ("anthropic", "gemini"):
            constants = source(f"plugins/model-{name}/plugin.cpp")
            default = re.search(r'kDefaultModel = "([^"]+)"', constants).group(1)
            self.assertIn(f"`{default}`", rows[name])
        listed = json.loads(self.run_shell("quarry models --json"))
        self.assertEqual(sorted(rows), sorted(entry["id"] for entry in listed["all"]))

    def test_the_order_of_auto_is_right(self):
        lists = re.findall(r"constexpr std::string_view k\w+\[\] = \{(.*?)\};",
                           source("host/engine/auto_model.cpp"), re.S)
        self.assertEqual(len(lists), 2)
        paragraph = " ".join(re.search(r"^`auto` takes .*?\n\n", self.text, re.M | re.S)
                             .group().split())
        for names in lists:
            order = ", ".join(re.findall(r'"(\w+)"', names))
            self.assertIn(f": {order}, then others by name", paragraph)


if __name__ == "__main__":
    unittest.main()
