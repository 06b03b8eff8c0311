"""docs/operations.md: its samples, and its tables of metrics and files."""

import json
import os
import pathlib
import re
import signal
import subprocess
import unittest

import postgres_server
from document_harness import DocumentCase
from git_server import make_certificate
from harness import BUILD, KEY, SOURCE, patience, wait_until

# Series of models that report tokens, and of plugins that fail.
WITHOUT_A_VALUE = {"quarry_model_tokens_total", "quarry_model_cost_usd_total",
                   "quarry_plugin_crashes_total", "quarry_plugin_calls_given_up_total",
                   "quarry_spans_dropped_total"}


class Operations(DocumentCase):
    document = "docs/operations.md"

    def call(self, url, tool, arguments):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": tool, "arguments": arguments}}
        token = (self.home.project / "token").read_text().strip()
        command = ["curl", "-sS", "-H", f"Authorization: Bearer {token}", "-H",
                   "Content-Type: application/json", "-d", json.dumps(body), f"{url}/api/mcp"]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    def test_secrets_of_a_project_are_set_as_shown(self):
        plain, reference, listed, remove = self.take("sh", "secret set").commands()
        self.run_shell("quarry projects create docs")
        self.run_shell("quarry tokens create --project docs --rights add > token")
        kit = {"type": "git", "name": "kit", "url": "https://git.invalid/kit"}
        self.assertFalse(self.call(self.cloud(), "addResource", kit)["result"]["isError"])
        self.home.write("kit-token", "a-word-that-nobody-says\n")
        for command, origin in ((plain, "kept encrypted"), (reference, ".*DOCS_TOKEN")):
            self.run_shell(command)
            shown = self.run_shell(listed)
            self.assertRegex(shown, rf"kit\.token +{origin}")
            self.assertNotIn("a-word-that-nobody-says", shown)
        self.run_shell(remove)
        self.assertNotIn("kit.token", self.run_shell(listed))

    def test_backups_are_made_and_restored_as_shown(self):
        commands = self.take("sh", "quarry restore /var/backups").commands()
        (self.home.path / "backups").mkdir()
        self.run_shell("quarry projects create docs")
        for command in commands:
            self.run_shell(command.replace("/var/backups/quarry", str(self.home.path / "backups")))
        self.assertIn("docs", self.run_shell("quarry projects list"))

    @unittest.skipIf(postgres_server.MISSING, postgres_server.MISSING)
    def test_a_store_moves_to_postgresql_as_shown(self):
        write_and_copy = self.take("sh", "quarry store copy").text
        server = postgres_server.PostgresServer()
        self.addCleanup(server.remove)
        self.home.environment["STORE_URL"] = server.url
        self.run_shell("quarry projects create docs")
        self.assertIn("copied 1 project and 0 tokens", self.run_shell(write_and_copy))
        self.assertIn("docs", self.run_shell("quarry -c postgresql.toml projects list"))

    def test_every_sample_of_a_file_is_right(self):
        for word in ("STORE_URL", "handbook", "sample_ratio"):
            self.home.write("quarry.toml", self.take("toml", word).text)
            result = self.home.run("config", "check")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_tls_of_the_local_interface_is_configured_as_shown(self):
        make_certificate(self.home.path)
        text = self.take("toml", "8443").text.replace("/etc/quarry", str(self.home.path))
        self.home.environment["QUARRY_TOKEN"] = KEY
        self.home.write("quarry.toml", text)
        result = self.home.run("config", "check")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_line_of_the_audit_has_the_members_shown(self):
        sample = json.loads(self.take("json", "cancelled").text)
        file = self.home.path / "audit.jsonl"
        self.home.write("quarry.toml", f'[access]\naudit_file = "{file}"\n')
        self.run_shell("quarry projects create docs")
        self.run_shell("quarry tokens create --project docs > token")
        self.call(self.cloud(), "listResources", {})
        lines = wait_until(lambda: file.exists() and file.read_text().splitlines(), "a line")
        line = json.loads(lines[0])
        self.assertEqual({name: type(value) for name, value in line.items()},
                         {name: type(value) for name, value in sample.items()})
        self.assertEqual(len(line["at"]), len(sample["at"]))

    def test_a_server_is_replaced_as_shown(self):
        only, named = self.take("sh", "quarry upgrade-in-place").commands()
        server = self.serve()
        replaced = self.run_shell(named.replace("4711", str(server.process.pid)), timeout=patience(180))
        new = int(re.search(r"Process (\d+) serves now", replaced)[1])
        self.addCleanup(os.kill, new, signal.SIGTERM)
        self.assertEqual(server.request("GET", "/livez")[0], 200)
        # Where nothing but this command is, so that it meets no server of another test.
        alone = self.shell(f"unshare --map-root-user --net {only}")
        self.assertIn("no server of this user runs", alone.stderr)

    def test_the_metrics_are_those_of_a_server(self):
        self.run_shell("quarry add ./docs")
        server = self.serve()
        server.ask("How are dates parsed?")
        text = server.measured_metrics()
        existing = set(re.findall(r"^# TYPE (\w+) (\w+)", text, re.M))
        described = {(name, row[1]) for row in self.table("series | type | labels")
                     for name in re.findall(r"`(\w+)`", row[0])}
        self.assertEqual(existing - described, set())
        self.assertEqual({name for name, _ in described - existing}, WITHOUT_A_VALUE)

    def test_the_files_are_where_the_table_says(self):
        self.home.write("quarry.toml", '[log]\nlevel = "error"\n')
        self.run_shell("quarry ask -r ./docs 'How are dates parsed?'")
        self.run_shell("quarry config check")
        self.run_shell("quarry projects create docs")
        self.run_shell("quarry tokens create --project docs --rights add > token")
        kit = {"type": "git", "name": "kit", "url": "https://git.invalid/kit"}
        self.call(self.cloud(), "addResource", kit)
        self.run_shell("echo word | quarry projects secret set docs kit.token")
        self.run_shell("quarry backup made && quarry restore made")
        described = {word.rstrip("/") for row in self.table("path | contents | when lost")
                     for word in re.findall(r"`([^`]+)`", row[0])}
        state = pathlib.Path(self.home.environment["XDG_STATE_HOME"]) / "quarry"
        names = {path.name for path in state.iterdir()
                 if not path.name.startswith("history.db-")}
        self.assertEqual(names, {pathlib.Path(path).name for path in described
                                 if path.startswith("~/.local/state/")})
        data = pathlib.Path(self.home.environment["XDG_DATA_HOME"]) / "quarry/plugins"
        store = data / "io.quarry.store-sqlite/store.db"
        self.assertIn("`io.quarry.store-sqlite/store.db`", self.text)
        cache = pathlib.Path(self.home.environment["XDG_CACHE_HOME"]) / "quarry"
        self.assertTrue((cache / "snapshots").is_dir())
        self.assertEqual(cache.stat().st_mode & 0o777, 0o700)
        for file in (store, *(path for path in state.rglob("*") if path.is_file())):
            self.assertEqual(file.stat().st_mode & 0o777, 0o600, file)


if __name__ == "__main__":
    unittest.main()
