"""README.md: its samples, and that it names every document."""

import os
import re
import unittest

from document_harness import DocumentCase
from harness import SOURCE


class Readme(DocumentCase):
    document = "README.md"

    def test_the_two_commands_are_there(self):
        for command in self.take("sh", "scripts/quickstart").commands():
            self.assertTrue(os.access(SOURCE / command.split()[0], os.X_OK), command)

    def test_the_program_is_used_as_shown(self):
        *keep, remove = self.take("sh", "quarry add").commands()
        for command in [*self.take("sh", "ask -r ./docs").commands(), *keep,
                        *self.take("sh", "quarry models").commands(), remove]:
            result = self.shell(command)
            self.assertEqual((result.returncode, result.stderr), (0, ""), command)
            if " ask " in command:
                self.assertIn("parse_date", result.stdout, command)

    def test_the_server_is_used_as_shown(self):
        serve, curl = self.take("sh", "quarry serve").commands()
        self.assertEqual(serve, "quarry serve --listen 127.0.0.1:8080")
        self.run_shell("quarry add ./docs")
        server = self.serve()
        streamed = self.run_shell(curl.replace("http://127.0.0.1:8080", server.url))
        self.assertIn("event: done", streamed)

    def test_editors_are_served_as_shown(self):
        setup, speak = self.take("sh", "quarry mcp").commands()
        self.assertIn('"quarry"', self.run_shell(setup))
        ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
        self.assertIn('"id":1', self.run_shell(f"echo '{ping}' | {speak}"))

    def test_every_document_is_named(self):
        documents = {path.relative_to(SOURCE).as_posix()
                     for path in (*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md"))}
        named = set(re.findall(r"^\| \[[^]]+\]\(([^)]+)\) \|", self.text, re.M))
        self.assertEqual(documents - named, {"README.md"})

    def test_it_is_short(self):
        self.assertLess(len(self.text.split()), 900)


if __name__ == "__main__":
    unittest.main()
