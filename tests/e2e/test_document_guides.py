"""docs/guides: their samples, each of which is run as shown."""

import json
import re
import subprocess
import unittest

from document_harness import SERVE, DocumentCase
from harness import BUILD, KEY, SOURCE, wait_until
from test_model_verbs import ModelServer

SURFACE = "http://127.0.0.1:8081"
MOST_WORDS = 1500


class Guide(DocumentCase):
    def check_file(self, sample):
        self.home.write("quarry.toml", sample.text)
        result = self.home.run("config", "check")
        self.assertEqual(result.returncode, 0, result.stderr)

    def run_each(self, sample, codes=(0,)):
        for command in sample.commands():
            result = self.shell(command)
            self.assertIn(result.returncode, codes, f"{command}\n{result.stdout}{result.stderr}")


class Guides(unittest.TestCase):
    def test_they_are_short(self):
        for path in (SOURCE / "docs/guides").glob("*.md"):
            self.assertLessEqual(len(path.read_text().split()), MOST_WORDS, path)


class Install(DocumentCase):
    document = "docs/guides/install.md"

    def test_every_way_is_run_in_a_system_of_its_own(self):
        tests = "".join(path.read_text() for path in (SOURCE / "tests/packages").glob("test_*.py"))
        for word in ("npx", "tar --zstd", "apt install", "podman", "minisign", "scripts/package", "scripts/release"):
            self.take("sh", word)
            self.assertIn(f'documented("{word}")', tests)


class LocalModel(Guide):
    document = "docs/guides/local-model.md"

    def setUp(self):
        super().setUp()
        self.model = ModelServer(["qwen3:8b"])
        self.addCleanup(self.model.stop)
        self.home.environment["OLLAMA_HOST"] = self.model.url.removesuffix("/v1")

    def test_a_server_is_found_and_asked_as_shown(self):
        setup, models, ask = self.take("sh", "quarry models setup").commands()
        self.run_shell("quarry add ./docs")
        for other in ("llamacpp", "lmstudio", "vllm"):  # not those of this machine
            self.run_shell(f"quarry config set model.{other} '{{provider=\"{other}\", base_url=\"http://127.0.0.1:1\"}}'")
        self.assertIn('provider = "ollama"\nname = "qwen3:8b"', self.run_shell(setup))
        self.run_shell(f"{setup} --write")
        self.assertRegex(self.run_shell(models), r"(?m)^\* ollama +qwen3:8b")
        self.run_shell("quarry models use ollama/qwen3:8b")
        self.run_shell(ask)

    def test_a_context_is_set_as_shown(self):
        self.run_shell("quarry models use ollama/qwen3:8b")
        self.run_each(self.take("sh", "model.num_ctx"))
        self.assertIn("num_ctx = 16384", self.run_shell("quarry config show"))

    def test_every_sample_of_a_file_is_right(self):
        self.home.environment["LAB_KEY"] = KEY
        for word in ("8090/v1\"\n```", "model.lab"):
            self.check_file(self.take("toml", word.partition("\n")[0]))

    def test_the_addresses_are_those_of_the_providers(self):
        listed = json.loads(self.run_shell("env -u OLLAMA_HOST quarry models --json"))
        addresses = {row["id"]: row.get("address") for row in listed["providers"]}
        for _, address, provider in self.table("server | usual address | provider"):
            self.assertEqual(re.search("`([^`]+)`", address)[1], addresses[provider.strip("`")])


class Team(Guide):
    document = "docs/guides/team.md"

    def test_the_cloud_is_used_as_shown(self):
        create, token, serve, curl, listed, revoke = self.take("sh", "tokens create").commands()
        self.run_shell(create)
        self.run_shell(token)
        self.assertEqual(serve, SERVE)
        url = self.cloud(serve)
        self.assertIn('"isError":false', self.run_shell(curl.replace(SURFACE, url)))
        tokens = self.run_shell(listed)
        name = re.search(r"tok_\w+", tokens).group()
        self.assertNotIn((self.home.project / "token").read_text().strip(), tokens)
        self.run_shell(revoke.replace("tok_0123456789ab", name))
        wait_until(lambda: "unauthorized" in self.shell(curl.replace(SURFACE, url)).stdout, "the token is refused")

    def test_the_file_is_right(self):
        self.check_file(self.take("toml", "audit_file"))

    def test_a_client_is_set_up_as_shown(self):
        self.assertIn("QUARRY_TOKEN", self.run_shell(self.take("sh", "mcp setup").commands()[0]))


class Cost(Guide):
    document = "docs/guides/cost.md"

    def test_what_it_costs_is_seen_and_limited_as_shown(self):
        self.run_shell("quarry ask -r ./docs 'How are dates parsed?'")
        for word in ("models use extractive", "quarry usage", "max_cost_usd 0.5"):
            self.run_each(self.take("sh", word))
        self.assertIn("max_cost_usd = 0.5", self.run_shell("quarry config show"))

    def test_every_sample_of_a_file_is_right(self):
        for word in ("monthly_budget_usd", "order ="):
            self.check_file(self.take("toml", word))


class Service(Guide):
    document = "docs/guides/service.md"

    def test_the_service_is_installed_as_shown(self):
        copy, *control = self.take("sh", "systemctl enable").commands()
        prefix = self.home.path / "prefix"
        subprocess.run(["cmake", "--install", BUILD / "packaging", "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
        self.assertTrue((prefix / copy.split()[2]).is_file(), copy)
        installed = prefix / "lib/systemd/system"
        self.assertIn(f"ExecStart={prefix}/bin/quarry serve\n", (installed / "quarry.service").read_text())
        units = {unit.name for unit in installed.iterdir()}
        for command in control:
            unit = command.split()[-1]
            self.assertIn(unit if "." in unit else f"{unit}.service", units, command)

    def test_top_is_used_as_shown(self):
        live, once = self.take("sh", "quarry top").commands()
        server = self.serve()
        figures = json.loads(self.run_shell(once.replace("http://127.0.0.1:8080", server.url)))
        self.assertTrue(figures["ready"])
        refused = self.shell(live.replace("http://127.0.0.1:8080", server.url))  # e2e.terminal has a terminal
        self.assertIn("--once", refused.stderr)

    def test_prometheus_is_configured_as_shown(self):
        text = self.take("yaml", "scrape_configs").text
        self.home.write("prometheus.yml", text.replace("/etc/prometheus/", ""))
        self.home.write("quarry.token", "a token\n")
        self.home.write("quarry.rules.yml", (SOURCE / "packaging/prometheus/quarry.rules.yml").read_text())
        self.run_shell("promtool check config prometheus.yml")


class Trouble(Guide):
    document = "docs/guides/trouble.md"

    def test_what_helps_first_is_run_as_shown(self):
        self.run_shell("quarry add ./docs")
        self.run_each(self.take("sh", "quarry doctor"), codes=(0, 1))

    def test_the_doctors_checks_are_those_of_the_table(self):
        checks = {check for row in self.table("check | what it finds") for check in re.findall(r"`([^`]+)`", row[0])}
        found = self.shell("quarry doctor --json")
        self.assertIn(found.returncode, (0, 1), found.stderr)
        self.assertLessEqual({finding["check"] for finding in json.loads(found.stdout)["findings"]}, checks)

    def test_the_exit_codes_are_those_of_the_program(self):
        header = (SOURCE / "host/cli/exit_code.h").read_text()
        existing = re.findall(r"^  k\w+ = (\d+),", header, re.M)
        self.assertEqual([row[0] for row in self.table("code | meaning")], existing)


if __name__ == "__main__":
    unittest.main()
