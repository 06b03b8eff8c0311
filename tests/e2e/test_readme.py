"""Every command of the README, run as it stands there."""

import json
import os
import re
import subprocess
import unittest

from harness import BUILD, SOURCE, Home, Server, TestCase


def blocks():
    """The shell blocks of the README, each a list of whole commands without their comments."""
    out = []
    for block in re.findall(r"```sh\n(.*?)```", (SOURCE / "README.md").read_text(), re.S):
        commands = block.replace("\\\n", " ").splitlines()
        out.append([re.sub(r"\s+#.*", "", command).strip() for command in commands])
    return out


class Readme(TestCase):
    def setUp(self):
        super().setUp()
        self.home.environment["PATH"] = f"{BUILD / 'bin'}:{os.environ['PATH']}"
        self.home.write("docs/dates.md", "# Dates\n\nDates are parsed by parse_date.\n")

    def shell(self, command, timeout=60):
        return subprocess.run(["bash", "-c", command], cwd=self.home.project, text=True,
                              env=self.home.environment, capture_output=True, timeout=timeout)

    def block_with(self, word):
        return next(block for block in blocks() if any(word in command for command in block))

    def test_the_two_commands_are_there(self):
        for command in self.block_with("scripts/quickstart"):
            self.assertTrue(os.access(SOURCE / command.split()[0], os.X_OK), command)

    def test_the_program_is_used_as_shown(self):
        for command in self.block_with("quarry add"):
            result = self.shell(command)
            self.assertEqual((result.returncode, result.stderr), (0, ""), command)
            if "ask" in command:
                self.assertIn("parse_date", result.stdout, command)

    def test_the_server_is_used_as_shown(self):
        serve, curl = self.block_with("quarry serve")
        self.assertEqual(serve, "quarry serve --listen 127.0.0.1:8080")
        self.shell("quarry add ./docs")
        server = self.serve()
        result = self.shell(curl.replace("http://127.0.0.1:8080", server.url))
        self.assertIn("event: done", result.stdout, result.stderr)

    def test_the_cloud_is_used_as_shown(self):
        create, token, serve, curl, listed, revoke = self.block_with("quarry projects")
        for command in (create, token):
            result = self.shell(command)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(serve, "quarry serve --set transport.mcp.enabled=true")
        server = self.home.start("serve", "--set", "transport.mcp.enabled=true", "--set",
                                 "transport.mcp.listen=127.0.0.1:0", "--set", "transport.rest.enabled=false")
        self.addCleanup(server.communicate)
        self.addCleanup(server.terminate)
        url = re.search(r"http://\S+", server.stdout.readline().decode()).group()
        result = self.shell(curl.replace("http://127.0.0.1:8081", url))
        self.assertIn('"isError":false', result.stdout, result.stderr)
        name = re.search(r"tok_\w+", self.shell(listed).stdout).group()
        result = self.shell(revoke.replace("tok_0123456789ab", name))
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_editors_are_served_as_shown(self):
        setup, speak = self.block_with("quarry mcp")
        result = self.shell(setup)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('"quarry"', result.stdout)
        ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
        result = self.shell(f"echo '{ping}' | {speak}")
        self.assertIn('"id":1', result.stdout, result.stderr)

    def test_a_model_provider_is_made_and_asked_as_shown(self):
        def here(command):
            command = command.replace("/tmp/", f"{self.home.path}/").replace("build/release", str(BUILD))
            return command.replace("examples/", f"{SOURCE}/examples/")

        install = self.block_with("cmake --install")[0] + " --component sdk"
        for command in [install, *self.block_with("model-lines-cpp -B")]:
            result = self.shell(here(command), timeout=300)
            self.assertEqual(result.returncode, 0, f"{command}\n{result.stdout}{result.stderr}")
        self.assertIn("100% tests passed", result.stdout)

        serve, ask = self.block_with("server.py")
        server = subprocess.Popen(here(serve).replace("9099", "0").split(), stdout=subprocess.PIPE)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        url = server.stdout.readline().decode().strip()
        self.home.write("quarry.toml", here('plugin_path = ["/tmp/lines/lib/quarry/plugins"]\n'))
        result = self.shell(ask.replace("http://127.0.0.1:9099", url))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("I found this:", result.stdout)
        self.assertIn("parse_date", result.stdout)

    def test_a_project_is_trusted_as_shown(self):
        trust, listed, revoke = self.block_with("quarry trust")
        file = self.home.write("quarry.toml", '[log]\nlevel = "error"\n', trust=False)
        result = self.shell(trust)
        self.assertEqual(result.returncode, 3, "nobody is there to be asked")
        self.assertIn("log.level", result.stdout)
        self.shell("quarry trust --yes")
        self.assertEqual(self.shell(listed).stdout, f"{file}\n")
        self.assertEqual(self.shell(revoke).returncode, 0)
        self.assertEqual(self.shell("quarry resources").returncode, 3)

    def test_the_table_of_what_needs_no_trust_is_right(self):
        text = (SOURCE / "README.md").read_text()
        table = re.search(r"\| key \| without trust \|\n(.*?)\n\n", text, re.S).group(1)
        told = set()
        for row in table.splitlines()[1:-1]:
            section, *keys = re.findall(r"`([^`]+)`", row.split("|")[1])
            told.update(section.strip("[]") + "." + key for key in keys)
        schema = json.loads(re.search(r'R"json\((.*)\)json"', (SOURCE / "host/config/config_schema.h")
                                      .read_text(), re.S).group(1))["properties"]
        meant = set()
        for section, rule in schema.items():
            keys = rule.get("items", rule).get("properties", {})
            meant.update(f"{section}.{key}" for key, value in keys.items() if "untrusted" in value)
        self.assertEqual(told, meant)

    def test_the_configuration_is_right(self):
        for text in re.findall(r"```toml\n(.*?)```", (SOURCE / "README.md").read_text(), re.S):
            self.home.write("quarry.toml", text)
            result = self.home.run("config", "check")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_no_command_goes_untested(self):
        tested = ("scripts/", "quarry ", "curl ", "cmake ", "ctest ", "python3 ")
        for block in blocks():
            for command in block:
                self.assertTrue(not command or command.startswith(tested), command)


if __name__ == "__main__":
    unittest.main()
