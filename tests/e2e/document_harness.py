"""Runs the samples of one document, and notices those that no test runs.

A document's fenced blocks of the languages in SAMPLES are samples; blocks of any other language
(text, mermaid) are not run. Each test takes the samples it runs with `take`; when all tests of a
class have run, a sample that none of them took is a failure.
"""

import os
import re
import subprocess
import unittest

from harness import BUILD, SOURCE, TIMEOUT, TestCase

SERVE = "quarry serve --set transport.mcp.enabled=true"
SAMPLES = ("sh", "toml", "json", "http", "console", "yaml")


class Sample:
    """A fenced block: its language, its text, and whether a test has taken it."""

    def __init__(self, language, text):
        self.language, self.text, self.taken = language, text, False

    def commands(self):
        """The commands of a shell block, whole and without their comments."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [command for line in lines if (command := re.sub(r"(^|\s+)#.*", "", line).strip())]


def samples_of(text):
    return [Sample(language, body)
            for language, body in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)
            if language in SAMPLES]


class DocumentCase(TestCase):
    """Tests of one document, whose path below the source tree is `document`."""

    document = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.text = (SOURCE / cls.document).read_text()
        cls.samples = samples_of(cls.text)
        cls.begun = set()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        untaken = [sample.text.splitlines()[0] for sample in cls.samples if not sample.taken]
        if untaken and cls.begun == set(unittest.defaultTestLoader.getTestCaseNames(cls)):
            raise AssertionError(f"no test runs these samples of {cls.document}: {untaken}")

    def setUp(self):
        super().setUp()
        self.begun.add(self._testMethodName)
        self.home.environment["PATH"] = f"{BUILD / 'bin'}:{os.environ['PATH']}"
        self.home.write("docs/dates.md", "# Dates\n\nDates are parsed by parse_date.\n")

    def take(self, language, word):
        """The first sample in `language` with `word` in it, which counts as run from now on."""
        for sample in self.samples:
            if sample.language == language and word in sample.text:
                sample.taken = True
                return sample
        raise AssertionError(f"{self.document} has no {language} sample with {word!r}")

    def shell(self, command, timeout=TIMEOUT):
        return subprocess.run(["bash", "-c", command], cwd=self.home.project, text=True,
                              env=self.home.environment, capture_output=True, timeout=timeout)

    def run_shell(self, command, timeout=TIMEOUT):
        """Standard output of a command that has to succeed."""
        result = self.shell(command, timeout)
        self.assertEqual(result.returncode, 0, f"{command}\n{result.stdout}{result.stderr}")
        return result.stdout

    def table(self, head):
        """The cells of the rows of a table below its `head`."""
        rows = self.text.partition(f"| {head} |\n")[2].partition("\n\n")[0].splitlines()[1:]
        self.assertTrue(rows, head)
        return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]

    def cloud(self, command=SERVE):
        """The URL of a server that `command` starts, on a free port."""
        words = command.split()[1:] + ["--set", "transport.mcp.listen=127.0.0.1:0",
                                       "--set", "transport.rest.enabled=false"]
        server = self.home.start(*words)
        self.addCleanup(server.communicate)
        self.addCleanup(server.terminate)
        return re.search(r"http://\S+", server.stdout.readline().decode()).group()
