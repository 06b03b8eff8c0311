"""README.md: followed word by word from a fresh home, in this tree, and that it names every document."""

import os
import re
import shutil
import subprocess
import unittest

from document_harness import DocumentCase
from harness import QUARRY, SOURCE, TIMEOUT

# The sentence of docs/plugins.md that answers the first example.
ANSWER = "A runner that crashes, exits, hangs beyond the limit of a call"
NO_INSTALLER = "#!/bin/sh\nexit 0\n"
BUILDER = "#!/bin/sh\nif [ \"$1\" = --build ]; then mkdir -p build/release/bin; ln -sf {} build/release/bin/quarry; fi\n"


class Readme(DocumentCase):
    document = "README.md"

    def setUp(self):
        super().setUp()
        self.links = self.home.path / ".local/bin"
        self.links.mkdir(parents=True)
        self.home.environment["PATH"] = f"{self.links}:{os.environ['PATH']}"

    def link(self):
        (self.links / "quarry").symlink_to(QUARRY)

    def shell(self, command, timeout=TIMEOUT):
        """In this tree; what is written goes to the home."""
        return subprocess.run(["bash", "-c", command], cwd=SOURCE, text=True, env=self.home.environment,
                              capture_output=True, timeout=timeout)

    def quickstart(self, answer):
        """The script in a tree of its own, in which nothing is installed and the program is there already."""
        tree = self.home.path / "tree"
        shutil.copytree(SOURCE / "docs", tree / "docs")
        (tree / "scripts").mkdir()
        shutil.copy(SOURCE / "scripts/quickstart", tree / "scripts")
        tools = self.home.path / "tools"
        tools.mkdir()
        for path, text in ((tree / "scripts/install-packages", NO_INSTALLER),
                           (tree / "scripts/install-npm-packages", NO_INSTALLER),
                           (tools / "cmake", BUILDER.format(QUARRY))):
            path.write_text(text)
            path.chmod(0o755)
        command = self.take("sh", "scripts/quickstart").commands()[0].partition(" [")[0]
        environment = {**self.home.environment, "PATH": f"{tools}:{self.home.environment['PATH']}"}
        terminal, end = os.openpty()
        os.write(terminal, answer)
        try:
            return subprocess.run(["bash", "-c", command], cwd=tree, env=environment, text=True,
                                  stdin=end if answer else subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
        finally:
            os.close(terminal)
            os.close(end)

    def test_the_two_commands_are_there(self):
        for command in self.take("sh", "scripts/quickstart").commands():
            self.assertTrue(os.access(SOURCE / command.split()[0], os.X_OK), command)

    def test_quickstart_answers_and_links_the_program(self):
        result = self.quickstart(b"\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(ANSWER, result.stdout)
        self.assertIn(f"Linked {self.links}/quarry", result.stderr)
        self.assertEqual(self.shell("quarry version").returncode, 0)

    def test_quickstart_links_nothing_unasked(self):
        for answer, words in ((b"n\n", "Link "), (b"", "mkdir -p")):
            shutil.rmtree(self.home.path / "tree", ignore_errors=True)
            shutil.rmtree(self.home.path / "tools", ignore_errors=True)
            result = self.quickstart(answer)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertFalse((self.links / "quarry").exists())
        (command,) = re.findall(r'To call it "quarry": (.*)', result.stderr)
        self.run_shell(command)
        self.assertEqual(self.shell("quarry version").returncode, 0)

    def test_the_first_example_quotes_the_sentence_that_answers(self):
        self.link()
        ask, setup, serve = self.take("sh", "quarry models setup").commands()
        answered = self.shell(ask)
        self.assertEqual((answered.returncode, answered.stderr), (0, ""))
        self.assertIn(ANSWER, answered.stdout.partition("\n[")[2].partition("\n[")[0], "in the first passage")
        self.assertEqual(serve, "quarry serve")
        found = self.shell(setup)  # what a machine has is its own; test_model_setup has servers
        self.assertIn(found.returncode, (0, 3), found.stderr)

    def test_the_program_is_used_as_shown(self):
        self.link()
        commands = [*self.take("sh", "ask -r ./docs").commands(), *self.take("sh", "quarry add").commands(),
                    *self.take("sh", "quarry models use").commands(), "quarry remove docs"]
        for command in commands:
            result = self.shell(command)
            codes = (0, 1) if "doctor" in command else (0,)
            self.assertIn(result.returncode, codes, command + result.stderr)
            self.assertEqual(result.stderr, "", command)
            if " ask " in command:
                self.assertRegex(result.stdout, r"\[docs:|\"citations\":\[\{", command)

    def test_the_server_is_used_as_shown(self):
        self.link()
        serve, curl = self.take("sh", "quarry serve --listen").commands()
        self.assertEqual(serve, "quarry serve --listen 127.0.0.1:8080")
        self.run_shell("quarry add ./docs")
        server = self.serve()
        streamed = self.run_shell(curl.replace("http://127.0.0.1:8080", server.url))
        self.assertIn("event: done", streamed)

    def test_editors_are_served_as_shown(self):
        self.link()
        setup, speak = self.take("sh", "quarry mcp").commands()
        self.assertIn('"quarry"', self.run_shell(setup))
        ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
        self.assertIn('"id":1', self.run_shell(f"echo '{ping}' | {speak}"))

    def test_its_figures_are_those_that_were_measured(self):
        row = re.search(r"^\| all \| (\d+) \| \.\d+ \| \.(\d\d)\d \| (\d+) \|", (SOURCE / "docs/search.md").read_text(), re.M)
        number, share, tokens = row.groups()
        self.assertIn(f"{share} % of {number} questions, in under 1,000 tokens", " ".join(self.text.split()))
        self.assertLess(int(tokens), 1000)

    def test_every_document_is_named(self):
        documents = {path.relative_to(SOURCE).as_posix()
                     for path in (*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md"))}
        named = set(re.findall(r"^\| \[[^]]+\]\(([^)]+)\) \|", self.text, re.M))
        self.assertEqual(documents - named, {"README.md"})

    def test_it_is_short(self):
        self.assertLess(len(self.text.split()), 900)


if __name__ == "__main__":
    unittest.main()
