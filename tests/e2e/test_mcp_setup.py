"""`quarry mcp setup`: its changes to the files of other programs, and the content it preserves."""

import json
import os
import subprocess
import tomllib
import unittest

from harness import QUARRY, TIMEOUT, TestCase
from test_serve import LOCAL, tree

FILES = {"claude-code": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json",
         "gemini-cli": ".gemini/settings.json", "opencode": "config/opencode/opencode.json",
         "vscode": "config/Code/User/mcp.json", "windsurf": ".codeium/windsurf/mcp_config.json",
         "zed": "config/zed/settings.json"}
PROJECT_FILES = {"claude-code": ".mcp.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json",
                 "gemini-cli": ".gemini/settings.json", "opencode": "opencode.json",
                 "vscode": ".vscode/mcp.json"}


def parsed(path):
    text = path.read_text()
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


TALK = [{"id": 1, "method": "initialize",
         "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "listResources", "arguments": {}}}]


def entry_of(value):
    """The entry "quarry", at any level."""
    return next(table["quarry"] for table in value.values()
                if isinstance(table, dict) and "quarry" in table)


class Setup(TestCase):
    def set_up(self, *arguments):
        result = self.home.run("mcp", "setup", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, *arguments):
        result = self.home.run("mcp", "setup", *arguments)
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def file(self, client, text=None):
        path = self.home.path / FILES[client]
        if text is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return path

    def test_a_change_is_shown_and_made_only_when_told_to(self):
        for client, name in FILES.items():
            with self.subTest(client):
                path = self.home.path / name
                shown = self.set_up(client)
                self.assertIn(f"+++ {path}", shown.stdout)
                self.assertIn(str(QUARRY), shown.stdout)
                self.assertIn("--write", shown.stderr)
                self.assertFalse(path.exists())
                self.assertEqual(self.set_up(client, "--write").stdout, shown.stdout)
                self.assertIn(str(QUARRY), json.dumps(parsed(path)))
                before = (path.read_bytes(), path.stat().st_mtime_ns)
                again = self.set_up(client, "--write")
                self.assertEqual((again.stdout, path.read_bytes(), path.stat().st_mtime_ns), ("", *before))
                self.assertIn("already", again.stderr)
                self.assertEqual([each.name for each in path.parent.iterdir() if each.name.startswith(".q")],
                                 [], "no copy is left beside it")

    def test_a_program_of_npm_is_started_by_npx(self):
        self.home.environment["QUARRY_NPM_PACKAGE"] = "@quarry/cli"
        for more in ((), ("--project",)):
            shown = self.set_up("claude-code", *more).stdout
            self.assertIn('"npx"', shown)
            self.assertIn('"@quarry/cli"', shown)
            self.assertNotIn(str(QUARRY), shown)

    def test_what_a_client_starts_speaks_mcp(self):
        folder = tree(self.home)
        self.home.write("quarry.toml", LOCAL.format("docs", folder))
        for client in FILES:
            with self.subTest(client):
                self.set_up(client, "--write", "--config", "quarry.toml")
                entry = entry_of(parsed(self.file(client)))
                command = entry["command"]
                command = command if isinstance(command, list) else [command, *entry["args"]]
                said = subprocess.run(
                    command, input="".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in TALK),
                    capture_output=True, text=True, timeout=TIMEOUT, cwd="/", env=self.home.environment)
                answers = {each["id"]: each for each in map(json.loads, said.stdout.splitlines())}
                self.assertEqual(answers[1]["result"]["protocolVersion"], "2025-06-18", said.stderr)
                self.assertIn("docs", json.dumps(answers[2]["result"]))

    def test_what_is_started_is_this_program_with_the_configuration_that_was_named(self):
        config = self.home.write("here.toml", "")
        self.set_up("cursor", "--write", "--config", "here.toml", "--name", "docs")
        entry = parsed(self.file("cursor"))["mcpServers"]["docs"]
        self.assertEqual(entry, {"command": str(QUARRY), "args": ["mcp", "--config", str(config)]})

    def test_a_server_is_reached_by_url_with_the_name_of_the_token_alone(self):
        self.home.environment["TEAM_TOKEN"] = "not-for-files"
        for client in FILES:
            if client == "zed":
                continue
            self.set_up(client, "--url", "https://q.example/api/mcp", "--token-env", "TEAM_TOKEN", "--write")
            text = self.file(client).read_text()
            self.assertIn("TEAM_TOKEN", text)
            self.assertNotIn("not-for-files", text)
        self.assertIn("--server", self.refused("zed", "--url", "https://q.example", "--token-env", "T"))
        self.set_up("zed", "--server", "https://q.example", "--write")
        self.assertEqual(parsed(self.file("zed"))["context_servers"]["quarry"]["args"],
                         ["mcp", "--server", "https://q.example"])

    def test_a_project_has_its_own_file(self):
        for client, name in PROJECT_FILES.items():
            self.set_up(client, "--project", "--write")
            text = (self.home.project / name).read_text()
            self.assertIn('"quarry"', text)
            self.assertNotIn(str(QUARRY), text, "it may be shared with other machines")
        for client in FILES.keys() - PROJECT_FILES.keys():
            self.assertIn("--file", self.refused(client, "--project"))

    def test_everything_else_stays_as_it_is_written(self):
        text = '// Zed\n{\n  "theme": "One Dark", // dark\n  "context_servers": {\n  },\n}\n'
        path = self.file("zed", text)
        path.chmod(0o640)
        self.set_up("zed", "--write")
        after = path.read_text()
        for line in text.splitlines():
            self.assertIn(line + "\n", after)
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)

    def test_the_variant_of_a_file_that_is_there_is_taken(self):
        path = self.file("opencode").with_suffix(".jsonc")
        path.parent.mkdir(parents=True)
        path.write_text("{\n  // mine\n}\n")
        self.set_up("opencode", "--write")
        self.assertIn("// mine", path.read_text())
        self.assertFalse(self.file("opencode").exists())

    def test_a_link_stays_a_link(self):
        real = self.home.path / "dotfiles.json"
        real.write_text("{}")
        path = self.file("gemini-cli")
        path.parent.mkdir()
        path.symlink_to(real)
        self.set_up("gemini-cli", "--write")
        self.assertTrue(path.is_symlink())
        self.assertIn("mcpServers", parsed(real))

    def test_a_file_that_cannot_be_read_is_left_alone(self):
        for client, text, place in (("claude-code", '{\n  "a": 1,\n}\n', ":3:1:"),
                                    ("vscode", '{\n  "servers": {\n', ":3:1:"),
                                    ("codex", "model = \n", ":1:")):
            path = self.file(client, text)
            said = self.refused(client, "--write")
            self.assertIn(f"{path}{place}", said)
            self.assertEqual(path.read_text(), text)
        path = self.file("cursor", "{}")
        path.unlink()
        path.mkdir()
        self.assertIn(str(path), self.refused("cursor", "--write"))

    def test_a_directory_that_cannot_be_written_is_told(self):
        path = self.file("windsurf", "{}")
        path.parent.chmod(0o500)
        self.addCleanup(path.parent.chmod, 0o700)
        if os.access(path.parent, os.W_OK):
            self.skipTest("this user may write everywhere")
        self.assertIn(str(path.parent), self.home.run("mcp", "setup", "windsurf", "--write").stderr)
        self.assertEqual(path.read_text(), "{}")

    def test_wrong_words_are_usage_errors(self):
        for words in (["emacs"], [], ["cursor", "--token-env", "X"], ["cursor", "--url", "ftp://x"],
                      ["cursor", "--url", "https://x", "--server", "https://x"],
                      ["cursor", "--project", "--file", "x"], ["cursor", "--name", "a b"],
                      ["cursor", "--url", "https://x", "--token-env", "sk-secret.word"]):
            said = self.refused(*words)
            self.assertTrue(said.startswith("error: "), said)
            self.assertNotIn("sk-secret", said)


if __name__ == "__main__":
    unittest.main()
