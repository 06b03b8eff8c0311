"""docs/operations.md: its samples, and its tables of exit codes, metrics and files."""

import json
import pathlib
import re
import subprocess
import unittest

from document_harness import DocumentCase
from harness import SOURCE, wait_until

SURFACE = "http://127.0.0.1:8081"
SERVE = "quarry serve --set transport.mcp.enabled=true"


class Operations(DocumentCase):
    document = "docs/operations.md"

    def cloud(self, command=SERVE):
        """The URL of a server that `command` starts, on a free port."""
        words = command.split()[1:] + ["--set", "transport.mcp.listen=127.0.0.1:0",
                                       "--set", "transport.rest.enabled=false"]
        server = self.home.start(*words)
        self.addCleanup(server.communicate)
        self.addCleanup(server.terminate)
        return re.search(r"http://\S+", server.stdout.readline().decode()).group()

    def call(self, url, tool, arguments):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": tool, "arguments": arguments}}
        token = (self.home.project / "token").read_text().strip()
        command = ["curl", "-sS", "-H", f"Authorization: Bearer {token}", "-H",
                   "Content-Type: application/json", "-d", json.dumps(body), f"{url}/api/mcp"]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    def table(self, head):
        """The cells of the rows below `head`."""
        rows = self.text.partition(f"| {head} |\n")[2].partition("\n\n")[0].splitlines()[1:]
        self.assertTrue(rows, head)
        return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]

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
        wait_until(lambda: "unauthorized" in self.shell(curl.replace(SURFACE, url)).stdout,
                   "the token is refused")

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

    def test_every_sample_of_a_file_is_right(self):
        for word in ("audit_file", "STORE_URL"):
            self.home.write("quarry.toml", self.take("toml", word).text)
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

    def test_the_exit_codes_are_those_of_the_program(self):
        header = (SOURCE / "host/cli/exit_code.h").read_text()
        existing = re.findall(r"^  k\w+ = (\d+),", header, re.M)
        self.assertEqual([row[0] for row in self.table("code | meaning")], existing)

    def test_the_metrics_are_those_of_a_server(self):
        self.run_shell("quarry add ./docs")
        server = self.serve()
        server.ask("How are dates parsed?")
        server.request("GET", "/metrics")
        text = server.request("GET", "/metrics")[2]
        existing = set(re.findall(r"^# TYPE (\w+) (\w+)", text, re.M))
        described = {(row[0].strip("`"), row[1]) for row in self.table("series | type | labels")}
        self.assertEqual(described, existing)

    def test_the_files_are_where_the_table_says(self):
        self.home.write("quarry.toml", '[log]\nlevel = "error"\n')
        self.run_shell("quarry ask -r ./docs 'How are dates parsed?'")
        self.run_shell("quarry projects create docs")
        self.run_shell("quarry tokens create --project docs --rights add > token")
        kit = {"type": "git", "name": "kit", "url": "https://git.invalid/kit"}
        self.call(self.cloud(), "addResource", kit)
        self.run_shell("echo word | quarry projects secret set docs kit.token")
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
